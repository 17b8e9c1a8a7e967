// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// PTX of a kernel that is not in this tree: compiled from CUDA C++ by nvcc, or read as it is.
#pragma once

#include <filesystem>
#include <string>

#include "optimized/ptx/text/module.hpp"

namespace parity::cases {

/// Compiles the file with source lines. Throws Error{usage} if there is no such file, or with nvcc's first error if it
/// refuses it; Error{device} if there is no nvcc, Error{unsupported} if it takes too long.
[[nodiscard]] std::string ptx_of_cuda(const std::filesystem::path& file, double timeout_s = 300.0);
/// Error{usage} if there is no such file, or if it is too large.
[[nodiscard]] std::string read_ptx(const std::filesystem::path& file);

/// The kernel that `name` means: its name in the PTX, or as the source has it, with or without namespaces and template
/// arguments ("silu", "mine::silu<float>"). Error{usage} with the names that there are, if none or several fit.
[[nodiscard]] const ptx::Function& find_kernel(const ptx::Module& module, const std::string& name);

}  // namespace parity::cases
