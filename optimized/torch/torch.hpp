// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The LibTorch backend: whether this build has it, and how to install it.
#pragma once

#include <string>

#include "core/tensor.hpp"

namespace parity::torch_backend {

/// The command that installs LibTorch for the build.
inline constexpr const char* kInstall = "ci/setup.sh torch, then configure and build again";

[[nodiscard]] bool built();
/// Returns "LibTorch 2.11.0", or what is missing and how to install it. Loads LibTorch if this build has it.
[[nodiscard]] std::string description();

/// Sets during its lifetime whether results of LibTorch's kernels are copied to the callers' buffers. A user of
/// LibTorch needs no such copy, so timed calls must not include one. Only for timing: without copies the buffers have
/// old contents. LibTorch's operations with an `out` argument write to the buffer in both cases.
class Delivery {
 public:
  explicit Delivery(bool deliver);
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;
  ~Delivery();

 private:
  bool before_ = true, switched_ = true;
};

/// Runs torch::topk over the last axis, unsorted; k is the extent of `ids`. Error{device} without LibTorch.
void top_k(const TensorView& scores, const TensorView& values, const TensorView& ids);

/// Does work that frameworks do around attention, to be timed apart: builds the additive mask of `queries` in the last
/// of `slots`, or concatenates a cache anew. Error{device} without LibTorch.
void build_mask(int64_t queries, int64_t slots, DType type);
void concatenate(const TensorView& past, const TensorView& fresh);

}  // namespace parity::torch_backend
