// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Draws the sizes of a case.
#pragma once

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

#include "cases/drawn/case_spec.hpp"
#include "core/random.hpp"

namespace parity::cases {

class Extents {
 public:
  /// Makes the extents of a case. Those in `held` are neither drawn nor computed.
  explicit Extents(const CaseSpec& spec, const AxisSizes& held = {})
      : spec_(spec),
        random_(spec.seed, "case of " + spec.component),
        widths_(spec.seed, "widths of " + spec.component),
        sizes_(held),
        held_(held) {}

  /// Draws an extent along `letter`: at a boundary up to `most`, or anywhere in 1 … most.
  int64_t extent(char letter, int64_t most) {
    static const std::vector<int64_t> kEdges{1,  2,  3,  7,   8,   9,   15,  16,  17,  31,  32, 33,
                                             63, 64, 65, 127, 128, 129, 255, 256, 257, 511, 512};
    if (large()) return draw(letter, width(letter, most), 1);
    const auto last = std::upper_bound(kEdges.begin(), kEdges.end(), most) - kEdges.begin();
    return draw(letter, boundary() ? kEdges[static_cast<size_t>(from(0, last - 1))] : from(1, most), 1);
  }
  /// Draws an independent extent in least … most, to stay small. The case may give any other value of at least `least`.
  int64_t range(char letter, int64_t least, int64_t most) { return draw(letter, from(least, most), least); }
  /// Draws an extent in least … most that never exceeds `limit`, even if given: experts per token, of all experts.
  int64_t within(char letter, int64_t least, int64_t most, int64_t limit) {
    return draw(letter, from(least, std::min(most, limit)), least, limit);
  }
  int64_t choose(char letter, const std::vector<int64_t>& choices) {
    return draw(letter, one_of(choices), *std::min_element(choices.begin(), choices.end()));
  }
  /// Makes later draws of `letter` give `value`: the rows of a large case.
  void grow(char letter, int64_t value) { grown_[letter] = value; }
  void size(char letter, int64_t value) {
    if (!held_.contains(letter)) sizes_[letter] = value;
  }
  /// Sets an extent that follows from others unless the case gives it: slots after a history of any length.
  void follows(char letter, int64_t value, int64_t least) { draw(letter, value, least); }
  [[nodiscard]] int64_t size(char letter) const { return sizes_.at(letter); }
  [[nodiscard]] bool has_size(char letter) const { return sizes_.contains(letter); }
  [[nodiscard]] const AxisSizes& sizes() const { return sizes_; }
  /// Returns the extents that were drawn, not computed from others.
  [[nodiscard]] const AxisSizes& drawn() const { return drawn_; }

  int64_t from(int64_t least, int64_t most) {
    return least + static_cast<int64_t>(random_.below(next_++, static_cast<uint64_t>(most - least + 1)));
  }
  bool coin() { return from(0, 1) == 1; }
  double uniform() { return random_.uniform(next_++); }
  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(from(0, static_cast<int64_t>(choices.size()) - 1))];
  }
  [[nodiscard]] bool boundary() const { return spec_.lane != Lane::anywhere && !large(); }
  [[nodiscard]] bool large() const { return spec_.lane == Lane::large; }
  [[nodiscard]] bool gives(char letter) const { return spec_.given.contains(letter); }

 protected:
  [[nodiscard]] uint64_t next() { return next_++; }
  void give_if_absent(char letter, int64_t value) { sizes_.emplace(letter, value); }

 private:
  /// Stores `value` for the letter, or the value that the case gives, limited to least … most.
  int64_t draw(char letter, int64_t value, int64_t least, int64_t most = std::numeric_limits<int64_t>::max()) {
    if (held_.contains(letter)) return held_.at(letter);
    const auto grown = grown_.find(letter);
    if (grown != grown_.end()) value = grown->second;
    const auto given = spec_.given.find(letter);
    if (given != spec_.given.end()) value = std::clamp(given->second, least, std::max(least, most));
    drawn_[letter] = value;
    return sizes_[letter] = value;
  }

  /// Returns 1 … most, independent of other draws, so that a case keeps its extents when its rows grow.
  [[nodiscard]] int64_t width(char letter, int64_t most) {
    return 1 + static_cast<int64_t>(widths_.below(static_cast<uint64_t>(letter), static_cast<uint64_t>(most)));
  }

  CaseSpec spec_;
  Random random_, widths_;
  uint64_t next_ = 0;
  AxisSizes sizes_, held_, drawn_, grown_;
};

}  // namespace parity::cases
