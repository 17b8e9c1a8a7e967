// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Converts a walker's finding to Values, in one function for judge and studies, so that both judge alike.
#pragma once

#include <algorithm>

#include "compare/judging/tolerance.hpp"

namespace parity::compare {

/// Returns the values of a finding for the tolerance. `got`: in binary64, `dtype`: as recorded; all must outlive it.
[[nodiscard]] inline Values values_of(const replay::Finding& finding, const Tensor& got, DType dtype, DType working,
                                      double chain_drift) {
  const replay::TapValue& value = finding.outcome->outputs.at(finding.field);
  const Shape& shape = finding.recorded.shape();
  Values values;
  values.exact = value.exact.f64();
  values.rounded = value.rounded.f64();
  values.got = got.f64();
  values.rounding = value.rounding.f64();
  values.noise = value.noise.f64();
  values.count = got.view().count();
  values.row = shape.empty() ? 1 : std::max<int64_t>(shape.back(), 1);
  values.dtype = dtype;
  values.working = working;
  values.inherited = finding.inherited;
  values.binary32 = finding.binary32;
  values.chain_drift = chain_drift;
  return values;
}

}  // namespace parity::compare
