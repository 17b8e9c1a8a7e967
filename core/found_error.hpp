// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// An error with what a machine found wrong with a kernel: one line for logs, and a block of lines for each finding.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"

namespace parity {

class FoundError : public Error {
 public:
  using Lines = std::vector<std::string>;

  /// `message` holds the findings, too. `headline` says how many there are, and where.
  FoundError(ErrorCode code, const std::string& message, std::string headline, std::vector<Lines> findings)
      : Error(code, message), headline_(std::move(headline)), findings_(std::move(findings)) {}

  [[nodiscard]] const std::string& headline() const { return headline_; }
  [[nodiscard]] const std::vector<Lines>& findings() const { return findings_; }

 private:
  std::string headline_;
  std::vector<Lines> findings_;
};

}  // namespace parity
