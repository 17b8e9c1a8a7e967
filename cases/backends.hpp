// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The backends whose kernels this build has: "cpu", "torch", "torch:mask". With ":fused" appended: with fused kernels.
#pragma once

#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/registry.hpp"
#include "optimized/backends.hpp"
#include "replay/execution/native.hpp"

namespace parity::cases {

/// Returns the names of backends that have kernels, with their variants.
[[nodiscard]] std::vector<std::string> backends();
/// Returns the names of backends without and with fused kernels, as accepted by commands that run kernels.
[[nodiscard]] std::vector<std::string> candidates();
[[nodiscard]] bool is_backend(const std::string& candidate);
/// Whether the name asks for the backend's fused kernels: "cpu:fused".
[[nodiscard]] bool is_fused(const std::string& candidate);
/// Whether the name is a backend, with or without ":fused".
[[nodiscard]] bool has_kernels(const std::string& candidate);
/// Returns the name without ":fused": "cpu" for "cpu:fused".
[[nodiscard]] std::string without_fused(const std::string& candidate);
/// Returns the kernel variant: the type's name, and for "torch:mask" with "-mask" appended.
[[nodiscard]] std::string variant_of(const std::string& backend, DType working);
/// Returns the library of a backend: "torch" for "torch:mask".
[[nodiscard]] std::string library_of(const std::string& backend);

/// Returns the backend that a candidate names, or nullptr.
[[nodiscard]] const optimized::Backend* backend_of(const std::string& candidate);
/// Throws Error{device} or Error{usage} if the backend cannot be used. Call it before kernels run on other threads.
void require(const std::string& candidate);

/// Returns the backend's kernels for a working type, without fused ones. Empty if it has none. The table is built once.
[[nodiscard]] const replay::KernelTable& kernels_of(const std::string& backend, DType working);

/// A kernel and the definition of what it computes. Both are nullptr if there is no kernel.
struct NativeKernel {
  const KernelEntry* entry = nullptr;
  const Definition* definition = nullptr;
};
/// Returns a backend's kernel of the component, or its fused kernel of the chain if ":fused" is appended.
[[nodiscard]] NativeKernel native_kernel(const std::string& backend, const std::string& component, DType working);

}  // namespace parity::cases
