// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Exact recipe of the elementwise components without one of their own: whole numbers so small that nothing rounds. The
// limit is found by trying the reference. There are no sums, so no partial sum can round unnoticed.

#include <algorithm>
#include <cmath>

#include "cases/drawn/exact.hpp"
#include "reference/reference.hpp"
#include "replay/runs/evaluator.hpp"

namespace parity::cases {
namespace {

using Magnitudes = std::map<std::pair<std::string, DType>, int64_t>;

/// Returns a whole number, often +-most, since the largest terms tend to occur together there.
double whole(CaseMaker& m, int64_t most) {
  if (m.from(0, 3) == 0) return static_cast<double>(m.coin() ? most : -most);
  return static_cast<double>(m.from(-most, most));
}

/// Replaces operands by whole numbers up to `most`, factors and limits by powers of two. Settings stay the same.
void fill_whole(CaseMaker& m, int64_t most) {
  const Definition& definition = reference::registry().component(m.component());
  for (const FieldInfo& field : definition.inputs) {
    if (!m.has(field.name) || is_integer(m.type_of_given(field.name))) continue;
    const TapType type = m.type_of_given(field.name);
    const std::string axes = m.given(field.name).view().axes;
    if (type != TapType::wide) m.numbers(field.name, axes, type, [&](int64_t) { return whole(m, most); });
  }
  for (const auto& [name, value] : definition.defaults) {
    const auto* number = std::get_if<double>(&value);
    if (number != nullptr && std::isfinite(*number)) m.param(name, m.one_of<double>({0.5, 1.0, 1.0, 2.0, 4.0}));
  }
}

/// Whether an exact output is not a number of its type, or differs from the oracle's.
bool rounds(const DrawnCase& drawn) {
  const replay::Evaluator evaluator(reference::registry(), drawn.plan, drawn.weights);
  const replay::Outcome outcome =
      evaluator.run(drawn.plan.nodes.front(), drawn.taps, [](const std::string&) { return true; });
  for (const auto& [field, value] : outcome.outputs) {
    if (value.exact.dtype() != DType::f64) continue;
    const DType type = drawn.plan.dtype_of(drawn.plan.tap(outcome.node->outputs.at(field).name).type);
    for (int64_t i = 0; i < value.exact.view().count(); ++i) {
      const double exact = value.exact.f64()[i];
      if (exact != value.rounded.f64()[i] || exact != round_to(type, exact)) return true;
    }
  }
  return false;
}

bool holds(const std::string& component, DType working, int64_t most) {
  constexpr uint64_t kCases = 16;
  for (uint64_t seed = 0; seed < kCases; ++seed) {
    CaseMaker maker({component, working, Lane::exact, seed, {}});
    recipes().at(component)(maker);
    maker.replace();
    fill_whole(maker, most);
    if (rounds(maker.take())) return false;
  }
  return true;
}

/// Returns the largest magnitude at which nothing rounds, or 0 if numbers of more than one digit round.
int64_t largest_that_holds(const std::string& component, DType working) {
  constexpr int64_t kMost = int64_t{1} << 12, kLeast = 2;  // the product of two is a binary32 number
  for (int64_t most = std::min(whole_numbers(working), kMost); most >= kLeast; most /= 2) {
    if (holds(component, working, most)) return most;
  }
  return 0;
}

/// Returns the largest magnitudes of the elementwise components in each type.
const Magnitudes& magnitudes() {
  static const Magnitudes instance = [] {
    Magnitudes all;
    for (const std::string& component : reference::registry().components()) {
      if (!reference::registry().component(component).traits.elementwise) continue;
      for (const DType working : {DType::f32, DType::bf16, DType::f16})
        all[{component, working}] = largest_that_holds(component, working);
    }
    return all;
  }();
  return instance;
}

}  // namespace

int64_t most_whole(const std::string& component, DType working) {
  const auto known = magnitudes().find({component, working});
  return known == magnitudes().end() ? 0 : known->second;
}

void draw_exact(CaseMaker& m) {
  const auto own = exact_recipes().find(m.component());
  if (own != exact_recipes().end()) return own->second(m);
  const int64_t most = most_whole(m.component(), m.working());
  if (most > 0) fill_whole(m, most);
}

}  // namespace parity::cases
