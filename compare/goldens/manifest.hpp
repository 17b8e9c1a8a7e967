// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The taps that a run must judge. A tap that is skipped or not recorded passes only if no manifest requires it.
#pragma once

#include <map>
#include <string>

#include "compare/judging/record.hpp"

namespace parity::compare {

/// Least number of judged taps, by component ("rms_norm") or by glob over taps (any key with a slash).
using LeastJudged = std::map<std::string, int64_t>;

struct Expectation {
  Status status = Status::pass;
  std::map<std::string, LeastJudged> judged;  // key: mode
};

struct Manifest {
  std::map<std::string, Expectation> goldens;  // key: name of the golden, which is its folder's name
};

/// Returns the taps judged: pooled over calls and layers, or singly (`by_name`). Error{usage}: two goldens of one name.
[[nodiscard]] Manifest manifest_of(const RunReport& report, bool by_name);

/// Makes a golden mistrusted, with a reason, if it judges less than the manifest requires, is not in the manifest, or
/// was not run. Call conclude afterwards. `source` names the manifest in messages.
void hold_to(const Manifest& manifest, const std::string& source, RunReport& report);

}  // namespace parity::compare
