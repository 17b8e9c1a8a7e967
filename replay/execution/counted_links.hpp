// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a rank sent, by the nodes that received it.
#pragma once

#include "core/plan.hpp"
#include "ranks/counting_communicator.hpp"
#include "ranks/traffic.hpp"

namespace parity::replay {

/// Returns the counted messages by the node that receives them. Their tags are message_tags(plan).
[[nodiscard]] ranks::LinkCounts links_of(const Plan& plan, const ranks::CountingCommunicator& counted);

}  // namespace parity::replay
