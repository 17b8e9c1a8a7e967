// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Check whether a golden is complete and conforms to its format. All its elements are read once.
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
  std::string path;  // dataset or group; empty: the golden
  std::string message;
};

struct VerifyReport {
  std::filesystem::path path;
  bool ok = true;  // whether no finding is an error
  std::vector<Finding> findings;
  int64_t datasets = 0;
  int64_t bytes = 0;  // of all elements that were read

  void add(Severity severity, const std::string& where, const std::string& message);
};

/// Checks the golden at `path`. Never throws Error: every problem, even a missing file, becomes a finding.
[[nodiscard]] VerifyReport verify(const std::filesystem::path& path);

/// The facts that `parity golden info` prints.
struct GoldenInfo {
  std::string name;
  std::filesystem::path folder;
  RootFacts facts;
  Attributes attributes;
  std::vector<StepInfo> steps;
  int64_t datasets = 0;  // number of datasets, each counted once
  int64_t aliases = 0;   // number of their further names
  int64_t stored_bytes = 0;
  std::map<std::string, int64_t> datasets_by_dtype;
  int64_t weights = 0;  // number of tensors; 0 without a checkpoint
  int64_t weight_bytes = 0;
  std::map<std::string, std::string> sha256;  // of every file, by its path in the folder
  std::vector<std::string> warnings;
};

/// Facts about a golden. Throws Error when it cannot be opened.
[[nodiscard]] GoldenInfo info(const std::filesystem::path& path);

}  // namespace parity::golden
