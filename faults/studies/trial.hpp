// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One corruption and what the judge made of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "compare/record.hpp"
#include "faults/studies/effect.hpp"
#include "faults/studies/fixture.hpp"

namespace parity::faults {

/// Names a damaged recording: the same four, the same bytes.
struct Corruption {
  std::string golden;  // path
  std::string tap;
  std::string kind;
  uint64_t seed = 0;
};

struct Trial {
  Corruption corruption;
  std::string component;  // of the damaged tap
  Effect effect;
  compare::Status verdict = compare::Status::pass;  // of the golden
  std::string named;                                // first divergence: a tap
  std::string named_component;
  double signal = 0.0;       // share of its budget that the damaged tap uses
  std::string reason;        // the judge's words on the damaged tap
  std::string explained_by;  // id of the known fault that is named as its cause: wrongly, none was planted
  std::string is_fault;      // … that does just this to the tap, all bits: two of two rows exchanged are rows shifted
  /// Judged taps from the damaged one to the named one; nothing when none is named.
  std::optional<int64_t> distance;

  [[nodiscard]] bool flagged() const { return !compare::is_green(verdict); }
  [[nodiscard]] bool named_exactly() const { return flagged() && named == corruption.tap; }
};

/// Damages the tap and judges the golden as `parity run --mode isolated` does. Effect::changed is 0 when the corruption
/// leaves the tap as it was: then nothing was judged.
/// With `explained` a known fault is looked for as well.
[[nodiscard]] Trial run_trial(const Fixture& fixture, const Target& target, const CorruptionKind& kind, uint64_t seed,
                              bool explained = false);

/// The verdict on the golden as it is: whatever is not green is a false alarm.
[[nodiscard]] compare::GoldenReport judge_undamaged(const Fixture& fixture);

}  // namespace parity::faults
