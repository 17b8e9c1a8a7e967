// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What an option takes that says whose values or kernels are meant: its own words and the backends of this build.
#pragma once

#include <string>
#include <vector>

namespace parity::cli {

class Choices {
 public:
  Choices(std::vector<std::string> before, const std::vector<std::string>& backends,
          const std::vector<std::string>& after);
  /// "golden | reference | cpu | fault:ID", for a help text.
  [[nodiscard]] std::string text() const;
  /// Error{device} for a backend that this build or machine lacks, Error{usage} for other words.
  [[noreturn]] void refuse(const std::string& option, const std::string& given) const;

 private:
  std::vector<std::string> words_;
};

/// Of `run`, `repro` and `explain`.
[[nodiscard]] Choices judged_values();
/// Of `selftest`: backends with their fused kernels.
[[nodiscard]] Choices planted_kernels();
/// Of `relations`.
[[nodiscard]] Choices related_kernels();
/// Of `battery`.
[[nodiscard]] Choices battery_kernels();

}  // namespace parity::cli
