// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The PTX of the kernels, embedded in the library: one module for each file, named as it.
#pragma once

#include <string>
#include <string_view>

namespace parity::optimized::cuda {

/// Whether this build has a compiler of kernels; without it there are no modules.
[[nodiscard]] bool has_modules();
/// Throws Error{device}, which says what to do, if has_modules() is false.
void require_modules();
/// PTX text, ended by a NUL that is not counted, for a device of a compute capability (80, 90).
/// PARITY_CUDA_MODULES=FOLDER puts FOLDER/NAME.80.ptx or FOLDER/NAME.90a.ptx in its place, as the build writes them, and
/// says so on stderr. Error{not_found}.
[[nodiscard]] std::string_view module_text(const std::string& name, int capability);
/// Says on stderr, once for each kernel of a module that was replaced, that it is started: what a run has reached.
void say_started(const std::string& module, const std::string& kernel);

}  // namespace parity::optimized::cuda
