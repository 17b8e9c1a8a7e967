// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/rank_study.hpp"

#include <algorithm>
#include <map>
#include <mutex>
#include <set>

#include "cases/parallel.hpp"
#include "core/random.hpp"
#include "core/sharding/rank_names.hpp"
#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "faults/studies/fixture.hpp"
#include "faults/studies/rank_captures.hpp"
#include "faults/studies/rank_trial.hpp"
#include "faults/values/draws.hpp"

namespace parity::faults {
namespace {

using Grounds = std::map<std::pair<std::string, std::string>, std::shared_ptr<const RankGround>>;

/// The goldens in the layouts of faults, made once each.
class GroundsOf {
 public:
  explicit GroundsOf(const RankStudyOptions& options) : options_(options) {}

  /// Returns nullptr if the package refuses the layout for this golden.
  std::shared_ptr<const RankGround> at(const std::filesystem::path& golden, const std::string& layout) {
    const std::scoped_lock lock(mutex_);
    const auto [found, fresh] = grounds_.try_emplace({golden.string(), layout});
    if (!fresh) return found->second;
    try {
      found->second = std::make_shared<const RankGround>(golden, parse_layout(layout), options_.backend);
    } catch (const Error& error) {
      if (error.code() != ErrorCode::unsupported) throw;
    }
    return found->second;
  }

 private:
  const RankStudyOptions& options_;
  std::mutex mutex_;
  Grounds grounds_;
};

int drawn_other(Draws& draws, int64_t first, int64_t count, std::set<int64_t> taken) {
  std::vector<int64_t> left;
  for (int64_t rank = first; rank < first + count; ++rank) {
    if (!taken.contains(rank)) left.push_back(rank);
  }
  return left.empty() ? -1
                      : static_cast<int>(left[static_cast<size_t>(draws.below(static_cast<int64_t>(left.size())))]);
}

/// Peers divide the weights; where these are not divided, the tokens.
RankTarget drawn_target(Draws& draws, const Layout& layout) {
  RankTarget target;
  target.rank = static_cast<int>(draws.below(layout.ranks()));
  const int64_t together = layout.group() > 1 ? layout.group() : layout.cp, first = target.rank / together * together;
  target.peer = std::max(drawn_other(draws, first, together, {target.rank}), 0);
  target.third = std::max(drawn_other(draws, first, together, {target.rank, target.peer}), 0);
  const int64_t groups = layout.ranks() / layout.group(), next = groups > 1 ? 1 + draws.below(groups - 1) : 0;
  target.across = static_cast<int>((target.rank + next * layout.group()) % layout.ranks());
  return target;
}

RankTrial drawn_trial(const Fault& fault, const RankStudyOptions& options, Draws draws, GroundsOf& grounds) {
  constexpr int kMostDraws = 60;
  RankTrial trial;
  trial.fault = fault.id;
  for (int attempt = 0; attempt < kMostDraws; ++attempt) {
    const auto& golden =
        options.goldens[static_cast<size_t>(draws.below(static_cast<int64_t>(options.goldens.size())))];
    const auto& layout = fault.layouts[static_cast<size_t>(draws.below(static_cast<int64_t>(fault.layouts.size())))];
    try {
      const auto ground = grounds.at(golden, layout);
      if (ground == nullptr) continue;
      trial = run_rank_trial(fault, drawn_target(draws, ground->layout()), *ground);
      if (trial.planted()) return trial;
    } catch (const std::exception& error) {
      trial.defect = fmt::format("{}, {}: {}", golden.string(), layout, error.what());
    }
  }
  return trial;
}

/// Judges each golden in each layout in which a fault was planted, without a fault.
void judge_clean(const RankStudyOptions& options, GroundsOf& grounds, RankStudy& study) {
  std::set<std::pair<std::string, std::string>> used;
  for (const RankTrial& trial : study.trials) {
    if (trial.planted()) used.emplace(trial.golden, layout_text(trial.layout));
  }
  const std::vector<std::pair<std::string, std::string>> all(used.begin(), used.end());
  study.clean.resize(all.size());
  cases::in_parallel(options.threads, static_cast<int64_t>(all.size()), [&](int64_t i) {
    const auto& [golden, layout] = all[static_cast<size_t>(i)];
    const std::string alarm = alarm_of(grounds.at(golden, layout)->judged());
    study.clean[static_cast<size_t>(i)] = {parse_layout(layout), alarm.empty() ? "" : layout + ": " + alarm};
  });
}

}  // namespace

const char* kind_name(RankKind kind) {
  static const char* const names[] = {"rank", "link", "rank, cp", "link, cp", "capture of ranks"};
  return names[static_cast<size_t>(kind)];
}

RankKind RankTrial::kind() const {
  if (of_capture) return RankKind::capture;
  if (layout.cp > 1) return of_link ? RankKind::context_link : RankKind::context_rank;
  return of_link ? RankKind::link : RankKind::rank;
}

void RankCounts::add(const RankTrial& trial) {
  ++asked;
  killed += trial.killed() ? 1 : 0;
  named += trial.killed() && trial.named ? 1 : 0;
}

RankCounts RankStudy::counts() const {
  RankCounts counts;
  for (const RankTrial& trial : trials) counts.add(trial);
  return counts;
}

std::vector<std::string> RankStudy::false_alarms() const {
  std::vector<std::string> alarms;
  for (const CleanRun& run : clean) {
    if (!run.alarm.empty()) alarms.push_back(run.alarm);
  }
  return alarms;
}

int64_t RankStudy::faults(bool planted) const {
  std::set<std::string> ids;
  for (const RankTrial& trial : trials) {
    if (trial.planted() || !planted) ids.insert(trial.fault);
  }
  return static_cast<int64_t>(ids.size());
}

bool RankStudy::holds() const {
  const RankCounts all = counts();
  const auto asked = static_cast<double>(all.asked);
  return all.asked > 0 && static_cast<double>(all.killed) >= kLeastRankFaultsKilled * asked &&
         static_cast<double>(all.named) >= kLeastRanksNamed * asked && false_alarms().empty();
}

RankStudy run_rank_study(const RankStudyOptions& options) {
  std::vector<const Fault*> planted;
  for (const Fault& fault : rank_catalogue()) {
    if (glob_match(options.select, fault.id)) planted.push_back(&fault);
  }
  RankStudy study;
  study.trials.resize(planted.size() * static_cast<size_t>(options.repeats));
  GroundsOf grounds(options);
  std::mutex mutex;
  size_t done = 0;
  cases::in_parallel(options.threads, static_cast<int64_t>(study.trials.size()), [&](int64_t i) {
    const auto index = static_cast<size_t>(i);
    const auto repeats = static_cast<size_t>(options.repeats);
    const Fault& fault = *planted[index / repeats];
    const Random seeds(options.seed, "faults of ranks: " + fault.id);  // whatever other faults there are
    study.trials[index] = drawn_trial(fault, options, Draws(seeds.bits(index % repeats)), grounds);
    const std::scoped_lock lock(mutex);
    if (options.progress) options.progress(++done, study.trials.size());
  });
  judge_clean(options, grounds, study);
  if (options.captures.empty() || options.select != "*") return study;
  const auto captures = rank_captures(options.captures, options.captures.parent_path() / "data");
  const auto damaged = damage_rank_captures(captures, static_cast<int64_t>(captures.size()) * options.repeats,
                                            options.seed, options.threads, study.clean);
  study.trials.insert(study.trials.end(), damaged.begin(), damaged.end());
  return study;
}

}  // namespace parity::faults
