// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Walkers: the same plan, node by node. What they find goes to a Visitor; replay/ itself judges nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "replay/evaluator.hpp"
#include "replay/span.hpp"
#include "replay/tap_source.hpp"
#include "replay/variation.hpp"

namespace parity::replay {

/// One recorded tap and the reference's values for it.
struct Finding {
  const Outcome* outcome = nullptr;
  std::string field;
  std::string tap;
  Tensor recorded;                         // as stored; may be swapped by the visitor for another candidate's value
  const std::vector<int>* span = nullptr;  // nodes, when more than one: errors are inherited
  bool inherited = false;                  // inputs are not the recording's own
  bool binary32 = false;                   // a binary64 walk used binary32 tables that are not recorded
  std::vector<bool> uncomputed{};          // per element: not computed and not judged; empty: all were computed
  /// The node in another way that is right, too; absent where nothing can be computed again.
  std::function<std::unique_ptr<Varied>(const Variation&)> vary{};
};

class Visitor {
 public:
  virtual ~Visitor() = default;
  /// A recorded discrete tap, before anything depends on it: judge it, and say whether to continue with the recorded
  /// decision (true) or the walk's own.
  virtual bool decide(const Finding& finding) = 0;
  /// A discrete tap inside a span that nothing records; the walk continues with the rounded lane's decision.
  virtual void undecided(const Outcome& outcome, const std::string& field) = 0;
  /// A recorded tap of continuous values.
  virtual void judge(const Finding& finding) = 0;
  /// Before a span (isolated) or node (chained) is walked; the number of steps is known.
  virtual void progress(size_t done, size_t total, const std::string& where) = 0;
  /// A span that could not be evaluated; the walk continues with the next.
  virtual void failed(const std::vector<std::string>& taps, const Error& error) = 0;
  /// Working set of the span just walked.
  virtual void working_set(int64_t bytes, const std::string& where) = 0;
};

/// A recorded tap in both lanes. Of one that is stored in fewer bits than it was computed with, the rounded lane is another
/// number that rounds to what is stored: what the lanes differ by downstream is what storing it hides.
[[nodiscard]] TapValue recorded_value(const TapSource& source, const std::string& tap);
/// Reads the plan's own inputs (tokens/) that `node` is the first to need.
void read_inputs(const Plan& plan, const TapSource& inputs, const Node& node, Environment& taps);
/// Rotary tables of a binary64 capture are binary32 in the oracle: a chain uses the recorded ones. False if there
/// are none, or none is needed.
[[nodiscard]] bool take_recorded(const Evaluator& evaluator, const TapSource& recorded, const Node& node,
                                 Environment& taps);

/// Every span on the values of `sources.inputs`: each error is its own.
void walk_isolated(const Evaluator& evaluator, const Sources& sources, const std::vector<Span>& spans,
                   Visitor& visitor);

/// The whole plan on its own values; recorded decisions are used where the visitor says so (forced: always).
void walk_chained(const Evaluator& evaluator, const Sources& sources, Visitor& visitor);

}  // namespace parity::replay
