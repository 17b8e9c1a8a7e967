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

#include "replay/fused.hpp"
#include "replay/native.hpp"
#include "replay/span.hpp"
#include "replay/tap_source.hpp"

namespace parity::replay {

/// A candidate described as data: its plan, kernels and weights.
struct Computation {
  std::string name;                             // name of the owner of the kernels, for messages: "cpu"
  Plan plan;                                    // the golden's plan, edited or with fused nodes
  std::shared_ptr<const Registry> registry;     // computes nodes without a kernel, with the oracle's roundings
  std::shared_ptr<const WeightSource> weights;  // the weights that the plan reads
  KernelTable kernels{};                        // empty: the candidate is the reference
  std::vector<FusedChain> chains{};             // chains that one kernel of the table computes
  std::set<std::string> edited{};        // nodes that count as the candidate's even if the reference computes them
  std::set<std::string> by_reference{};  // edited nodes with an edit that no kernel supports
  std::set<std::string> only{};          // requested taps; empty: all recorded ones
  std::string lacking{};                 // why it can compute nothing of this plan; empty: it can

  /// Returns the key of a node: its first output, because several nodes may share a prefix.
  [[nodiscard]] static const std::string& key_of(const Node& node) { return node.outputs.begin()->second.name; }
  /// Returns the kernel of the table that computes the node, or nullptr.
  [[nodiscard]] const KernelTable::Entry* kernel_of(const Node& node) const;
  /// Whether the candidate computes the node, so that its outputs are not lent.
  [[nodiscard]] bool computes(const Node& node) const;
  /// Returns the taps inside fused kernels, which this candidate does not return.
  [[nodiscard]] std::set<std::string> inner() const;
  /// Returns for each node in a chain the index of the chain.
  [[nodiscard]] std::map<std::string, size_t> fused_nodes() const;
};

class Execution final : public TapSource {
 public:
  enum class Mode : uint8_t {
    isolated,  // each node runs on the source's values when its tap is first read: every error is its own
    chained,   // the whole plan runs on its own values and decisions
    forced,    // as chained, but continues with the source's decisions
  };
  using Wanted = std::function<bool(const std::string& tap)>;

  /// `source` has the plan's inputs, and must outlive the object. Stores the taps that are `wanted`; in isolated mode
  /// only those that the candidate itself computes.
  Execution(std::shared_ptr<const Computation> computation, const TapSource& source, Mode mode, Wanted wanted);

  [[nodiscard]] bool has(const std::string& tap) const override;
  /// Whether the candidate itself computes the tap, as far as known: a kernel may still refuse it.
  [[nodiscard]] bool own(const std::string& tap) const;
  /// Returns why the candidate does not compute a tap itself.
  [[nodiscard]] std::string reason(const std::string& tap) const;
  /// Returns the nodes so far that a kernel refused as unsupported, with its message. The reference computed them.
  [[nodiscard]] const std::map<std::string, std::string>& refused() const { return refused_; }

 private:
  [[nodiscard]] Tensor held(const std::string& tap) const override;
  [[nodiscard]] const Node& producer(const std::string& tap) const;

  [[nodiscard]] Values run(const Node& node, const Values& taps, const Tensor* forced) const;
  [[nodiscard]] Values run_by_reference(const Node& node, const Values& taps, const Tensor* forced) const;
  /// Returns the source's values if a binary64 walk cannot reproduce the node, else nothing.
  [[nodiscard]] Values taken(const Node& node) const;
  void read_inputs(const Node& node, Values& taps) const;
  void run_span(const Span& span) const;
  void run_next() const;
  /// Recomputes `continued` from the source's decision. `values` keeps the candidate's own decision.
  void follow(const Node& node, Values& values, Values& continued) const;
  void keep(const Values& values) const;

  std::shared_ptr<const Computation> computation_;
  const TapSource& source_;
  Mode mode_;
  Wanted wanted_;
  Evaluator evaluator_;
  NativeCalls native_;
  std::vector<Span> spans_;                // used in isolated mode
  std::map<std::string, size_t> span_of_;  // key: tap
  std::map<std::string, int> uses_;        // used in the other modes: the last node that reads each tap
  mutable Values taps_;                    // taps that later nodes read
  mutable size_t next_ = 0;                // index of the next node
  mutable Values results_;                 // results to be judged
  mutable std::deque<std::string> order_;  // keys of results_, the oldest first
  mutable int64_t bytes_ = 0;              // size of results_
  mutable std::map<std::string, std::string> refused_;
};

}  // namespace parity::replay
