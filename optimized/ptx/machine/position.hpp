// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where an instruction stands: in the PTX text, and in the source that it was compiled from.
#pragma once

#include <cstdint>
#include <string>

namespace parity::ptx {

struct Position {
  uint32_t ptx_line = 0;
  std::string file;  // of the source, empty if unknown
  uint32_t line = 0;
  std::string caller_file{};  // of a line that was inlined: where the kernel calls it; else empty
  uint32_t caller_line = 0;
  bool operator==(const Position&) const = default;
};

}  // namespace parity::ptx
