// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: a visitor that stores all findings, and a golden opened for a walk.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "golden/golden.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"
#include "replay/runs/recording.hpp"
#include "replay/spans/walk.hpp"

namespace parity::replay::tests {

struct Collector : Visitor {
  struct Seen {
    Tensor exact, rounded, recorded;
    std::vector<int> span;
    bool inherited = false;
  };

  std::map<std::string, Seen> seen;  // key: tap
  std::vector<std::string> undecided_taps;
  std::map<std::string, std::string> failures;  // tap -> message
  bool take_recorded = true;                    // result of decide

  bool decide(const Finding& finding) override {
    keep(finding);
    return take_recorded;
  }
  void undecided(const Outcome& outcome, const std::string& field) override {
    undecided_taps.push_back(outcome.node->outputs.at(field).name);
  }
  void judge(const Finding& finding) override { keep(finding); }
  void progress(size_t, size_t, const std::string&) override {}
  void failed(const std::vector<std::string>& taps, const Error& error) override {
    for (const std::string& tap : taps) failures[tap] = error.what();
  }
  void working_set(int64_t, const std::string&) override {}

 private:
  void keep(const Finding& finding) {
    const TapValue& value = finding.outcome->outputs.at(finding.field);
    seen[finding.tap] = {value.exact, value.rounded, finding.recorded,
                         finding.span == nullptr ? std::vector<int>{} : *finding.span, finding.inherited};
  }
};

/// Returns the number of elements whose bits differ, or -1 if the counts do.
inline int64_t differing(const Tensor& a, const Tensor& b) {
  if (a.view().count() != b.view().count()) return -1;
  const Tensor x = widen(a);
  const Tensor y = widen(b);
  int64_t count = 0;
  for (int64_t i = 0; i < x.view().count(); ++i) {
    count += std::memcmp(x.view().data + 8 * i, y.view().data + 8 * i, 8) == 0 ? 0 : 1;
  }
  return count;
}

/// An opened golden of the text decoder with all objects that its walks need.
struct Opened {
  golden::Golden golden;
  Plan plan;
  Recording recording;
  Evaluator evaluator;

  explicit Opened(const std::filesystem::path& folder)
      : golden(golden::Golden::open(folder)),
        plan(plan_of(golden)),
        recording(golden.activations(), plan),
        evaluator(reference::registry(), plan, golden.parameters()) {}
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  [[nodiscard]] Collector isolated() const {
    Collector collector;
    walk_isolated(evaluator, recording, build_spans(plan, recording), collector);
    return collector;
  }
  [[nodiscard]] Collector chained(bool take_recorded) const {
    Collector collector;
    collector.take_recorded = take_recorded;
    walk_chained(evaluator, recording, collector);
    return collector;
  }
};

}  // namespace parity::replay::tests
