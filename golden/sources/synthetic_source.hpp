// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Parameters that are drawn instead of stored: a checkpoint of published size in a few kilobytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/weights.hpp"

namespace parity::golden {

struct SyntheticTensor {
  DType dtype = DType::bf16;
  Shape shape;
  double spread = 1.0;  // standard deviation
};

/// Parameters from random numbers. Element i is one of 256 quantiles of the normal distribution times `spread`, rounded
/// to the tensor's type; counter-based random bits of (seed, name, i) choose the quantile, so order does not matter.
class SyntheticSource : public WeightSource {
 public:
  SyntheticSource(uint64_t seed, std::map<std::string, SyntheticTensor> tensors);
  /// Reads a synthetic.json: {"seed": 1, "tensors": {"name": {"dtype": "bf16", "shape": [6144], "spread": 0.2}, …}}.
  /// Error{schema} names the wrong entry.
  [[nodiscard]] static SyntheticSource open(const std::filesystem::path& file);
  [[nodiscard]] std::string json() const;

  [[nodiscard]] std::vector<std::string> names() const override;
  [[nodiscard]] bool contains(const std::string& name) const override { return tensors_.contains(name); }
  [[nodiscard]] StoredInfo describe(const std::string& name) const override;
  /// A view of the tensor, which is made at the first call and kept; for small checkpoints and for writing files.
  [[nodiscard]] TensorView tensor(const std::string& name) const override;
  void read(const std::string& name, double* target) const override;

 private:
  [[nodiscard]] const SyntheticTensor& at(const std::string& name) const;

  uint64_t seed_;
  std::map<std::string, SyntheticTensor> tensors_;
  mutable std::map<std::string, Tensor> made_;
  mutable std::unique_ptr<std::mutex> mutex_ = std::make_unique<std::mutex>();
};

}  // namespace parity::golden
