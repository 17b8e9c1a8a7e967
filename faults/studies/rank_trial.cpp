// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/rank_trial.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <set>

#include "compare/captures/exchange.hpp"
#include "core/sharding/rank_names.hpp"
#include "core/sharding/sharded_plan.hpp"
#include "faults/computed.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"

namespace parity::faults {
namespace {

using compare::Mode;
using replay::Execution;

bool same(const Tensor& a, const Tensor& b) {
  return a.bytes() == b.bytes() && std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
}

/// The taps that show a fault of nodes, on all ranks: their outputs, and what exchanges of these send and receive.
std::set<std::string> shown_by(const Edited& edited, const Plan& plan) {
  std::set<std::string> names;  // without ranks
  for (const Node& node : plan.nodes) {
    if (!edited.nodes.contains(replay::Computation::key_of(node))) continue;
    for (const auto& [field, output] : node.outputs) names.insert(without_rank(output.name));
  }
  const std::set<std::string> own = names;
  for (const Node& node : plan.nodes) {
    if (!compare::is_exchange(node)) continue;
    const std::string received = without_rank(compare::received_tap(node));
    const std::string sent = without_rank(node.inputs.at("parts").front().name);
    if (own.contains(received)) names.insert(sent);
    if (own.contains(sent)) names.insert(received);
  }
  std::set<std::string> taps;
  for (const auto& [tap, info] : plan.taps) {
    if (names.contains(without_rank(tap))) taps.insert(tap);
  }
  return taps;
}

/// The ranks from which a fault of messages takes what it delivers.
std::vector<int64_t> senders_of(const Edited& edited) {
  std::vector<int64_t> senders;
  for (const FaultyMessage& message : edited.messages) {
    senders.push_back(message.from);
    if (message.how == "exchanged") senders.push_back(message.other);
  }
  return senders;
}

void fill(const compare::GoldenReport& report, const RankGround::Change& change, const std::vector<int64_t>& senders,
          RankTrial& trial) {
  trial.verdict = report.verdict == compare::Status::error ? compare::Status::fail : report.verdict;
  if (!report.first_divergence) return;
  trial.named_tap = report.first_divergence->tap;
  if (!report.ranks) return;
  trial.text = report.ranks->text;
  const bool link = senders.empty() || std::find(senders.begin(), senders.end(), report.ranks->sender) != senders.end();
  trial.named = change.beside.contains(without_rank(trial.named_tap)) && report.ranks->wrong == trial.wrong && link;
}

}  // namespace

RankGround::RankGround(const std::filesystem::path& golden, const Layout& layout, std::string backend)
    : golden_(golden::Golden::open(golden)),
      layout_(layout),
      backend_(std::move(backend)),
      plan_(sharded_plan(replay::plan_of(golden_), layout, reference::registry())),
      recording_(golden_.activations(), plan_),
      between_(compare::taps_between_ranks(plan_)) {}

bool RankGround::wanted(const std::string& tap) const { return recording_.has(tap) || between_.contains(tap); }

replay::Computation RankGround::computation(const Edited& edited) const {
  return computation_of(edited, {backend_}, golden_.parameters(), recording_);
}

compare::Mode RankGround::whole() const {
  const DType type = golden_.facts().dtype;
  return type == DType::f32 || type == DType::f64 ? Mode::chained : Mode::forced;
}

compare::GoldenReport RankGround::judged(const replay::Computation& computation, const std::string& word,
                                         Mode mode) const {
  compare::RunOptions options;
  options.mode = mode;
  options.layout = layout_;
  options.candidate = compare::RunOptions::Candidate::computed;
  options.computed = word;
  options.compute = [&](const auto&, const auto&, const auto&) { return computation; };
  options.policy = compare::Policy::bounds;
  return compare::run_golden(golden_, options);
}

compare::GoldenReport RankGround::judged() const {
  const std::string word = backend_.empty() ? "reference" : backend_;
  const replay::Computation right = computation(unedited(plan_));
  compare::GoldenReport report = judged(right, word, Mode::isolated);
  return compare::is_green(report.verdict) ? judged(right, word, whole()) : report;
}

RankGround::Change RankGround::changed(const Edited& edited) const {
  const bool messages = edited.nodes.empty();
  const Execution::Mode mode = !messages                 ? Execution::Mode::isolated
                               : whole() == Mode::forced ? Execution::Mode::forced
                                                         : Execution::Mode::chained;
  const auto faulty = std::make_shared<const replay::Computation>(computation(edited));
  replay::Computation own = computation(unedited(plan_));
  own.edited = faulty->edited;  // without a kernel, the reference computes these in both
  const Execution wrong(faulty, recording_, mode, [this](const std::string& tap) { return wanted(tap); });
  const Execution right(std::make_shared<const replay::Computation>(own), recording_, mode,
                        [this](const std::string& tap) { return wanted(tap); });
  Change first;
  for (const Node& node : plan_.nodes) {
    if (!messages && !edited.nodes.contains(replay::Computation::key_of(node))) continue;
    for (const auto& [field, output] : node.outputs) {
      const std::string tap = without_rank(output.name);
      if (!first.tap.empty() && tap != first.tap) continue;
      if (!wrong.has(output.name) || !right.has(output.name)) continue;
      if (same(wrong.read(output.name), right.read(output.name))) continue;
      first.tap = tap;
      first.ranks.push_back(node.rank);
      for (const auto& [name, result] : node.outputs) first.beside.insert(without_rank(result.name));
    }
  }
  std::sort(first.ranks.begin(), first.ranks.end());
  return first;
}

RankTrial run_rank_trial(const Fault& fault, const RankTarget& target, const RankGround& ground) {
  RankTrial trial;
  trial.fault = fault.id;
  trial.word = placed_word(fault.id, target);
  trial.golden = ground.golden().folder().string();
  trial.layout = ground.layout();
  trial.of_link = edits_messages(fault);
  const auto edited = applied(at_ranks(fault, target), ground.plan());
  if (!edited || edited->places.empty()) return trial;
  replay::Computation computation = ground.computation(*edited);
  if (!computation.lacking.empty()) return trial;  // a backend without kernels of this type
  const auto& kernels = computation.kernels.kernels;
  if (!trial.of_link && !kernels.empty() && !kernels.contains(fault.component)) trial.lent = fault.component;
  const RankGround::Change change = ground.changed(*edited);
  trial.tap = change.tap;
  trial.wrong = change.ranks;
  if (trial.tap.empty()) return trial;
  const std::string word = "fault:" + trial.word;
  if (!trial.of_link) {
    computation.only = shown_by(*edited, ground.plan());
    fill(ground.judged(computation, word, Mode::isolated), change, {}, trial);
    computation.only.clear();
  }
  if (!trial.killed()) fill(ground.judged(computation, word, ground.whole()), change, senders_of(*edited), trial);
  return trial;
}

}  // namespace parity::faults
