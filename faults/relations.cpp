// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "faults/catalogue.hpp"
#include "faults/parallel.hpp"
#include "faults/relation_battery.hpp"

namespace parity::faults {

namespace {

using Make = Battery (*)(uint64_t seed, const Fault* fault);

constexpr Make kBatteries[] = {
    [](uint64_t seed, const Fault* fault) { return decoder_relations("minimax_m3_vl", seed, fault); },
    [](uint64_t seed, const Fault* fault) { return decoder_relations("minimax_m2", seed, fault); },
    [](uint64_t seed, const Fault* fault) { return decoder_relations("minimax_text_01", seed, fault); },
    [](uint64_t seed, const Fault* fault) { return cache_relations("minimax_m3_vl", seed, fault); },
    [](uint64_t seed, const Fault* fault) { return cache_relations("minimax_m2", seed, fault); },
    [](uint64_t seed, const Fault* fault) { return cache_relations("minimax_text_01", seed, fault); },
    tower_relations,
    media_relations,
    nemo_relations,
    process_relations};

/// What the models of each battery are made of: a fault of another component is not tried on them.
const std::vector<std::set<std::string>>& components() {
  static const std::vector<std::set<std::string>> all = [] {
    std::vector<std::set<std::string>> sets;
    for (const Make& make : kBatteries) sets.push_back(make(1, nullptr).components());
    return sets;
  }();
  return all;
}

}  // namespace

std::vector<RelationResult> run_relations(const Fault* fault, uint64_t seed) {
  std::vector<RelationResult> all;
  for (size_t i = 0; i < std::size(kBatteries); ++i) {
    if (fault != nullptr && !components()[i].contains(fault->component)) continue;
    const Battery battery = kBatteries[i](seed, fault);
    if (!battery.concerned()) continue;
    all.insert(all.end(), battery.results().begin(), battery.results().end());
  }
  PARITY_CHECK(!all.empty(), usage, "fault {} has no place in the small models that relations are tried on",
               fault == nullptr ? "" : fault->id);
  return all;
}

bool all_hold(const std::vector<RelationResult>& results) {
  return std::all_of(results.begin(), results.end(), [](const RelationResult& result) { return result.holds(); });
}

std::vector<BrokenRelations> study_relations(const std::vector<Fault>& faults, uint64_t seed, int threads) {
  std::vector<BrokenRelations> found(faults.size());
  in_parallel(threads, static_cast<int64_t>(faults.size()), [&](int64_t i) {
    BrokenRelations& one = found[static_cast<size_t>(i)];
    one.fault = &faults[static_cast<size_t>(i)];
    std::vector<RelationResult> results;
    try {
      results = run_relations(one.fault, seed);
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
