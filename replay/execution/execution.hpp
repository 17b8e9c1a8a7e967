// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// An execution walks a plan with a table of kernels. Values keep their types between kernels.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "ranks/traffic.hpp"
#include "replay/execution/node_runner.hpp"
#include "replay/ranks/ranked_run.hpp"
#include "replay/spans/span.hpp"

namespace parity::replay {

class Execution final : public TapSource {
 public:
  enum class Mode : uint8_t {
    isolated,  // each node runs on the source's values when its tap is first read: every error is its own
    chained,   // the whole plan runs on its own values and decisions
    forced,    // as chained, but continues with the source's decisions
  };
  using Wanted = NodeRunner::Wanted;

  /// `source` has the plan's inputs, and must outlive the object. Stores the taps that are `wanted`; in isolated mode
  /// only those that the candidate itself computes. `engine` runs the ranks of a plan for several; empty: threads.
  Execution(std::shared_ptr<const Computation> computation, const TapSource& source, Mode mode, Wanted wanted,
            RankEngine engine = {});

  [[nodiscard]] bool has(const std::string& tap) const override;
  /// Whether the candidate itself computes the tap, as far as known: a kernel may still refuse it.
  [[nodiscard]] bool own(const std::string& tap) const;
  /// Returns why the candidate does not compute a tap itself.
  [[nodiscard]] std::string reason(const std::string& tap) const;
  /// Returns the nodes so far that a kernel refused as unsupported, with its message. The reference computed them.
  [[nodiscard]] const std::map<std::string, std::string>& refused() const;
  /// Returns what the ranks sent each other; empty if the plan has one rank, and before the ranks ran.
  [[nodiscard]] const ranks::LinkCounts& links() const { return links_; }
  /// Returns what was copied between places so far: see NodeRunner::moved. Ranks in other processes are not counted.
  [[nodiscard]] Moved moved() const;

 private:
  [[nodiscard]] Tensor held(const std::string& tap) const override;
  [[nodiscard]] const Node& producer(const std::string& tap) const;

  void run_span(const Span& span) const;
  /// The results of a node that ran already, as other ranks' sums need its term; empty if they are not all kept.
  [[nodiscard]] Values kept(const Node& node) const;
  void run_next() const;
  /// Runs all ranks, each on its own values, and keeps what is wanted.
  void run_ranks() const;
  void keep(const Values& values) const;
  void keep(const std::string& tap, const Tensor& value) const;

  std::shared_ptr<const Computation> computation_;
  const TapSource& source_;
  Mode mode_;
  Wanted wanted_;
  RankEngine engine_;
  mutable NodeRunner runner_;
  std::vector<Span> spans_;                // used in isolated mode
  std::map<std::string, size_t> span_of_;  // key: tap
  std::map<std::string, int> uses_;        // used in the other modes: the last node that reads each tap
  mutable Values taps_;                    // taps that later nodes read
  mutable size_t next_ = 0;                // index of the next node
  mutable Results results_;                // results to be judged, in the host's memory
  mutable std::deque<std::string> order_;  // keys of results_, the oldest first
  mutable int64_t bytes_ = 0;              // size of results_
  mutable std::map<std::string, std::string> refused_by_ranks_;
  mutable ranks::LinkCounts links_;
  mutable Moved moved_by_ranks_;
  bool ranks_;  // the plan has nodes of several ranks, which run at the same time unless isolated
};

}  // namespace parity::replay
