// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Determines which rows of a window of attention see which slots. Lanes are grouped by token and list.
#pragma once

#include <array>
#include <vector>

#include "optimized/cpu/attention/attention.hpp"
#include "optimized/cpu/attention/attention_window.hpp"

namespace parity::cpu {

/// The lanes of one vector whose rows have the same token and the same list.
struct Run {
  int64_t vector;
  uint16_t lanes;
  int64_t token;
  int64_t own;   // the token's own slot
  int64_t list;  // row of AttentionOperands::lists
  bool alone;    // in its own block it sees only its own slot
};

/// Determines chunk by chunk which slots the rows of one window see.
template <class T>
class WindowSight {
 public:
  WindowSight(const AttentionOperands<T>& operands, int64_t b, int64_t g, int64_t first, int64_t rows);

  [[nodiscard]] int64_t vectors() const { return vectors_; }
  /// Returns one past the last slot that any row may see.
  [[nodiscard]] int64_t end() const { return end_; }
  /// Whether some row may see a slot of the block.
  [[nodiscard]] bool meets(int64_t block) const;
  /// Sets limits() and visible() for slots [first, first + count) of `block`. Returns false if no row sees any of them.
  bool look(int64_t block, int64_t first, int64_t count);
  [[nodiscard]] const int64_t* limits() const { return limits_.data(); }
  [[nodiscard]] const uint16_t* const* visible() const { return visible_.data(); }
  /// Returns the rows, counted from the window's first, that saw no slot in any chunk so far.
  [[nodiscard]] std::vector<int64_t> blind() const;

 private:
  void mark_lists();
  [[nodiscard]] int64_t limit_of(const Run& run, int64_t block, int64_t first, int64_t count) const;
  [[nodiscard]] bool sees(const Run& run, int64_t slot) const;
  void mark_slots(const Run* from, const Run* to, const int64_t* limits);
  void look_at_slots(const Run* from, const Run* to, const int64_t* limits, int64_t first);

  const AttentionOperands<T>& operands_;
  int64_t b_, rows_, lanes_, vectors_, end_ = 0;
  bool special_;                                             // a mask hides single slots
  std::vector<Run> runs_;                                    // in the order of vectors
  std::vector<uint16_t> marks_;                              // (blocks, kWindowVectors)
  std::array<uint16_t, kWindowVectors> present_{}, seen_{};  // lanes
  std::array<int64_t, kWindowVectors> limits_{};
  std::array<const uint16_t*, kWindowVectors> visible_{};
  std::array<std::array<uint16_t, kMostChunkKeys>, kWindowVectors> bits_{};
};

}  // namespace parity::cpu
