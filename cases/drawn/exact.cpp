// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/drawn/exact.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cases/drawn/coded_cache.hpp"
#include "optimized/registry.hpp"
#include "reference/reference.hpp"

namespace parity::cases {

const Recipes& exact_recipes() {
  static const Recipes instance = [] {
    Recipes all;
    add_exact_matrices(all);
    add_exact_elementwise(all);
    add_exact_rank_rows(all);
    add_exact_choices(all);
    add_exact_attention(all);
    add_exact_coded_cache(all);
    return all;
  }();
  return instance;
}

std::string no_exact_cases(const std::string& component, DType working) {
  const auto fusions = optimized::fusions().kernels().components();
  if (std::find(fusions.begin(), fusions.end(), component) != fusions.end()) {
    for (const FusedPart& part : optimized::fusions().parts(component)) {
      const std::string reason = no_exact_cases(part.component, working);
      if (!reason.empty()) return reason;
    }
    return {};
  }
  if (component == "rotary_tables") return "cosine and sine of anything but 0 are rounded, and libraries differ";
  if ((component == "rms_norm" || component == "layer_norm") && working == DType::f32)
    return "1 / sqrt(x) is wrong by an ulp or two even for powers of four";
  const Definition& definition = reference::registry().component(component);
  if (exact_recipes().contains(component) || definition.points.empty() || most_whole(component, working) > 0) return {};
  if (definition.traits.elementwise)
    return "the component rounds even whole numbers as small as 2, and parity draws no other exact operands";
  return "parity cannot draw operands on which no operation rounds";
}

int64_t whole_numbers(DType type) {
  switch (type) {
    case DType::bf16:
      return int64_t{1} << 8;
    case DType::f16:
      return int64_t{1} << 11;
    default:
      return int64_t{1} << 24;
  }
}

double any_number(CaseMaker& m) {
  const DType type = m.working();
  const auto kind = m.from(0, 15);
  const double sign = m.coin() ? 1.0 : -1.0;
  if (kind == 0) return sign * 0.0;
  if (kind == 1) return sign * 3.0 * smallest_normal(type) * unit_roundoff(type);  // a subnormal number
  if (kind == 2) return sign * (type == DType::f16 ? 65504.0 : 0x1.FEp127);
  return std::ldexp(m.normal(), static_cast<int>(m.from(-10, 10)));
}

std::vector<int64_t> shuffled(CaseMaker& m, int64_t count) {
  std::vector<int64_t> ids(static_cast<size_t>(count));
  std::iota(ids.begin(), ids.end(), 0);
  for (int64_t i = count; i > 1; --i)
    std::swap(ids[static_cast<size_t>(i - 1)], ids[static_cast<size_t>(m.from(0, i - 1))]);
  return ids;
}

int64_t power_below(int64_t x) {
  int64_t power = 1;
  while (2 * power <= x) power *= 2;
  return power;
}

void fill_rows(CaseMaker& m, const std::string& field, const std::string& axes, int64_t width,
               const std::function<std::vector<double>()>& row) {
  std::vector<double> drawn;
  m.numbers(field, axes, m.type_of_given(field), [&](int64_t i) {
    if (i % width == 0) drawn = row();
    return drawn[static_cast<size_t>(i % width)];
  });
}

Cancelling::Cancelling(CaseMaker& m, int64_t terms) : m_(m), places_(shuffled(m, terms)) {
  constexpr int64_t kMostDigits = 4094;  // twelve binary digits, one more than tf32 has
  const int64_t sums = whole_numbers(DType::f32) / (terms * kLeft);
  most_ = std::min({sums, kMostDigits, whole_numbers(m.working())}) - 1;
}

std::vector<double> Cancelling::left(int64_t anchor) {
  std::vector<double> row(places_.size(), m_.coin() ? 1.0 : -1.0);
  row[place(0)] = static_cast<double>(anchor);
  for (int64_t p = 0; p < pairs(); ++p) {
    const auto factor = static_cast<double>(m_.from(1, kLeft) * (m_.coin() ? 1 : -1));
    row[place(2 * p + 1)] = factor;
    row[place(2 * p + 2)] = -factor;
  }
  return row;
}

std::vector<double> Cancelling::right(int64_t anchor, int64_t differing) {
  std::vector<double> row(places_.size(), differing == 0 ? 0.0 : static_cast<double>(m_.from(-1, 1)));
  row[place(0)] = static_cast<double>(anchor);
  for (int64_t p = 0; p < pairs(); ++p) {
    const int64_t factor = m_.from(-most_, most_);
    row[place(2 * p + 1)] = row[place(2 * p + 2)] = static_cast<double>(factor);
  }
  const auto order = shuffled(m_, pairs());
  for (int64_t i = 0; i < std::min(differing, pairs()); ++i)
    row[place(2 * order[static_cast<size_t>(i)] + 2)] += m_.coin() ? 1.0 : -1.0;
  return row;
}

}  // namespace parity::cases
