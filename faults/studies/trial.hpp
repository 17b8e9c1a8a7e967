// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One corruption, with the judge's verdict.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compare/judging/record.hpp"
#include "faults/studies/effect.hpp"
#include "faults/studies/fixture.hpp"

namespace parity::faults {

/// Identifies a damaged recording: these four values always give the same bytes.
struct Corruption {
  std::string golden;  // path of the golden
  std::string tap;
  std::string kind;
  uint64_t seed = 0;
};

struct Trial {
  Corruption corruption;
  std::string component;  // component of the damaged tap
  Effect effect;
  compare::Status verdict = compare::Status::pass;  // verdict on the golden
  std::string named;                                // tap of the first divergence
  std::string named_component;
  double signal = 0.0;       // share of its budget that the damaged tap uses
  std::string reason;        // the judge's reason for the damaged tap
  std::string explained_by;  // id of a known fault named as the cause; wrong, as none was planted
  std::string is_fault;      // id of a fault with exactly this effect: two of two rows exchanged are shifted rows
  /// Number of judged taps from the damaged one to the named one; nullopt if none is named.
  std::optional<int64_t> distance;

  [[nodiscard]] bool flagged() const { return !compare::is_green(verdict); }
  [[nodiscard]] bool named_exactly() const { return flagged() && named == corruption.tap; }
};

/// Damages the tap and judges the golden like `parity run --mode isolated`.
/// If the corruption changes nothing, Effect::changed is 0 and nothing is
/// judged. If `explained`, also searches for a known fault as the cause.
[[nodiscard]] Trial run_trial(const Fixture& fixture, const Target& target, const CorruptionKind& kind, uint64_t seed,
                              bool explained = false);

/// Returns the report on the undamaged golden. If it is not green, that is a false alarm.
[[nodiscard]] compare::GoldenReport judge_undamaged(const Fixture& fixture);

}  // namespace parity::faults
