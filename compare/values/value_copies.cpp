// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Finds wrong values that equal another tensor bit by bit in the recorded type: an input, another call or layer.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "compare/values/value_view.hpp"

namespace parity::compare {
namespace {

/// Returns element i rounded to the type of the tap.
double held(DType dtype, const TensorView& tensor, int64_t i) {
  const double number = tensor.value(i);
  return is_float(dtype) ? round_to(dtype, number) : number;
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Whether a tenth of the first few wrong elements equals `tensor`. A copy is exact, so others need no full test.
bool worth_comparing(const ValueView& view, const TensorView& tensor) {
  constexpr int64_t kFirst = 64;
  const int64_t asked = std::min(kFirst, view.wrongs());
  int64_t equal = 0;
  for (int64_t k = 0; k < asked; ++k) {
    const int64_t i = view.wrong()[static_cast<size_t>(k * view.wrongs() / asked)];
    if (same(view.got(i), held(view.query().dtype, tensor, i))) ++equal;
  }
  return 2 * equal >= asked;
}

}  // namespace

std::vector<Claim> claims_of_copies(const ValueView& view) {
  std::vector<Claim> claims;
  const double cost = std::log2(static_cast<double>(view.query().others.size()) + 1.0);
  for (const OtherTensor& other : view.query().others) {
    const Tensor tensor = other.read();
    if (tensor.empty() || tensor.view().count() != view.query().count || !worth_comparing(view, tensor.view()))
      continue;
    Claim claim;
    const bool input = other.role == OtherTensor::Role::input;
    claim.kind = input ? ValueKind::input : ValueKind::stale;
    claim.axis = view.axis();
    const std::string place = view.place();
    claim.detail =
        fmt::format("{}equals {}{}", place == "every element" ? "" : place + " ", input ? "input " : "", other.name);
    for (const int64_t i : view.wrong()) {
      if (!same(view.got(i), held(view.query().dtype, tensor.view(), i))) continue;
      ++claim.explained;
      claim.evidence += view.surprise(view.got(i), 0.0);
    }
    claim.evidence -= cost;
    claims.push_back(std::move(claim));
  }
  return claims;
}

}  // namespace parity::compare
