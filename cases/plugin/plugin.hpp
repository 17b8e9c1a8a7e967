// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Kernels out of the tree as a backend: "lib:./k.so", "python:mine.py::silu", "op:mine.so::ns::silu", "fd:5".
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "cases/plugin/kernel_process.hpp"
#include "core/registry.hpp"

namespace parity::cases {

/// Whether the word names kernels in a process of their own.
[[nodiscard]] bool is_plugin(const std::string& word);
/// The forms of such words, for help texts.
[[nodiscard]] std::vector<std::string> plugin_forms();

class Plugin {
 public:
  /// The plug-in of this word. Its worker is started with the first use of the word, which throws Error{usage} for a
  /// file that does not exist, cannot be loaded or computes no known component.
  [[nodiscard]] static const Plugin& named(const std::string& word);
  /// The same with workers of its own, which end with the object.
  explicit Plugin(const std::string& word);
  Plugin(const Plugin&) = delete;
  Plugin& operator=(const Plugin&) = delete;

  /// From the question to the answer, of the last call that this thread made.
  [[nodiscard]] static double seconds_of_last_call();

  /// Its kernels: backend and variant are the word and the working type.
  [[nodiscard]] const Registry& kernels() const { return registry_; }
  [[nodiscard]] const Described& description() const { return described_; }

 private:
  class Pool;
  void add(const std::string& word, const DescribedKernel& kernel);

  Described described_;
  std::shared_ptr<Pool> pool_;
  Registry registry_;
};

}  // namespace parity::cases
