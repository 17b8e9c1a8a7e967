// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The backends whose kernels this build has: "cpu", "torch", "torch:mask"; with their fused ones "cpu:fused".
#pragma once

#include <string>
#include <vector>

#include "core/dtype.hpp"
#include "core/registry.hpp"
#include "optimized/backends.hpp"
#include "replay/native.hpp"

namespace parity::cases {

/// Those that have kernels, with their variants.
[[nodiscard]] std::vector<std::string> backends();
/// The same, and with their fused kernels: what a command that runs kernels takes.
[[nodiscard]] std::vector<std::string> candidates();
[[nodiscard]] bool is_backend(const std::string& candidate);
/// The backend's fused kernels are asked for: "cpu:fused".
[[nodiscard]] bool is_fused(const std::string& candidate);
/// A backend, or one that has fused kernels with them.
[[nodiscard]] bool has_kernels(const std::string& candidate);
/// "cpu" of "cpu:fused".
[[nodiscard]] std::string without_fused(const std::string& candidate);
/// "torch:mask" is the variant of each type with "-mask" after it; "torch" the plain ones.
[[nodiscard]] std::string variant_of(const std::string& backend, DType working);
/// "torch" of "torch:mask".
[[nodiscard]] std::string library_of(const std::string& backend);

/// The backend of the table that a candidate names; nullptr when it names none.
[[nodiscard]] const optimized::Backend* backend_of(const std::string& candidate);
/// Error{device} or Error{usage} when the backend cannot be used: here, and not on a kernel's thread.
void require(const std::string& candidate);

/// The backend's kernels for this working type, without fused ones; the same every time. Empty when it has none.
[[nodiscard]] const replay::KernelTable& kernels_of(const std::string& backend, DType working);

/// A kernel and what it computes; nothing where there is none.
struct NativeKernel {
  const KernelEntry* entry = nullptr;
  const Definition* definition = nullptr;
};
/// A backend's kernel of the component, or with ":fused" after its name of the chain.
[[nodiscard]] NativeKernel native_kernel(const std::string& backend, const std::string& component, DType working);

}  // namespace parity::cases
