// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Is a golden whole and what its format promises? Everything in it is read once.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "golden/golden.hpp"

namespace parity::golden {

enum class Severity : uint8_t { error, warning, info };
[[nodiscard]] const char* to_string(Severity severity);

struct Finding {
  Severity severity;
  std::string path;  // of the dataset or group; empty: the golden
  std::string message;
};

struct VerifyReport {
  std::filesystem::path path;
  bool ok = true;  // no finding is an error
  std::vector<Finding> findings;
  int64_t datasets = 0;
  int64_t bytes = 0;  // of elements that were read

  void add(Severity severity, const std::string& where, const std::string& message);
};

/// Never throws Error: whatever is wrong, a missing file included, is a finding.
[[nodiscard]] VerifyReport verify(const std::filesystem::path& path);

/// For `parity golden info`.
struct GoldenInfo {
  std::string name;
  std::filesystem::path folder;
  RootFacts facts;
  Attributes attributes;
  std::vector<StepInfo> steps;
  int64_t datasets = 0;  // objects
  int64_t aliases = 0;   // further names of them
  int64_t stored_bytes = 0;
  std::map<std::string, int64_t> datasets_by_dtype;
  int64_t weights = 0;  // tensors; 0 when there is no checkpoint
  int64_t weight_bytes = 0;
  std::map<std::string, std::string> sha256;  // of every file, by its path in the folder
  std::vector<std::string> warnings;
};

/// Error when the golden cannot be opened.
[[nodiscard]] GoldenInfo info(const std::filesystem::path& path);

}  // namespace parity::golden
