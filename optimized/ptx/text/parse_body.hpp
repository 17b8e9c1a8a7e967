// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "optimized/ptx/text/cursor.hpp"
#include "optimized/ptx/text/module.hpp"

namespace parity::ptx {

/// ".loc 1 12 3", with ", function_name $L, inlined_at 1 30 5": a new entry of `module.locations`, and its index.
class Locations {
 public:
  explicit Locations(Module& module) : module_(module) {}
  uint32_t parse(Cursor& cursor);

 private:
  using Position = std::array<uint32_t, 3>;  // file, line, column
  Module& module_;
  std::map<Position, Position> inlined_at_;
};

/// Parses a body from "{" to the matching "}".
void parse_body(Cursor& cursor, Locations& locations, Function& function);

}  // namespace parity::ptx
