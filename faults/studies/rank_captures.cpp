// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/rank_captures.hpp"

#include <algorithm>
#include <functional>
#include <memory>

#include "cases/parallel.hpp"
#include "compare/goldens/golden_run.hpp"
#include "core/random.hpp"
#include "core/sharding/rank_names.hpp"
#include "core/sharding/sharded_plan.hpp"
#include "faults/studies/fixture.hpp"
#include "faults/values/draws.hpp"
#include "golden/golden.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"

namespace parity::faults {
namespace {

/// One way to damage the numbers of a tap.
struct Damage {
  const char* name;
  std::function<double(const TensorView&, int64_t)> value;
};

const std::vector<Damage>& damages() {
  static const std::vector<Damage> all{
      {"zeros", [](const TensorView&, int64_t) { return 0.0; }},
      {"twice", [](const TensorView& x, int64_t i) { return 2.0 * x.value(i); }},
      {"shifted", [](const TensorView& x, int64_t i) { return x.value((i + 1) % x.count()); }},
      {"half", [](const TensorView& x, int64_t i) { return 2 * i < x.count() ? x.value(i) : 0.0; }},
      {"negated", [](const TensorView& x, int64_t i) { return -x.value(i); }}};
  return all;
}

/// A capture that is open, with the taps that can be damaged.
struct OpenCapture {
  golden::Golden golden;
  golden::ActivationFile file;
  Layout layout;
  std::vector<std::string> taps;

  explicit OpenCapture(const RankCapture& capture)
      : golden(golden::Golden::open(capture.golden)), file(golden::ActivationFile::open(capture.file)) {
    const auto found = file.attributes().find("layout");
    PARITY_CHECK(found != file.attributes().end(), schema, "{} has no attribute 'layout'", capture.file.string());
    layout = parse_layout(found->second);
    const Plan plan = sharded_plan(replay::plan_of(golden), layout, reference::registry());
    for (const auto& [tap, info] : plan.taps) {
      const bool numbers = info.producer >= 0 && file.contains(tap) && is_float(file.at(tap).dtype);
      if (numbers && rank_of_tap(tap) >= 0 && element_count(info.shape) > 1) taps.push_back(tap);
    }
  }
};

compare::GoldenReport judged(const OpenCapture& capture, const std::map<std::string, Tensor>& changed) {
  compare::RunOptions options;
  options.mode = compare::Mode::isolated;
  options.candidate = compare::RunOptions::Candidate::capture;
  options.capture = capture.file.path();
  options.layout = capture.layout;
  options.changed = changed;
  return compare::run_golden(capture.golden, options);
}

Tensor damaged(const Tensor& tap, const Damage& damage) {
  const Tensor wide = widen(tap);
  const Tensor values(DType::f64, tap.shape(), tap.view().axes);
  for (int64_t i = 0; i < tap.view().count(); ++i) values.f64()[i] = damage.value(wide.view(), i);
  return convert(values.view(), tap.dtype());
}

/// Whether all numbers are equal: -0 is 0.
bool equal_numbers(const Tensor& a, const Tensor& b) {
  for (int64_t i = 0; i < a.view().count(); ++i) {
    if (a.view().value(i) != b.view().value(i)) return false;
  }
  return true;
}

RankTrial drawn_damage(const OpenCapture& capture, Draws draws) {
  RankTrial trial;
  for (int attempt = 0; attempt < 100 && !trial.planted(); ++attempt) {
    const std::string& tap = capture.taps[static_cast<size_t>(draws.below(static_cast<int64_t>(capture.taps.size())))];
    const Damage& damage = damages()[static_cast<size_t>(draws.below(static_cast<int64_t>(damages().size())))];
    const Tensor right = capture.file.read(tap);
    const Tensor wrong = damaged(right, damage);
    if (equal_numbers(right, wrong)) continue;
    trial.fault = std::string("capture-") + damage.name;
    trial.word = fmt::format("{} {}", trial.fault, tap);
    trial.golden = capture.file.path().string();
    trial.layout = capture.layout;
    trial.of_capture = true;
    trial.tap = without_rank(tap);
    trial.wrong = {rank_of_tap(tap)};
    const compare::GoldenReport report = judged(capture, {{tap, wrong}});
    trial.verdict = report.verdict == compare::Status::error ? compare::Status::fail : report.verdict;
    if (report.first_divergence) trial.named_tap = report.first_divergence->tap;
    if (report.ranks) trial.text = report.ranks->text;
    trial.named = trial.named_tap == tap && report.ranks && report.ranks->wrong == trial.wrong;
  }
  return trial;
}

}  // namespace

std::vector<RankCapture> rank_captures(const std::filesystem::path& folder, const std::filesystem::path& data) {
  std::vector<RankCapture> captures;
  if (!std::filesystem::is_directory(folder)) return captures;
  for (const auto& golden : std::filesystem::directory_iterator(folder)) {
    if (!golden.is_directory()) continue;
    for (const auto& file : std::filesystem::directory_iterator(golden))
      captures.push_back({file.path(), data / golden.path().filename()});
  }
  std::sort(captures.begin(), captures.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  return captures;
}

std::vector<RankTrial> damage_rank_captures(const std::vector<RankCapture>& captures, int64_t count, uint64_t seed,
                                            int threads, std::vector<CleanRun>& clean) {
  if (captures.empty()) return {};
  std::vector<std::unique_ptr<OpenCapture>> open;
  for (const RankCapture& capture : captures) open.push_back(std::make_unique<OpenCapture>(capture));
  std::vector<char> known(open.size());  // not of a layout with taps that the plan lacks
  std::vector<CleanRun> runs(open.size());
  cases::in_parallel(threads, static_cast<int64_t>(open.size()), [&](int64_t i) {
    const OpenCapture& capture = *open[static_cast<size_t>(i)];
    const compare::GoldenReport report = judged(capture, {});
    const std::string alarm = alarm_of(report);
    known[static_cast<size_t>(i)] = report.unknown_taps.empty();
    runs[static_cast<size_t>(i)] = {capture.layout, alarm.empty() ? "" : capture.file.path().string() + ": " + alarm};
  });
  std::vector<const OpenCapture*> usable;
  for (size_t i = 0; i < open.size(); ++i) {
    if (known[i] == 0) continue;
    usable.push_back(open[i].get());
    clean.push_back(runs[i]);
  }
  if (usable.empty()) return {};
  std::vector<RankTrial> trials(static_cast<size_t>(count));
  const Random seeds(seed, "damaged captures of ranks");
  cases::in_parallel(threads, count, [&](int64_t i) {
    Draws draws(seeds.bits(static_cast<uint64_t>(i)));
    const auto at = static_cast<size_t>(draws.below(static_cast<int64_t>(usable.size())));
    trials[static_cast<size_t>(i)] = drawn_damage(*usable[at], draws);
  });
  return trials;
}

}  // namespace parity::faults
