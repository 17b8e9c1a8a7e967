// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One call of a kernel that is not in this tree, as its binding says.
#pragma once

#include <memory>
#include <string>

#include "cases/foreign/binding.hpp"
#include "cases/foreign/values.hpp"
#include "optimized/ptx/machine/program.hpp"

namespace parity::cases {

/// Error{usage} that names the argument, if the binding's arguments are not the kernel's parameters in number and size.
void check_parameters(const Binding& binding, const ptx::Function& kernel);

/// A kernel of a program, and the file that errors name.
struct BoundKernel {
  std::shared_ptr<const Binding> binding;
  std::shared_ptr<const ptx::Program> program;
  std::string source;
  const ptx::Function* kernel = nullptr;  // of the program
};

/// Launches it at the place of the context, which is one of the backend cuda-host. Nothing is launched where the grid
/// is empty. Error{unsupported} for a grid, a block or shared memory beyond what a device has.
void launch_bound(const BoundKernel& bound, const CallValues& values, Context& context);

}  // namespace parity::cases
