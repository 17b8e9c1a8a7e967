// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The recipe of every component without one of its own. It draws operands with the declared axes and contents (Contents
// of core/component.hpp) and boundary extents. Dependent extents are drawn before (declared.hpp).

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "cases/drawn/declared.hpp"
#include "reference/reference.hpp"

namespace parity::cases {
namespace {

constexpr double kFull = 6.283185307179586;

/// Returns the axes with "*" replaced by "B,S".
std::string named(std::string axes) {
  const size_t at = axes.find('*');
  if (at != std::string::npos) axes.replace(at, 1, "B,S");
  return axes;
}

int64_t most_of(char letter) {
  constexpr std::string_view kFew = "BGXMT";  // these multiply every other extent
  return kFew.find(letter) != std::string_view::npos ? 2 : letter == 'S' ? 17 : 65;
}

void draw_extents(CaseMaker& m, const std::string& axes) {
  for (const char letter : axes) {
    const bool is_extent = std::isupper(static_cast<unsigned char>(letter)) != 0 && letter != 'N';  // N = B S
    if (is_extent && !m.has_size(letter)) m.extent(letter, most_of(letter));
  }
}

/// As the profile's model makes them: some keep the tables in binary32 beside rows in T.
TapType type_of_tables(const CaseMaker& m) {
  return m.type_of(m.component() == "vision_rope" ? "vision_rotary_tables.out" : "rotary_tables.out");
}

void draw_numbers(CaseMaker& m, const std::string& field, const std::string& axes, Contents fill) {
  switch (fill) {
    case Contents::gates:
      return m.exponents(field, axes, 3.0);
    case Contents::logits:
      return m.exponents(field, axes, 2.0);
    case Contents::cosines:
      return m.numbers(field, axes, type_of_tables(m), [&](int64_t) { return std::cos(kFull * m.uniform()); });
    case Contents::sines:
      return m.numbers(field, axes, type_of_tables(m), [&](int64_t) { return std::sin(kFull * m.uniform()); });
    case Contents::unit:
      return m.numbers(field, axes, TapType::single, [&](int64_t) { return 1.0 - m.uniform(); });
    case Contents::bias:
      return m.numbers(field, axes, TapType::single, [&](int64_t) { return 0.25 * m.normal(); });
    case Contents::values:
    case Contents::factors:
      return m.values(field, axes);
    default:
      throw Error(ErrorCode::internal,
                  fmt::format("no code draws operand '{}' of component {}; draw it in cases/drawn/declared_extents.cpp",
                              field, m.component()));
  }
}

/// Draws a separate order of the experts for every token.
void draw_experts(CaseMaker& m, const std::string& field, const std::string& axes) {
  std::vector<int64_t> all(static_cast<size_t>(m.size('E')));
  std::iota(all.begin(), all.end(), 0);
  m.ids(field, axes, [&](int64_t i) {
    const int64_t slot = i % m.size('T');
    std::swap(all[static_cast<size_t>(slot)], all[static_cast<size_t>(m.from(slot, m.size('E') - 1))]);
    return all[static_cast<size_t>(slot)];
  });
}

int64_t id_of(CaseMaker& m, const std::string& field, Contents fill) {
  switch (fill) {
    case Contents::tokens:
      return m.from(0, m.size('V') - 1);
    case Contents::labels:
      return m.from(0, 3) == 0 ? -100 : m.from(0, m.size('V') - 1);
    case Contents::places:
      return m.from(0, m.size('K') - 1);
    case Contents::mask:
      return m.from(0, 3) == 0 ? 0 : 1;
    case Contents::pixels:
      return m.from(0, 255);
    case Contents::blocks:
      return m.from(-1, m.size('J') - 1);
    default:
      throw Error(
          ErrorCode::internal,
          fmt::format(
              "no code draws the ids of operand '{}' of component {}; draw them in cases/drawn/declared_extents.cpp",
              field, m.component()));
  }
}

void draw_operand(CaseMaker& m, const FieldInfo& field) {
  const Contents fill = field.contents;
  const std::string axes = named(field.drawn.empty() ? field.axes : field.drawn);
  draw_extents(m, axes);
  if (fill == Contents::tokens || fill == Contents::labels) draw_extents(m, "V");
  if (fill == Contents::experts) return draw_experts(m, field.name, axes);
  if (are_integers(fill)) return m.ids(field.name, axes, [&](int64_t) { return id_of(m, field.name, fill); });
  draw_numbers(m, field.name, axes, fill);
}

/// Returns the type to which the oracle last rounds the output.
TapType type_of(const CaseMaker& m, const Definition& definition, const FieldInfo& field) {
  if (is_integer(field.judge)) return TapType::index;
  for (const std::string& point : {field.name, std::string("out"), std::string("mean"), std::string("total")}) {
    const auto declared = definition.points.find(point);
    if (declared == definition.points.end()) continue;
    const auto given = m.profile().rounding.find(m.component() + "." + point);
    const Precision precision = given == m.profile().rounding.end() ? declared->second : given->second;
    return precision == Precision::working ? TapType::working : TapType::single;
  }
  return TapType::working;
}

void declared(CaseMaker& m) {
  const Definition& definition = reference::registry().component(m.component());
  const auto extents = declared_extents().find(m.component());
  if (extents != declared_extents().end()) extents->second(m);
  for (const FieldInfo& field : definition.inputs) {
    if (!m.has_input(field.name) && !(field.optional && m.coin())) draw_operand(m, field);
  }
  for (const FieldInfo& field : definition.outputs) {
    if (!m.has_output(field.name) && !field.optional)
      m.output(field.name, named(field.axes), type_of(m, definition, field));
  }
}

}  // namespace

void add_declared_recipes(std::map<std::string, Recipe>& recipes) {
  for (const std::string& component : reference::registry().components()) recipes.emplace(component, declared);
}

}  // namespace parity::cases
