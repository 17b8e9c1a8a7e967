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

/// What frameworks do around attention, to be timed apart from it: the additive mask of `queries` in the last of `slots`,
/// and a cache that is concatenated anew. Error{device} without LibTorch.
void build_mask(int64_t queries, int64_t slots, DType type);
void concatenate(const TensorView& past, const TensorView& fresh);

}  // namespace parity::torch_backend
