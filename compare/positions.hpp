// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where along one axis the failures are: a set of positions, as tightly as a few words say it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace parity::compare {

/// Holds every position with a failure. All kinds but `every`, `periodic` and `loose` hold no other position; of these
/// `count` says how many of theirs have one.
struct Positions {
  enum class Kind : uint8_t {
    every,     // nothing to say but, perhaps, how many
    one,       // first
    range,     // first..last
    runs,      // two to four stretches
    periodic,  // p in first..last with (p - first) mod period < width
    loose,     // some of first..last; none outside, which is no chance
  };

  std::string word;  // "token"
  int64_t extent = 0;
  Kind kind = Kind::every;
  int64_t first = 0, last = 0;
  int64_t period = 1, width = 1;
  std::vector<std::pair<int64_t, int64_t>> runs;  // first and last of each
  int64_t count = 0;                              // positions with a failure
  std::string letter{};                           // of the axis, where the caller knows it

  /// How many positions the words hold.
  [[nodiscard]] int64_t size() const;
  [[nodiscard]] bool telling() const { return kind != Kind::every; }
  /// "token 11", "channels 32..63 (the second half)", "every 16th channel", "odd heads"; "7 tokens" or empty for `every`.
  [[nodiscard]] std::string text() const;
};

/// `hit`: per position of the axis, whether anything fails there.
[[nodiscard]] Positions positions_of(const std::string& word, const std::vector<bool>& hit);

}  // namespace parity::compare
