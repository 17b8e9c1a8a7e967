// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Who sees what in a window of attention: lanes of neighbouring rows that share token and list.
#pragma once

#include <array>
#include <vector>

#include "optimized/cpu/attention/attention.hpp"
#include "optimized/cpu/attention/attention_window.hpp"

namespace parity::cpu {

/// Lanes of one vector whose rows are of one token and one list.
struct Run {
  int64_t vector;
  uint16_t lanes;
  int64_t token;
  int64_t own;   // slot of the token
  int64_t list;  // row of AttentionOperands::lists, before tokens
  bool alone;    // of its own block it sees its own slot only
};

/// A window's view of the keys, chunk by chunk.
template <class T>
class WindowSight {
 public:
  WindowSight(const AttentionOperands<T>& operands, int64_t b, int64_t g, int64_t first, int64_t rows);

  [[nodiscard]] int64_t vectors() const { return vectors_; }
  /// One past the last slot that a row may see.
  [[nodiscard]] int64_t end() const { return end_; }
  /// Whether some row may see something of the block.
  [[nodiscard]] bool meets(int64_t block) const;
  /// Looks at slots [first, first + count) of `block`; false when no row sees any.
  bool look(int64_t block, int64_t first, int64_t count);
  [[nodiscard]] const int64_t* limits() const { return limits_.data(); }
  [[nodiscard]] const uint16_t* const* visible() const { return visible_.data(); }
  /// Rows that saw nothing in any chunk looked at, from the window's first.
  [[nodiscard]] std::vector<int64_t> blind() const;

 private:
  void mark_lists();
  [[nodiscard]] int64_t limit_of(const Run& run, int64_t block, int64_t first, int64_t count) const;
  [[nodiscard]] bool sees(const Run& run, int64_t slot) const;
  void mark_slots(const Run* from, const Run* to, const int64_t* limits);
  void look_at_slots(const Run* from, const Run* to, const int64_t* limits, int64_t first);

  const AttentionOperands<T>& operands_;
  int64_t b_, rows_, lanes_, vectors_, end_ = 0;
  bool special_;                                             // slots are hidden one by one
  std::vector<Run> runs_;                                    // by vector
  std::vector<uint16_t> marks_;                              // (blocks, kWindowVectors)
  std::array<uint16_t, kWindowVectors> present_{}, seen_{};  // lanes
  std::array<int64_t, kWindowVectors> limits_{};
  std::array<const uint16_t*, kWindowVectors> visible_{};
  std::array<std::array<uint16_t, kMostChunkKeys>, kWindowVectors> bits_{};
};

}  // namespace parity::cpu
