// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// An execution: a plan walked with a table of kernels. Its values stay in their own types from kernel to kernel.
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

/// A candidate as data: the plan that it computes, and with what.
struct Computation {
  std::string name;                             // of what has the kernels, in messages: "cpu"
  Plan plan;                                    // the golden's, edited or with fused nodes
  std::shared_ptr<const Registry> registry;     // computes, as the oracle rounds, what no kernel does
  std::shared_ptr<const WeightSource> weights;  // that the plan reads
  KernelTable kernels{};                        // none: the candidate is the reference
  std::vector<FusedChain> chains{};             // that a kernel of the table computes at once
  std::set<std::string> edited{};        // nodes that count as the candidate's, even if the reference computes them
  std::set<std::string> by_reference{};  // … of them, whose edit no kernel of the table would follow
  std::set<std::string> only{};          // requested taps; empty: all that are recorded
  std::string lacking{};                 // why it computes nothing of this plan; empty: it does

  /// What a node goes by: its first output. Nodes of one prefix may be several.
  [[nodiscard]] static const std::string& key_of(const Node& node) { return node.outputs.begin()->second.name; }
  /// A kernel of the table, if one computes the node.
  [[nodiscard]] const KernelTable::Entry* kernel_of(const Node& node) const;
  /// Whether the node is the candidate's own, and not lent to it.
  [[nodiscard]] bool computes(const Node& node) const;
  /// Taps within fused kernels, which this candidate does not return.
  [[nodiscard]] std::set<std::string> inner() const;
  /// By node: the chain that it is a part of.
  [[nodiscard]] std::map<std::string, size_t> fused_nodes() const;
};

class Execution final : public TapSource {
 public:
  enum class Mode : uint8_t {
    isolated,  // every node on the source's values, when its tap is first read: each error is its own
    chained,   // the whole plan on its own values and decisions
    forced,    // … but where the source has a decision, on with that one
  };
  using Wanted = std::function<bool(const std::string& tap)>;

  /// `source` has the plan's inputs, and must outlive it. Taps are held that are `wanted`: isolated, only those that the
  /// candidate itself computes.
  Execution(std::shared_ptr<const Computation> computation, const TapSource& source, Mode mode, Wanted wanted);

  [[nodiscard]] bool has(const std::string& tap) const override;
  /// Computed by the candidate itself; not yet known to be lent.
  [[nodiscard]] bool own(const std::string& tap) const;
  /// Why a tap is not the candidate's own.
  [[nodiscard]] std::string reason(const std::string& tap) const;
  /// Nodes so far that a kernel declares not to support, and its words: the reference computed them.
  [[nodiscard]] const std::map<std::string, std::string>& refused() const { return refused_; }

 private:
  [[nodiscard]] Tensor held(const std::string& tap) const override;
  [[nodiscard]] const Node& producer(const std::string& tap) const;

  [[nodiscard]] Values run(const Node& node, const Values& taps, const Tensor* forced) const;
  [[nodiscard]] Values run_by_reference(const Node& node, const Values& taps, const Tensor* forced) const;
  /// What the source has, where a binary64 walk cannot reproduce the node; nothing elsewhere.
  [[nodiscard]] Values taken(const Node& node) const;
  void read_inputs(const Node& node, Values& taps) const;
  void run_span(const Span& span) const;
  void run_next() const;
  /// Replaces what depends on a decision by what follows from the source's; `values` keeps the own decision.
  void follow(const Node& node, Values& values, Values& continued) const;
  void keep(const Values& values) const;

  std::shared_ptr<const Computation> computation_;
  const TapSource& source_;
  Mode mode_;
  Wanted wanted_;
  Evaluator evaluator_;
  NativeCalls native_;
  std::vector<Span> spans_;                // isolated
  std::map<std::string, size_t> span_of_;  // by tap
  std::map<std::string, int> uses_;        // else: the last node that reads each tap
  mutable Values taps_;                    // … and what is still read
  mutable size_t next_ = 0;                // … node
  mutable Values results_;                 // to be judged
  mutable std::deque<std::string> order_;  // of them, the oldest first
  mutable int64_t bytes_ = 0;              // of them
  mutable std::map<std::string, std::string> refused_;
};

}  // namespace parity::replay
