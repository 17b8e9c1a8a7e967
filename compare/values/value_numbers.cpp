// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds wrong values that each element shows by itself: unwritten, zero, constant or negated.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include <fmt/format.h>

#include "compare/judging/marked.hpp"
#include "compare/values/value_view.hpp"

namespace parity::compare {
namespace {

/// Returns the evidence, in bits, of `count` elements with one given pattern of their type.
double bits_of_a_pattern(const ValueView& view, int64_t count) {
  constexpr double kBitsPerByte = 8.0;
  return static_cast<double>(count * size_of(view.query().dtype)) * kBitsPerByte;
}

bool verb_is_singular(const ValueView& view) {
  return std::all_of(view.region().parts.begin(), view.region().parts.end(),
                     [](const Positions& part) { return !part.telling() || part.kind == Positions::Kind::one; });
}

std::string sentence(const ValueView& view, const std::string& what) {
  return fmt::format("{} {} {}", view.place(), verb_is_singular(view) ? "is" : "are", what);
}

/// Whether `number` is a common fill pattern of memory: equal bytes (0xCD, 0xFF …), or letters that form a word.
bool is_fill_pattern(DType dtype, double number) {
  const auto bytes = static_cast<size_t>(size_of(dtype));
  if (bytes < 2) return false;
  constexpr double kRound = 8.0;  // eighths of small numbers are ordinary values: 3 in bf16 is 0x4040
  if (std::abs(number) <= kRound && number * kRound == std::trunc(number * kRound)) return false;
  std::array<std::byte, sizeof(double)> held{};
  if (!is_float(dtype)) {
    const auto integer = static_cast<int64_t>(number);
    if (integer == -1) return false;  // means "no id"
    std::memcpy(held.data(), &integer, bytes);
  } else {
    store_element(dtype, held.data(), number);
  }
  if (held[0] != std::byte{0} &&
      std::all_of(held.begin(), held.begin() + static_cast<int64_t>(bytes), [&](std::byte b) { return b == held[0]; }))
    return true;
  uint32_t word = 0;
  std::memcpy(&word, held.data(), std::min(bytes, sizeof(word)));
  for (const uint32_t known : {0xDEADBEEFU, 0xBAADF00DU, 0xFEEDFACEU, 0xCAFEBABEU, 0xDEADU, 0xBEEFU}) {
    if (word == known) return true;
  }
  return false;
}

/// Whether `number` is far beyond the values of the tap, such as a poison value that was never overwritten.
bool is_poison(const ValueView& view, double number) {
  constexpr double kBeyond = 0x1p20;  // times the largest expected magnitude; a formula of a model never gives more
  return std::isfinite(number) && std::abs(number) > kBeyond * std::max(view.largest(), 1.0);
}

void add_nan(const ValueView& view, std::vector<Claim>& claims) {
  const auto nan =
      std::count_if(view.wrong().begin(), view.wrong().end(), [&](int64_t i) { return std::isnan(view.got(i)); });
  if (nan == 0 || view.region().scattered()) return;
  const char* several = nan == 1 ? "" : "s";
  std::string what = fmt::format("{} element{} not written (NaN)", nan, several);
  ValueKind kind = ValueKind::unwritten;
  if (const TensorView* stored = view.query().marked; stored != nullptr) {
    const auto marked = std::count_if(view.wrong().begin(), view.wrong().end(),
                                      [&](int64_t i) { return std::isnan(view.got(i)) && is_marked(*stored, i); });
    if (marked == 0) kind = ValueKind::nan;
    what = marked == nan ? fmt::format("{} element{} never written", nan, several)
           : marked == 0
               ? fmt::format("{} element{} NaN, which the kernel computed", nan, several)
               : fmt::format("{} of {} elements never written, the others NaN, which the kernel computed", marked, nan);
  }
  claims.push_back({kind, view.axis(), what + ": " + view.place(), nan, bits_of_a_pattern(view, nan)});
}

/// Returns the number that most wrong elements have.
double commonest(const ValueView& view) {
  std::vector<double> numbers;
  for (const int64_t i : view.wrong()) {
    if (!std::isnan(view.got(i))) numbers.push_back(view.got(i));
  }
  if (numbers.empty()) return std::nan("");
  // A claim needs nearly all elements, so the median is the number sought, if there is one.
  const auto middle = numbers.begin() + static_cast<int64_t>(numbers.size() / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

void add_constant(const ValueView& view, std::vector<Claim>& claims) {
  const double number = commonest(view);
  if (std::isnan(number)) return;
  const auto equal =
      std::count_if(view.wrong().begin(), view.wrong().end(), [&](int64_t i) { return view.got(i) == number; });
  constexpr size_t kIds = 3;
  if (!is_float(view.query().dtype) && !view.expects_several(kIds)) return;
  if (number == 0.0) {
    const double evidence = static_cast<double>(equal) * view.surprise(0.0, 0.0);
    const double least = is_float(view.query().dtype) ? bits_of_a_pattern(view, 1) : 0.0;  // evidence of an exact 0
    claims.push_back({ValueKind::zero, view.axis(), sentence(view, "zero"), equal, std::max(evidence, least)});
    return;
  }
  const bool fill = is_fill_pattern(view.query().dtype, number);
  if (fill || is_poison(view, number)) {
    const std::string what = fmt::format("{} element{} not written ({}{:g}): {}", equal, equal == 1 ? "" : "s",
                                         fill ? "a pattern of memory, " : "", number, view.place());
    claims.push_back({ValueKind::unwritten, view.axis(), what, equal, bits_of_a_pattern(view, equal)});
    return;
  }
  // If the same number is expected everywhere, any constant could also be a scaled or renamed one.
  if (equal < 2 || !view.expects_several(2)) return;
  const double evidence = static_cast<double>(equal - 1) * std::max(1.0, view.surprise(number, 0.0));
  claims.push_back(
      {ValueKind::constant, view.axis(), sentence(view, fmt::format("{:g} everywhere", number)), equal, evidence});
}

void add_negated(const ValueView& view, std::vector<Claim>& claims) {
  std::vector<int64_t> holds;
  for (const int64_t i : view.wrong()) {
    if (view.is_expected(-view.got(i), i)) holds.push_back(i);
  }
  if (holds.empty()) return;
  claims.push_back({ValueKind::negated, view.axis(), sentence(view, "negated"), static_cast<int64_t>(holds.size()),
                    view.surprise_of(holds)});
}

}  // namespace

std::vector<Claim> claims_of_numbers(const ValueView& view) {
  std::vector<Claim> claims;
  add_nan(view, claims);
  add_constant(view, claims);
  add_negated(view, claims);
  return claims;
}

}  // namespace parity::compare
