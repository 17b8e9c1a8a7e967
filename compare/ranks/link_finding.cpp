// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>

#include "compare/ranks/link_search.hpp"

namespace parity::compare {

void LinkFinding::settle(const LinkFinding& other) {
  if (sender >= 0 || suspects.empty() || !other.beyond) return;
  std::vector<Suspect> both;
  for (const Suspect& suspect : suspects) {
    const auto same = [&](const Suspect& seen) { return seen.sender == suspect.sender; };
    if (other.sender == suspect.sender || std::any_of(other.suspects.begin(), other.suspects.end(), same))
      both.push_back(suspect);
  }
  if (both.empty()) return;  // more than one link is wrong
  suspects = both;
  if (both.size() > 1) return;
  sender = both.front().sender;
  how = both.front().how;
  explains = both.front().explains;
  suspects.clear();
}

}  // namespace parity::compare
