// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/values/value_study.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <memory>
#include <mutex>
#include <set>
#include <string_view>

#include <fmt/ranges.h>

#include "cases/guarded_run.hpp"
#include "cases/parallel.hpp"
#include "compare/values/divergent_values.hpp"
#include "core/text.hpp"
#include "faults/studies/effect.hpp"
#include "faults/values/value_frame.hpp"

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

bool same_bits(const Tensor& a, const Tensor& b) { return effect_of(a, b).changed == 0; }

/// The same values with the first `count` axes as one: a name may be of rows.
Target with_rows(const Target& target, size_t count) {
  std::vector<std::string> tokens = split_axes(target.axes);
  tokens.resize(target.shape.size());
  const auto end = target.shape.begin() + static_cast<std::ptrdiff_t>(count);
  Target result = target;
  result.shape.assign(end, target.shape.end());
  result.shape.insert(result.shape.begin(), element_count({target.shape.begin(), end}));
  tokens.erase(tokens.begin() + 1, tokens.begin() + static_cast<std::ptrdiff_t>(count));
  tokens.front().clear();
  result.axes = fmt::format("{}", fmt::join(tokens, ","));
  return result;
}

/// Whether `corruption` can give exactly these values: tries all choices, or, of too many, the first and random ones.
bool can_give(const ValueCorruption& corruption, const Target& target, const ValueMaterial& material,
              const Tensor& values, int64_t most) {
  if (!corruption.applies(target, material)) return false;
  const auto gives = [&](Choices& choices) {
    return same_bits(damaged(corruption, target, material, choices), values);
  };
  Choices all = Choices::all();
  for (int64_t tried = 0; tried < most; ++tried) {
    if (gives(all)) return true;
    if (!all.next()) return false;
  }
  for (int64_t tried = 0; tried < most; ++tried) {
    Choices drawn(static_cast<uint64_t>(tried));
    if (gives(drawn)) return true;
  }
  return false;
}

/// Whether every row of `values` is a recorded one, for rows of the last axis or of several last axes.
bool has_recorded_rows(const Target& target, const Tensor& recorded, const Tensor& values) {
  const Frame frame(target);
  const auto rows_of = [](const Tensor& tensor, int64_t length) {
    const auto bytes = static_cast<size_t>(length * size_of(tensor.dtype()));
    const char* data = reinterpret_cast<const char*>(tensor.view().data);
    std::set<std::string_view> rows;
    for (int64_t row = 0; row < tensor.view().count() / length; ++row)
      rows.emplace(data + static_cast<size_t>(row) * bytes, bytes);
    return rows;
  };
  int64_t length = 1;
  for (size_t axis = frame.rank(); axis-- > 1;) {
    length *= frame.extent(axis);
    if (length == 0) return false;
    if (length == 1) continue;  // single elements are no rows
    const auto rows = rows_of(values, length), known = rows_of(recorded, length);
    if (std::includes(known.begin(), known.end(), rows.begin(), rows.end())) return true;
  }
  return false;
}

/// Whether all changed elements hold one number.
bool is_constant(const Tensor& recorded, const Tensor& values) {
  std::set<uint64_t> numbers;
  for (int64_t i = 0; i < values.view().count(); ++i) {
    const uint64_t bits = cases::bits_at(values.view(), i);
    if (bits != cases::bits_at(recorded.view(), i)) numbers.insert(bits);
  }
  return numbers.size() == 1;
}

/// Whether the name `kind` is true of these values: exchanging two of two rows also reverses them.
bool is_true_of(compare::ValueKind kind, const Target& target, const ValueMaterial& material, const Tensor& values) {
  // Most names are found with little work. All of it takes a minute, but only a wrong name needs all.
  constexpr std::array<int64_t, 3> kMostElements{20'000'000, 200'000'000, 2'000'000'000};
  if (kind == compare::ValueKind::constant && is_constant(material.recorded, values)) return true;
  if (kind == compare::ValueKind::permuted && has_recorded_rows(target, material.recorded, values)) return true;
  std::vector<Target> targets{target};
  targets.front().dtype = DType::f64;  // a name of numbers may be true of ids
  for (size_t count = 1; count <= target.shape.size(); ++count) targets.push_back(with_rows(targets.front(), count));
  const int64_t work = std::max<int64_t>(values.view().count(), 1) * std::ssize(targets);
  for (const int64_t elements : kMostElements) {
    for (const Target& seen : targets) {
      for (const ValueCorruption& corruption : value_corruptions()) {
        if (corruption.kind == kind && can_give(corruption, seen, material, values, elements / work)) return true;
      }
    }
  }
  return false;
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
