// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A quantised checkpoint as parameters: each 8-bit code is multiplied by the scale of its block when it is read.
#pragma once

#include <string>
#include <vector>

#include "core/weights.hpp"

namespace parity::golden {

/// Decodes e4m3 tensors "X" with scales "X_scale_inv": u8 exponents (MXFP8) or binary32 factors (FP8). As in the
/// package, the tensor is divided into equal blocks, one per scale. Other tensors are returned unchanged.
class DecodedSource : public WeightSource {
 public:
  explicit DecodedSource(const WeightSource& stored) : stored_(stored) {}

  [[nodiscard]] std::vector<std::string> names() const override { return stored_.names(); }  // includes the scales
  [[nodiscard]] bool contains(const std::string& name) const override { return stored_.contains(name); }
  [[nodiscard]] TensorView tensor(const std::string& name) const override { return stored_.tensor(name); }  // as stored
  void read(const std::string& name, double* target) const override;

  /// One line with the tensor's name for each problem: codes without scales, scales without codes, grids of scales that
  /// do not divide their tensor, and scales that are NaN or infinite (u8: 255).
  [[nodiscard]] std::vector<std::string> problems() const;

 private:
  [[nodiscard]] TensorView scales_of(const std::string& name, const TensorView& codes) const;

  const WeightSource& stored_;
};

}  // namespace parity::golden
