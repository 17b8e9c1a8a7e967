// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Calls kernels of a shared library through parity_plugin.h.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cases/plugin/worker/crash.hpp"
#include "cases/plugin/worker/memory.hpp"
#include "cases/plugin/worker/parity_plugin.h"

namespace parity::worker {

class Library {
 public:
  /// Loads it. Throws std::runtime_error that says what it lacks.
  explicit Library(const std::string& file);

  [[nodiscard]] nlohmann::json describe() const;
  void give_memory(std::unique_ptr<Mapping> inputs, std::unique_ptr<Mapping> outputs);
  /// Runs one call. Throws std::exception with the text of the kernel or of what is wrong with the question.
  void call(const nlohmann::json& question);

 private:
  struct Operands {
    std::vector<parity_operand> list;
    std::deque<std::vector<int64_t>> extents;  // of the tensors
    std::deque<std::string> texts;
  };
  [[nodiscard]] Operands operands(const nlohmann::json& list, const Mapping& memory, const char* side);
  [[nodiscard]] const parity_kernel& kernel(const std::string& component, const std::string& type) const;

  const parity_plugin* plugin_ = nullptr;
  std::unique_ptr<Mapping> inputs_, outputs_;
  std::vector<Area> areas_;
};

}  // namespace parity::worker
