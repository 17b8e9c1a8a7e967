// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Taps that several ranks repeat: each must have the same bits on all of them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/plan.hpp"
#include "core/sharding/layout.hpp"

namespace parity::compare {

/// A digest of every judged tap's bytes, by tap.
using Digests = std::map<std::string, uint64_t>;
[[nodiscard]] uint64_t digest_of(const TensorView& values);

/// One tap as the ranks of a group hold it, where they do not agree.
struct Disagreement {
  std::string tap;                // without a rank
  std::vector<int64_t> odd;       // ranks that differ from most; all of them if there is no majority
  std::vector<int64_t> agreeing;  // the majority; empty if there is none
  int node = 0;                   // the first node of `odd` in the plan
};

/// Returns the taps on which ranks disagree although they agree on all that these follow from, in the order of the
/// plan. Only ranks that compute the same sequences are compared, and only taps of which all hold the same part.
[[nodiscard]] std::vector<Disagreement> disagreements(const Plan& plan, const Layout& layout, const Digests& digests);

}  // namespace parity::compare
