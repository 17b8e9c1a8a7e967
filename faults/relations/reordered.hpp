// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A checkpoint with permuted rows or columns, some negated: another layout of an equivalent model.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/weights.hpp"

namespace parity::faults {

/// Permutes every matching tensor along `axis`: out[i] = x[from[i]], negated if negated[i] (empty: none).
struct Reorder {
  std::string tensor;  // a glob over published names
  size_t axis = 0;
  std::vector<int64_t> from;
  std::vector<bool> negated{};
};

/// Returns the order 0, 1, …, n - 1 rotated by `by`: position i is read from i - by, wrapping around.
[[nodiscard]] std::vector<int64_t> moved_on(int64_t n, int64_t by);

/// Returns `x` permuted along the order's axis (row-major, contiguous, equal dtype).
[[nodiscard]] Tensor reordered(const TensorView& x, const Reorder& order);

/// A checkpoint under several orders. `inner` must outlive it. Several threads may read at once.
class ReorderedWeights : public WeightSource {
 public:
  ReorderedWeights(const WeightSource& inner, std::vector<Reorder> orders)
      : inner_(inner), orders_(std::move(orders)) {}

  [[nodiscard]] std::vector<std::string> names() const override { return inner_.names(); }
  [[nodiscard]] bool contains(const std::string& name) const override { return inner_.contains(name); }
  [[nodiscard]] TensorView tensor(const std::string& name) const override;

 private:
  const WeightSource& inner_;
  std::vector<Reorder> orders_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Tensor> changed_;  // tensors that tensor() returned
};

}  // namespace parity::faults
