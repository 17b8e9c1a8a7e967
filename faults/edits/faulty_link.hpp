// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A communicator whose receiver gets some messages otherwise than they were sent.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "ranks/communicator.hpp"

namespace parity::faults {

/// One message between two ranks, and how it arrives.
struct FaultyMessage {
  /// zero; stale: the one before it on this link, of the same length; shifted: by one element; truncated: the second
  /// half is zero; half_stale: the second half is that of the one before; bytes: those of each element in reverse;
  /// bit, mantissa_bit, last_bit: one bit of one element is flipped; negated; other: that of rank `other`; exchanged:
  /// with that of rank `other`.
  std::string how;
  int from = 0, to = 0;
  int other = -1;
  std::string tap;        // under whose tag it is sent
  std::string other_tap;  // under whose tag rank `other` sends its own
  DType type = DType::f32;
};

/// The ways above, in order.
[[nodiscard]] const std::vector<std::string>& ways_to_arrive();

/// Returns the rank's communicator with these faults. `inner` must outlive the result.
[[nodiscard]] std::unique_ptr<ranks::Communicator> faulty_link(ranks::Communicator& inner, const Plan& plan,
                                                               const std::vector<FaultyMessage>& messages);

}  // namespace parity::faults
