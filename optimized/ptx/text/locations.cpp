// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/text/parse_body.hpp"

namespace parity::ptx {
namespace {

constexpr uint64_t kMostNumber = ~uint32_t{0};

std::array<uint32_t, 3> position_of(Cursor& cursor) {
  std::array<uint32_t, 3> position{};
  for (uint32_t& number : position) number = static_cast<uint32_t>(cursor.number("a number of .loc", kMostNumber));
  return position;
}

}  // namespace

uint32_t Locations::parse(Cursor& cursor) {
  const Position here = position_of(cursor);
  Location location{here[0], here[1], here[0], here[1]};
  while (cursor.take_if(",")) {
    const std::string word = cursor.word("function_name or inlined_at");
    if (word == "inlined_at") {
      inlined_at_[here] = position_of(cursor);
    } else {
      cursor.word("the label of a name");
      if (cursor.take_if("+")) cursor.number("an offset", kMostNumber);
    }
  }
  Position at = here;
  constexpr int kDeepest = 64;  // a file may say that a line is inlined at itself
  for (int depth = 0; depth < kDeepest && inlined_at_.contains(at) && inlined_at_.at(at) != at; ++depth)
    at = inlined_at_.at(at);
  location.outer_file = at[0];
  location.outer_line = at[1];
  module_.locations.push_back(location);
  return static_cast<uint32_t>(module_.locations.size() - 1);
}

}  // namespace parity::ptx
