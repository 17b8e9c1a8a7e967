// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/values/value_study.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "cases/parallel.hpp"
#include "compare/values/divergent_values.hpp"
#include "core/text.hpp"
#include "faults/studies/effect.hpp"
#include "faults/values/true_names.hpp"

namespace parity::faults {
namespace {

/// Returns the input in the order of the tap's axes, or unchanged if it has other axes.
Tensor in_the_order_of(const Target& target, const Tensor& input) {
  try {
    return copied_as(input.view(), target.axes, target.sizes);
  } catch (const Error&) {  // other axes: keeps the memory order
    return input;
  }
}

/// Returns the tap of this name in other layers, and the recorded inputs of its node.
ValueMaterial material_of(const Fixture& fixture, const Target& target) {
  ValueMaterial material;
  const replay::Recording& recording = fixture.recording();
  material.recorded = recording.read(target.tap);
  for (const std::string& other : target.others) material.others.push_back(recording.read(other));
  const Plan& plan = fixture.plan();
  const int producer = plan.tap(target.tap).producer;
  for (const auto& [field, operands] : plan.nodes[static_cast<size_t>(producer)].inputs) {
    const Operand& operand = operands.front();
    if (operands.size() != 1 || operand.kind != Operand::Kind::tap || !recording.available(operand.name)) continue;
    const Tensor input = in_the_order_of(target, recording.read(operand.name));
    if (input.view().count() == element_count(target.shape) && is_float(input.dtype()))
      material.inputs.push_back(input);
  }
  return material;
}

void judge(const golden::Golden& golden, const std::string& tap, const Tensor& values, ValueTrial& trial) {
  compare::RunOptions options;
  options.changed = {{tap, values}};
  options.mode = compare::Mode::isolated;
  options.select = tap;
  const compare::GoldenReport report = compare::run_golden(golden, options);
  trial.noticed = report.first_divergence && report.first_divergence->tap == tap;
  if (trial.noticed) trial.said = compare::divergent_values(golden, options, report);
}

struct ValueSite {
  const Fixture* fixture;
  const Target* target;
};

struct ValueMenu {
  const ValueCorruption* corruption;
  std::vector<ValueSite> places;
};

std::vector<ValueMenu> menus_of(const std::vector<std::unique_ptr<Fixture>>& fixtures, const std::string& only) {
  std::vector<ValueMenu> menus;
  for (const ValueCorruption& corruption : value_corruptions()) {
    if (glob_match(only, corruption.name)) menus.push_back({&corruption, {}});
  }
  for (const auto& fixture : fixtures) {
    for (const Target& target : fixture->targets()) {
      const ValueMaterial material = material_of(*fixture, target);
      for (ValueMenu& menu : menus) {
        if (menu.corruption->applies(target, material)) menu.places.push_back({fixture.get(), &target});
      }
    }
  }
  std::erase_if(menus, [](const ValueMenu& menu) { return menu.places.empty(); });
  return menus;
}

/// Draws a kind and then a tap, until the damage changes something that the judge notices.
ValueTrial drawn_trial(const std::vector<ValueMenu>& menus, Draws draws, std::atomic<int64_t>& redrawn,
                       std::atomic<int64_t>& unnoticed) {
  constexpr int kMostDraws = 1000;
  for (int attempt = 0; attempt < kMostDraws; ++attempt) {
    const ValueMenu& menu = menus[static_cast<size_t>(draws.below(static_cast<int64_t>(menus.size())))];
    const ValueSite& place = menu.places[static_cast<size_t>(draws.below(static_cast<int64_t>(menu.places.size())))];
    ValueTrial trial = run_value_trial(*place.fixture, *place.target, *menu.corruption, draws.bits());
    if (trial.noticed) return trial;
    ++(trial.changed >= kFewestDamaged ? unnoticed : redrawn);
  }
  throw Error(ErrorCode::usage,
              fmt::format("{} random corruptions in a row changed nothing; use other goldens", kMostDraws));
}

}  // namespace

ValueTrial run_value_trial(const Fixture& fixture, const Target& target, const ValueCorruption& corruption,
                           uint64_t seed) {
  ValueTrial trial{fixture.golden().folder().string(), target.tap, corruption.name, seed, &corruption};
  const ValueMaterial material = material_of(fixture, target);
  Choices choices(seed);
  const Tensor values = damaged(corruption, target, material, choices);
  trial.changed = effect_of(material.recorded, values).changed;
  if (trial.changed < kFewestDamaged) return trial;
  judge(fixture.golden(), target.tap, values, trial);
  if (trial.said && trial.said->kind != corruption.kind)
    trial.equivalent = is_true_of(trial.said->kind, target, material, values);
  return trial;
}

int64_t ValueStudy::named() const {
  return std::count_if(trials.begin(), trials.end(), [](const ValueTrial& t) { return t.named(); });
}

int64_t ValueStudy::misnamed() const {
  return std::count_if(trials.begin(), trials.end(), [](const ValueTrial& t) { return t.misnamed(); });
}

double ValueStudy::named_rate() const {
  return trials.empty() ? 0.0 : static_cast<double>(named()) / static_cast<double>(trials.size());
}

std::vector<ValueTally> ValueStudy::by_kind() const {
  std::vector<ValueTally> tallies;
  for (const ValueCorruption& corruption : value_corruptions()) {
    ValueTally tally{&corruption};
    for (const ValueTrial& trial : trials) {
      if (trial.corruption != &corruption) continue;
      ++tally.runs;
      tally.named += trial.named() ? 1 : 0;
      tally.misnamed += trial.misnamed() ? 1 : 0;
      tally.equivalent += trial.equivalent ? 1 : 0;
    }
    if (tally.runs > 0) tallies.push_back(tally);
  }
  return tallies;
}

ValueStudy run_value_study(const ValueStudyOptions& options) {
  std::vector<std::unique_ptr<Fixture>> fixtures;
  for (const std::filesystem::path& path : options.goldens) fixtures.push_back(std::make_unique<Fixture>(path));
  const std::vector<ValueMenu> menus = menus_of(fixtures, options.only);
  PARITY_CHECK(!menus.empty(), usage, "no kind of change matches '{}', or no golden has a tap for it", options.only);
  ValueStudy study;
  study.trials.resize(static_cast<size_t>(std::max<int64_t>(options.corruptions, 0)));
  std::atomic<int64_t> redrawn{0}, unnoticed{0};
  std::mutex mutex;
  size_t done = 0;
  const Random seeds(options.seed, "value corruptions");
  cases::in_parallel(options.threads, options.corruptions, [&](int64_t i) {
    study.trials[static_cast<size_t>(i)] =
        drawn_trial(menus, Draws(seeds.bits(static_cast<uint64_t>(i))), redrawn, unnoticed);
    const std::scoped_lock lock(mutex);
    if (options.progress) options.progress(++done, study.trials.size());
  });
  study.redrawn = redrawn;
  study.unnoticed = unnoticed;
  return study;
}

}  // namespace parity::faults
