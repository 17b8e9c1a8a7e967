// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Positions of failures along one axis, described as precisely as a few words can.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace parity::compare {

/// A set that includes every position with a failure. For the kinds `every`, `periodic` and `loose` it may include
/// other positions; `count` then gives the number with a failure.
struct Positions {
  enum class Kind : uint8_t {
    every,     // the whole axis, at most with a count
    one,       // only `first`
    range,     // all of first..last
    runs,      // all of two to four stretches
    periodic,  // positions p in first..last with (p - first) mod period < width
    loose,     // some of first..last, and by more than chance none outside
  };

  std::string word;  // "token"
  int64_t extent = 0;
  Kind kind = Kind::every;
  int64_t first = 0, last = 0;
  int64_t period = 1, width = 1;
  std::vector<std::pair<int64_t, int64_t>> runs;  // first and last position of each stretch
  int64_t count = 0;                              // number of positions with a failure
  std::string letter{};                           // axis letter, if the caller knows it

  /// Returns the number of positions that the description includes.
  [[nodiscard]] int64_t size() const;
  [[nodiscard]] bool telling() const { return kind != Kind::every; }
  /// Returns "token 11", "channels 32..63 (the second half)", "every 16th channel", "odd heads", or "7 tokens" for all.
  [[nodiscard]] std::string text() const;
};

/// Describes the positions p with hit[p]. `hit` has an entry for every position of the axis.
[[nodiscard]] Positions positions_of(const std::string& word, const std::vector<bool>& hit);

}  // namespace parity::compare
