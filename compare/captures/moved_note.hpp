// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Notes what a candidate's run copied between the host and its kernels' places, and what it launched there.
#pragma once

#include <map>

#include "compare/judging/record.hpp"
#include "replay/execution/computation.hpp"

namespace parity::compare {

/// Made before the run, so that a place that other runs use, too, is counted from there on.
class MovedNote {
 public:
  explicit MovedNote(const replay::Computation* computation);  // nullptr: nothing runs here
  /// Adds a note to the report unless all kernels run on the host. `moved` is what the walks copied.
  void add(replay::Moved moved, GoldenReport& report) const;

 private:
  const replay::Computation* computation_;
  std::map<const Place*, PlaceTraffic> before_;
};

}  // namespace parity::compare
