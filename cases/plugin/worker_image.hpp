// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The built-in programs that serve kernels. They are part of this program, so that it can be moved as one file.
#pragma once

#include <string>
#include <string_view>

namespace parity::cases {

/// A path that starts the built-in worker (cases/plugin/worker/main.cpp), in this process and its children.
[[nodiscard]] const std::string& worker_program();
/// The source of the worker for Python (python/parity/worker.py).
[[nodiscard]] std::string_view python_worker();
/// The C header of kernels in a shared library (cases/plugin/worker/parity_plugin.h).
[[nodiscard]] std::string_view plugin_header();

}  // namespace parity::cases
