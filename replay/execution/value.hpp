// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The value of a tap while a plan is walked: it stays where it was computed, and is copied to where it is read.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/tensor.hpp"

namespace parity::replay {

/// Bytes that a walk copied between the host and places whose memory the host cannot touch.
struct Moved {
  int64_t values_there = 0;     // taps that the host has and a kernel reads
  int64_t values_back = 0;      // taps that were computed there and are judged, sent, or read by the reference
  int64_t weights = 0;          // parameters that stay there: each is copied once
  int64_t weights_by_call = 0;  // parameters that do not fit: copied at each call that reads them

  Moved& operator+=(const Moved& other);
};

/// Returns a copy at `place` of a tensor that the host has, contiguous and between guards. A place with the host's memory
/// gets the tensor itself.
[[nodiscard]] Tensor copied_there(Place& place, const Tensor& on_host);

/// Copies of a Value share its copies at other places. One thread at a time uses them.
class Value {
 public:
  Value() = default;
  Value(Tensor own)  // NOLINT(google-explicit-constructor): most values are one tensor
      : own_(std::move(own)), elsewhere_(std::make_shared<std::list<Tensor>>()) {}

  /// Where the value was computed or read.
  [[nodiscard]] const Tensor& own() const { return own_; }
  /// The value in the memory of `place`; copied there, and added to `moved`, when it is first asked for.
  [[nodiscard]] const Tensor& at(Place& place, Moved& moved) const;
  [[nodiscard]] const Tensor& on_host(Moved& moved) const { return at(host(), moved); }

 private:
  Tensor own_;
  std::shared_ptr<std::list<Tensor>> elsewhere_;
};

using Values = std::map<std::string, Value>;    // key: tap
using Results = std::map<std::string, Tensor>;  // key: tap; in the host's memory

}  // namespace parity::replay
