// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where parameters come from: a source returns views by published tensor name; a bank returns one expert at a time.
#pragma once

#include <string>
#include <vector>

#include "core/error.hpp"
#include "core/tensor.hpp"

namespace parity {

/// Type and shape of a stored tensor.
struct StoredInfo {
  DType dtype = DType::f32;
  Shape shape;
};

/// Parameters by published name: from mmapped safetensors, decoded FP8, or synthetic.
class WeightSource {
 public:
  virtual ~WeightSource() = default;
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  [[nodiscard]] virtual bool contains(const std::string& name) const = 0;
  /// A view, valid as long as the source. Throws Error{not_found} with the missing tensor and the nearest present one.
  [[nodiscard]] virtual TensorView tensor(const std::string& name) const = 0;
  [[nodiscard]] virtual StoredInfo describe(const std::string& name) const {
    const TensorView stored = tensor(name);
    return {stored.dtype, stored.shape};
  }
  /// Writes the parameter's numbers to `target`: count() of them, row-major, decoded; nothing is cached.
  virtual void read(const std::string& name, double* target) const {
    const TensorView stored = tensor(name);
    PARITY_CHECK(stored.dtype != DType::e4m3fn, schema,
                 "checkpoint tensor {} holds 8-bit codes, but config.json has no 'quantization_config'", name);
    for (int64_t i = 0, n = stored.count(); i < n; ++i) target[i] = stored.value(i);
  }
};

/// A family of parameters of equal shape (the experts of a layer), of which only one member need be in memory.
class WeightBank {
 public:
  virtual ~WeightBank() = default;
  [[nodiscard]] virtual int64_t size() const = 0;
  /// Member `index` in the reader's type; its memory is freed with the last copy of the Tensor.
  [[nodiscard]] virtual Tensor member(int64_t index) const = 0;
};

}  // namespace parity
