// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where parameters come from: a source hands out views by published tensor name; a bank hands out one expert at a time.
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/tensor.hpp"

namespace parity {

/// What is known of a stored tensor without its numbers.
struct StoredInfo {
  DType dtype = DType::f32;
  Shape shape;
};

/// Parameters under their published names (mmapped safetensors, decoded FP8, synthetic).
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  [[nodiscard]] virtual bool contains(const std::string& name) const = 0;
  /// A view valid as long as the source; Error{not_found} names the missing tensor and the nearest present one.
  [[nodiscard]] virtual TensorView tensor(const std::string& name) const = 0;
  [[nodiscard]] virtual StoredInfo describe(const std::string& name) const {
    const TensorView stored = tensor(name);
    return {stored.dtype, stored.shape};
  }
  /// The parameter's numbers, count() of them in row-major order: what is encoded is decoded, nothing is kept.
  virtual void read(const std::string& name, double* target) const {
    const TensorView stored = tensor(name);
    PARITY_CHECK(stored.dtype != DType::e4m3fn, schema,
                 "checkpoint tensor {} holds 8-bit codes, but config.json has no 'quantization_config'", name);
    for (int64_t i = 0, n = stored.count(); i < n; ++i) target[i] = stored.value(i);
  }
};

/// A family of equally shaped parameters of which only one member need be resident (experts of a layer).
class WeightBank {
 public:
  virtual ~WeightBank() = default;
  [[nodiscard]] virtual int64_t size() const = 0;
  /// Member `index` in the reader's own type; freed when the Tensor goes out of scope.
  [[nodiscard]] virtual Tensor member(int64_t index) const = 0;
};

}  // namespace parity
