// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A collective of a run: what each rank sent, and what one rank received.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "replay/captures/overlay.hpp"
#include "replay/captures/tap_source.hpp"
#include "replay/runs/evaluator.hpp"
#include "replay/spans/span.hpp"

namespace parity::compare {

struct Exchange {
  const Node* node = nullptr;
  std::vector<std::string> sent;  // taps, in the order of the group
  std::vector<int64_t> senders;
  std::vector<Tensor> parts;             // their values as stored
  Tensor got;                            // what the rank of the node holds
  std::map<std::string, Tensor> others;  // what else the node reads: ids
  bool sum = false;                      // the parts are added; else each has its place

  [[nodiscard]] int64_t receiver() const { return node->rank; }
};

/// Whether the node adds its parts.
[[nodiscard]] bool adds_parts(const Node& node);
/// Whether the node joins parts of several ranks.
[[nodiscard]] bool is_exchange(const Node& node);
/// The tap that an exchange gives its rank.
[[nodiscard]] const std::string& received_tap(const Node& node);
/// Returns the taps that a divided plan has beside those of one process, and what exchanges send and receive: a candidate
/// that computes them is judged by them, also where the recording of one process lacks them.
[[nodiscard]] std::set<std::string> taps_between_ranks(const Plan& plan);
/// Returns the exchange with its values; nullopt if `values` lacks one of them.
[[nodiscard]] std::optional<Exchange> exchange_of(const Node& node, const replay::TapSource& values);
/// Returns one span for each exchange all of whose taps exist: the collective alone, on what was sent.
[[nodiscard]] std::vector<replay::Span> exchange_spans(const Plan& plan, const replay::TapSource& values);

/// Returns the taps of a run as its exchanges read them: with `forced`, decisions are those of the recording.
[[nodiscard]] replay::Overlay as_sent(const replay::TapSource& run, const replay::TapSource& recording, bool forced);

/// What an exchange of right bits would give, by element of the received tap.
struct Right {
  std::vector<double> value;
  std::vector<double> tolerance;  // the additions may round in any order; 0 where nothing is added
};
[[nodiscard]] Right right_of(const Exchange& exchange, const replay::Evaluator& evaluator);
/// The same with every addition rounded in the order of the plan.
[[nodiscard]] std::vector<double> rounded_of(const Exchange& exchange, const replay::Evaluator& evaluator);

/// The element of part `sender` that is a term of element `i` of a sum: a rank may have only some rows of it.
[[nodiscard]] int64_t term_of(const Exchange& exchange, int64_t i);

/// The place of an element in what was sent: sender, as an index of Exchange::senders, and element of its part.
struct SentAt {
  int64_t sender = -1;  // -1: no rank sent it
  int64_t element = 0;
};
/// Returns the origin of every element of a gathered tap, by gathering numbers.
[[nodiscard]] std::vector<SentAt> origins_of(const Exchange& exchange, const replay::Evaluator& evaluator);

}  // namespace parity::compare
