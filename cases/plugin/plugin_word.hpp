// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The word of --kernel that names a kernel in a process of its own: "python:mine.py::swiglu=silu".
#pragma once

#include <string>

#include "cases/plugin/worker_process.hpp"

namespace parity::cases {

class PluginWord {
 public:
  /// Error{usage} for a word of another form, and for a file that does not exist.
  explicit PluginWord(const std::string& word);

  [[nodiscard]] const WorkerSource& source() const { return source_; }
  /// What follows "="; empty: the kernel says what it computes.
  [[nodiscard]] const std::string& component() const { return component_; }

 private:
  WorkerSource source_;
  std::string component_;
};

}  // namespace parity::cases
