// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/studies/other_judges.hpp"

#include <algorithm>
#include <cmath>

#include "core/text.hpp"

namespace parity::compare {
namespace {

bool left_out(const Values& v, int64_t i) {
  if (std::isnan(v.rounded[i])) return std::isnan(v.got[i]);
  return std::isinf(v.rounded[i]) && v.got[i] == v.rounded[i];
}

/// Returns false if an element is finite on one side only.
bool same_finiteness(const Values& v) {
  for (int64_t i = 0; i < v.count; ++i) {
    if (!left_out(v, i) && !(std::isfinite(v.got[i]) && std::isfinite(v.rounded[i]))) return false;
  }
  return true;
}

/// Calls body(got, reference, i) for every element that is not left out.
template <class Body>
void for_each_pair(const Values& v, const Body& body) {
  for (int64_t i = 0; i < v.count; ++i) {
    if (!left_out(v, i)) body(v.got[i], v.rounded[i], i);
  }
}

struct Sums {
  double got = 0.0, reference = 0.0, product = 0.0, error = 0.0;  // sums of squares, products and errors, in binary64
};

Sums sums_of(const Values& v) {
  Sums s;
  for_each_pair(v, [&](double a, double b, int64_t) {
    s.got += a * a;
    s.reference += b * b;
    s.product += a * b;
    s.error += (a - b) * (a - b);
  });
  return s;
}

bool nmse_at_most(const Values& v, double most) {
  const Sums s = sums_of(v);
  if (s.error == 0.0) return same_finiteness(v);  // avoids 0 / 0 for a reference of zeros
  return same_finiteness(v) && s.error / s.reference <= most;
}

bool cosine_at_least(const Values& v, double least) {
  const Sums s = sums_of(v);
  if (s.error == 0.0) return same_finiteness(v);
  return same_finiteness(v) && s.product / std::sqrt(s.got * s.reference) >= least;
}

/// Whether 1 - 2 xy / (x^2 + y^2) is at most `most`.
bool difference_at_most(const Values& v, double most) {
  const Sums s = sums_of(v);
  const double both = s.got + s.reference;
  return same_finiteness(v) && (both == 0.0 || 1.0 - 2.0 * s.product / both <= most);
}

/// Returns the share of elements that are within `tolerance(got, reference)`.
template <class Tolerance>
double matched(const Values& v, const Tolerance& tolerance) {
  int64_t within = 0, all = 0;
  for_each_pair(v, [&](double a, double b, int64_t) {
    ++all;
    if (std::abs(a - b) <= tolerance(a, b)) ++within;
  });
  return all == 0 ? 1.0 : static_cast<double>(within) / static_cast<double>(all);
}

constexpr double kClose = 1e-2;
double close(double, double b) { return kClose + kClose * std::abs(b); }
double symmetric(double a, double b) { return 0.05 * (std::abs(a) + std::abs(b)); }

bool nmse_tight(const Values& v) { return nmse_at_most(v, 1e-7); }
bool nmse_loose(const Values& v) { return nmse_at_most(v, 5e-4); }
bool cosine_997(const Values& v) { return cosine_at_least(v, 0.997); }
bool cosine_999(const Values& v) { return cosine_at_least(v, 0.999); }
bool difference_tight(const Values& v) { return difference_at_most(v, 1e-5); }
bool difference_loose(const Values& v) { return difference_at_most(v, 1e-3); }
bool all_close(const Values& v) { return same_finiteness(v) && matched(v, close) == 1.0; }
bool all_symmetric(const Values& v) { return same_finiteness(v) && matched(v, symmetric) == 1.0; }
bool most_close(const Values& v) { return same_finiteness(v) && matched(v, close) >= 0.95; }

bool largest_error(const Values& v) {
  return same_finiteness(v) && matched(v, [](double, double) { return 2.5e-2; }) == 1.0;
}

/// Accepts at most twice the low-precision run's error. The exact values rounded once stand for the high-precision run,
/// the oracle-rounded values for the low-precision run. The published rule adds the change made by adding and
/// subtracting 0.3 in the tap's type. It covers 16-bit types only, so every tap of another type is accepted.
bool twice_the_rounded_run(const Values& v) {
  double mine = 0.0, theirs = 0.0, unit = 0.0;
  for_each_pair(v, [&](double a, double b, int64_t i) {
    const double best = round_to(v.dtype, v.exact[i]);
    mine = std::max(mine, std::abs(a - best));
    theirs = std::max(theirs, std::abs(b - best));
    unit = std::max(unit, std::abs(round_to(v.dtype, round_to(v.dtype, best + 0.3) - 0.3) - best));
  });
  const bool narrow = v.dtype == DType::bf16 || v.dtype == DType::f16;
  return same_finiteness(v) && (!narrow || mine <= 2.0 * theirs + 2.0 * unit);
}

}  // namespace

const std::vector<OtherJudge>& other_judges() {
  static const std::vector<OtherJudge> judges{
      {"nmse-1e-7", "sum (a-b)^2 / sum b^2 <= 1e-7", "llama.cpp test-backend-ops, default", &nmse_tight},
      {"nmse-5e-4", "the same <= 5e-4", "llama.cpp test-backend-ops, products", &nmse_loose},
      {"cosine-0.997", "ab / (|a| |b|) >= 0.997", "common", &cosine_997},
      {"cosine-0.999", "the same >= 0.999", "common", &cosine_999},
      {"calc-diff-1e-5", "1 - 2ab / (a^2 + b^2) <= 1e-5", "DeepGEMM calc_diff, bf16 products", &difference_tight},
      {"calc-diff-1e-3", "the same <= 1e-3", "DeepGEMM calc_diff, fp8 and logits", &difference_loose},
      {"allclose-1e-2", "every |a-b| <= 1e-2 + 1e-2 |b|", "FlashInfer-Bench, default", &all_close},
      {"matched-0.95", "the same of 95 % of the elements", "FlashInfer-Bench, low bit", &most_close},
      {"symmetric-0.05", "every |a-b| <= 0.05 (|a| + |b|)", "common", &all_symmetric},
      {"max-abs-2.5e-2", "every |a-b| <= 2.5e-2", "FlashInfer msa_ops", &largest_error},
      {"twice-rounded", "16 bits: max|a-exact| <= 2 max|b-exact| + 2 units", "FlashAttention", &twice_the_rounded_run},
  };
  return judges;
}

const OtherJudge& other_judge(const std::string& name) {
  std::vector<std::string> names;
  for (const OtherJudge& judge : other_judges()) {
    if (judge.name == name) return judge;
    names.push_back(judge.name);
  }
  throw Error(ErrorCode::not_found,
              fmt::format("acceptance rule '{}' is not known{}", name, did_you_mean(name, names)));
}

}  // namespace parity::compare
