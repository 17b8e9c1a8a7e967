// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations/relations.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <set>

#include "cases/parallel.hpp"
#include "cases/threads.hpp"
#include "faults/catalogue.hpp"
#include "faults/relations/relation_battery.hpp"

namespace parity::faults {

namespace {

using MakeBattery = Battery (*)(uint64_t seed, const Tried& tried);

constexpr MakeBattery kBatteries[] = {
    [](uint64_t seed, const Tried& tried) { return decoder_relations("minimax_m3_vl", seed, tried); },
    [](uint64_t seed, const Tried& tried) { return decoder_relations("minimax_m2", seed, tried); },
    [](uint64_t seed, const Tried& tried) { return decoder_relations("minimax_text_01", seed, tried); },
    [](uint64_t seed, const Tried& tried) { return cache_relations("minimax_m3_vl", seed, tried); },
    [](uint64_t seed, const Tried& tried) { return cache_relations("minimax_m2", seed, tried); },
    [](uint64_t seed, const Tried& tried) { return cache_relations("minimax_text_01", seed, tried); },
    tower_relations,
    media_relations,
    nemo_relations,
    process_relations};

/// Returns for each battery the components of its models. A fault of another component is not tried on it.
const std::vector<std::set<std::string>>& components() {
  static const std::vector<std::set<std::string>> all = [] {
    std::vector<std::set<std::string>> sets;
    const Tried reference;
    for (const MakeBattery& make : kBatteries) sets.push_back(make(1, reference).components());
    return sets;
  }();
  return all;
}

}  // namespace

const char* to_string(Relation relation) {
  constexpr const char* kNames[] = {"holds", "BROKEN", "inconclusive", "not shown"};
  return kNames[static_cast<size_t>(relation)];
}

Relation RelationResult::verdict() const {
  if (lacking) return Relation::not_shown;
  if (!refused.empty()) return Relation::broken;
  if (computed.empty()) return Relation::not_shown;
  if (equal ? deviation <= within : deviation > within) return Relation::holds;
  return flip.empty() ? Relation::broken : Relation::inconclusive;
}

std::vector<RelationResult> run_relations(const Tried& tried, uint64_t seed) {
  const cases::Threads one(1);  // such small models would only wait for threads
  const Fault* fault = tried.fault;
  std::vector<RelationResult> all;
  for (size_t i = 0; i < std::size(kBatteries); ++i) {
    if (fault != nullptr && !components()[i].contains(fault->component)) continue;
    const Battery battery = kBatteries[i](seed, tried);
    if (!battery.concerned()) continue;
    all.insert(all.end(), battery.results().begin(), battery.results().end());
  }
  PARITY_CHECK(!all.empty(), usage,
               "the small models of parity relations have no node in which fault {} can be planted",
               fault == nullptr ? "" : fault->id);
  return all;
}

bool all_hold(const std::vector<RelationResult>& results) {
  const auto any = [&](Relation relation) {
    return std::any_of(results.begin(), results.end(),
                       [&](const auto& result) { return result.verdict() == relation; });
  };
  return any(Relation::holds) && !any(Relation::broken) && !any(Relation::inconclusive);
}

std::vector<BrokenRelations> study_relations(const std::vector<Fault>& faults, uint64_t seed, int threads,
                                             const std::function<void(size_t)>& progress) {
  std::vector<BrokenRelations> found(faults.size());
  std::atomic<size_t> done = 0;
  cases::in_parallel(threads, static_cast<int64_t>(faults.size()), [&](int64_t i) {
    BrokenRelations& one = found[static_cast<size_t>(i)];
    one.fault = &faults[static_cast<size_t>(i)];
    std::vector<RelationResult> results;
    if (progress) progress(done++);
    try {
      results = run_relations(planted(*one.fault), seed);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::usage) throw;
      return;
    }
    one.has_place = true;
    for (const RelationResult& result : results) {
      if (!result.holds()) one.broken.emplace_back(result.relation, result.subject);
    }
  });
  return found;
}

}  // namespace parity::faults
