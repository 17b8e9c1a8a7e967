// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The LibTorch backend: whether this build has it, and what to do when not.
#pragma once

#include <string>

#include "core/tensor.hpp"

namespace parity::torch_backend {

/// The one command that installs LibTorch for the build.
inline constexpr const char* kInstall = "ci/setup.sh torch, then configure and build again";

[[nodiscard]] bool built();
/// "LibTorch 2.11.0", or what is missing and what to do. Loads LibTorch when it was built with it.
[[nodiscard]] std::string description();

/// While it lives, finished results of LibTorch's kernels stay where LibTorch put them (or are brought to the callers'
/// buffers again): a user of LibTorch does not pay for that copy, so no time may hold it. For timing alone: buffers hold
/// what an earlier call left there. Operations that LibTorch gives an `out` write into the buffer either way.
class Delivery {
 public:
  explicit Delivery(bool deliver);
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;
  ~Delivery();

 private:
  bool before_ = true, switched_ = true;
};

/// The bare torch::topk over the last axis, unsorted: as many as `values` and `ids` hold. Error{device} without LibTorch.
void top_k(const TensorView& scores, const TensorView& values, const TensorView& ids);

/// What frameworks do around attention, to be timed apart from it: the additive mask of `queries` in the last of `slots`,
/// and a cache that is concatenated anew. Error{device} without LibTorch.
void build_mask(int64_t queries, int64_t slots, DType type);
void concatenate(const TensorView& past, const TensorView& fresh);

}  // namespace parity::torch_backend
