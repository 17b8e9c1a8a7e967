// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a run is expected to judge: a tap that is skipped, left out or no longer recorded is green only if the manifest does not require it.
#pragma once

#include <map>
#include <string>

#include "compare/record.hpp"

namespace parity::compare {

/// Least number of taps by component ("rms_norm") or glob over taps ("steps/*/router/*": what has a slash).
using LeastJudged = std::map<std::string, int64_t>;

struct Expectation {
  Status status = Status::pass;
  std::map<std::string, LeastJudged> judged;  // by mode
};

struct Manifest {
  std::map<std::string, Expectation> goldens;  // by name, which is the folder's
};

/// What the run judged, a tap of all calls and layers together; with `by_name` tap by tap. Error{usage} for two goldens of one name.
[[nodiscard]] Manifest manifest_of(const RunReport& report, bool by_name);

/// Goldens that judge less than the manifest asks, that it does not know, or that were not run are mistrusted and say why; to
/// be concluded afterwards. `source` names the manifest in messages.
void hold_to(const Manifest& manifest, const std::string& source, RunReport& report);

}  // namespace parity::compare
