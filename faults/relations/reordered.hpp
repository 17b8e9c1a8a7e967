// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A checkpoint whose rows or columns stand in another order, some with the other sign: the same model, differently laid out.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/weights.hpp"

namespace parity::faults {

/// Along `axis` of every tensor that matches: out[i] = x[from[i]], negated where `negated` says so (empty: nowhere).
struct Reorder {
  std::string tensor;  // a glob over published names
  size_t axis = 0;
  std::vector<int64_t> from;
  std::vector<bool> negated{};
};

/// 0, 1, …, n - 1 moved on by `by`: position i is read from i - by, around the ends.
[[nodiscard]] std::vector<int64_t> moved_on(int64_t n, int64_t by);

/// `x` with the positions along `axis` in another order (row-major, contiguous, same dtype).
[[nodiscard]] Tensor reordered(const TensorView& x, const Reorder& order);

/// `inner` must outlive it; any number of threads may read.
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
  mutable std::map<std::string, Tensor> changed_;  // what tensor() handed out
};

}  // namespace parity::faults
