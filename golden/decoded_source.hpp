// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A quantised checkpoint as parameters: 8-bit codes are multiplied by their block's scale while they are read.
#pragma once

#include <string>
#include <vector>

#include "core/weights.hpp"

namespace parity::golden {

/// Decodes e4m3 tensors "X" with scales "X_scale_inv": u8 exponents (MXFP8) or binary32 factors (FP8). As the package does,
/// blocks are what the grid of scales divides the tensor into. Everything else passes.
class DecodedSource : public WeightSource {
 public:
  explicit DecodedSource(const WeightSource& stored) : stored_(stored) {}

  [[nodiscard]] std::vector<std::string> names() const override { return stored_.names(); }  // scales too
  [[nodiscard]] bool contains(const std::string& name) const override { return stored_.contains(name); }
  [[nodiscard]] TensorView tensor(const std::string& name) const override { return stored_.tensor(name); }  // codes
  void read(const std::string& name, double* target) const override;

  /// Codes without scales and scales without codes, grids that do not divide their tensor, scales that are NaN or
  /// infinite (u8: 255): one line each, with the tensor's name.
  [[nodiscard]] std::vector<std::string> problems() const;

 private:
  [[nodiscard]] TensorView scales_of(const std::string& name, const TensorView& codes) const;

  const WeightSource& stored_;
};

}  // namespace parity::golden
