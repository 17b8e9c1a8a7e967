// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The words that an option for a candidate or a kernel accepts: fixed words and the backends of this build.
#pragma once

#include <string>
#include <vector>

namespace parity::cli {

class Choices {
 public:
  Choices(std::vector<std::string> before, const std::vector<std::string>& backends,
          const std::vector<std::string>& after);
  /// Returns the words as a help text shows them: "golden | reference | cpu | fault:ID".
  [[nodiscard]] std::string text() const;
  /// Throws Error{device} for a backend that this build or machine lacks, Error{usage} for any other word.
  [[noreturn]] void refuse(const std::string& option, const std::string& given) const;

 private:
  std::vector<std::string> words_;
};

/// Words for --candidate of `run`, `repro` and `explain`.
[[nodiscard]] Choices judged_values();
/// Words for --candidate of `selftest`: backends, also with their fused kernels.
[[nodiscard]] Choices planted_kernels();
/// Words for --candidate of `relations`.
[[nodiscard]] Choices related_kernels();
/// Words for --kernel of `battery`.
[[nodiscard]] Choices battery_kernels();

}  // namespace parity::cli
