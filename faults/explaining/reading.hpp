// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A reading of the model, that is, a profile with assumed faults. Judges the taps of an opened run against it by spans.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "compare/goldens/opened_run.hpp"
#include "faults/edits/edit.hpp"
#include "faults/edits/fault.hpp"
#include "replay/runs/evaluator.hpp"
#include "replay/spans/span.hpp"

namespace parity::faults {

/// The unedited plan of a profile, and the candidate's taps under this plan.
struct Base {
  Base(const compare::OpenedRun& run, const std::string& name)
      : profile(name),
        plan(run.plan(name)),
        goldens(run.golden().activations(), plan),
        recording(run.recording(goldens, plan)),
        candidate(run.golden(), run.options(), plan, {goldens, recording}),
        sources(candidate.sources(candidate.isolated ? &*candidate.isolated : nullptr, compare::Mode::isolated)) {}
  Base(const Base&) = delete;
  Base& operator=(const Base&) = delete;

  /// Whether the candidate computed the tap itself.
  [[nodiscard]] bool own(const std::string& tap) const {
    return !candidate.computation || (candidate.isolated && candidate.isolated->own(tap));
  }

  std::string profile;  // empty: the run's profile
  Plan plan;
  replay::Recording goldens, recording;
  compare::CandidateValues candidate;
  replay::Sources sources;
};

class Reading {
 public:
  /// `opened` must outlive the reading. Throws Error{usage} if the plan does not allow an edit.
  Reading(const compare::OpenedRun& opened, std::shared_ptr<const Base> base, std::vector<Fault> faults = {});
  Reading(const Reading&) = delete;
  Reading& operator=(const Reading&) = delete;

  [[nodiscard]] const compare::OpenedRun& opened() const { return opened_; }
  [[nodiscard]] const std::shared_ptr<const Base>& base() const { return base_; }
  [[nodiscard]] const std::vector<Fault>& faults() const { return faults_; }
  [[nodiscard]] const std::vector<replay::Span>& spans() const { return spans_; }
  [[nodiscard]] const replay::Span* span_of(const std::string& tap) const;  // nullptr if no span judges it

  /// Returns the records of all spans.
  [[nodiscard]] std::vector<compare::Record> judge() const { return judge(spans_); }
  [[nodiscard]] std::vector<compare::Record> judge(const std::vector<replay::Span>& spans) const;
  /// Whether `fault`, one of faults(), edits a node of the span or a weight that it reads. If not, it has no effect.
  [[nodiscard]] bool touches(const Fault& fault, const replay::Span& span) const;

 private:
  const compare::OpenedRun& opened_;
  std::shared_ptr<const Base> base_;
  std::vector<Fault> faults_;
  Edited edited_;
  EditedWeights weights_;
  replay::Evaluator evaluator_;
  std::vector<replay::Span> spans_;
  compare::StandsFor stands_for_;
};

/// Whether the node reads a published tensor that one of the edits changes.
[[nodiscard]] bool reads_edited(const Plan& plan, const Node& node, const std::vector<MapWeight>& edits);

}  // namespace parity::faults
