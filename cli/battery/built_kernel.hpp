// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The kernel that a request of `parity judge` names or holds as source, built.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "golden/files/temporary_folder.hpp"

namespace parity::cli {

class BuiltKernel {
 public:
  /// `request` has "kernel" (a word of --kernel), or "source" with "language": c, c++ or python. Error{usage} with the
  /// compiler's first error.
  explicit BuiltKernel(const nlohmann::ordered_json& request);

  [[nodiscard]] const std::string& word() const { return word_; }
  /// What the compiler took.
  [[nodiscard]] double milliseconds() const { return milliseconds_; }

 private:
  void build(const std::string& source, const std::string& language);

  std::string word_;
  double milliseconds_ = 0.0;
  std::optional<golden::TemporaryFolder> folder_;  // as long as the kernel is judged
};

}  // namespace parity::cli
