// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The machine and the build that made a result, so that two reports can be compared, or the comparison refused.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace parity {

struct Environment {
  std::string version;     // of parity
  std::string build_type;  // Release, Debug, …
  std::string compiler;
  std::string flags;
  std::string os;
  std::string cpu;
  int64_t threads = 0;  // hardware threads
  int64_t memory_bytes = 0;
  std::vector<std::pair<std::string, std::string>> libraries;  // name, version
  std::string when;                                            // UTC, ISO 8601
};

[[nodiscard]] Environment capture_environment();
/// Largest resident set of this process so far, in bytes.
[[nodiscard]] int64_t peak_resident_bytes();

}  // namespace parity
