// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/studies/study.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>

#include "cases/parallel.hpp"

namespace parity::faults {
namespace {

struct Site {
  const Fixture* fixture;
  const Target* target;
};

/// A kind of corruption with all the taps to which it applies.
struct Menu {
  const CorruptionKind* kind;
  std::vector<Site> places;
};

std::vector<Menu> menus_of(const std::vector<const Fixture*>& fixtures) {
  std::vector<Menu> menus;
  for (const CorruptionKind& kind : corruption_kinds()) {
    Menu menu{&kind, {}};
    for (const Fixture* fixture : fixtures) {
      for (const Target& target : fixture->targets()) {
        if (kind.applies(target)) menu.places.push_back({fixture, &target});
      }
    }
    if (!menu.places.empty()) menus.push_back(std::move(menu));
  }
  return menus;
}

/// Draws a kind and then a tap, until the corruption changes something.
Trial drawn_trial(const std::vector<Menu>& menus, Draws draws, bool explained, std::atomic<int64_t>& redrawn) {
  constexpr int kMostDraws = 1000;
  for (int attempt = 0; attempt < kMostDraws; ++attempt) {
    const Menu& menu = menus[static_cast<size_t>(draws.below(static_cast<int64_t>(menus.size())))];
    const Site& place = menu.places[static_cast<size_t>(draws.below(static_cast<int64_t>(menu.places.size())))];
    Trial trial = run_trial(*place.fixture, *place.target, *menu.kind, draws.bits(), explained);
    if (trial.effect.changed > 0) return trial;
    ++redrawn;
  }
  throw Error(ErrorCode::usage,
              fmt::format("{} random corruptions in a row changed nothing; use other goldens", kMostDraws));
}

}  // namespace

int64_t Study::killed() const {
  return std::count_if(trials.begin(), trials.end(), [](const Trial& t) { return t.flagged(); });
}
int64_t Study::named() const {
  return std::count_if(trials.begin(), trials.end(), [](const Trial& t) { return t.named_exactly(); });
}

int64_t Study::wrongly_explained() const {
  return std::count_if(trials.begin(), trials.end(), [](const Trial& t) { return !t.explained_by.empty(); });
}

double Study::kill_rate() const {
  return trials.empty() ? 0.0 : static_cast<double>(killed()) / static_cast<double>(trials.size());
}

double Study::named_rate() const {
  return killed() == 0 ? 0.0 : static_cast<double>(named()) / static_cast<double>(killed());
}

bool Study::holds() const {
  return kill_rate() >= kLeastKillRate && named_rate() >= kLeastNamedRate && false_alarms.empty() &&
         wrongly_explained() == 0;
}

std::vector<KindTally> Study::by_kind() const {
  std::vector<KindTally> tallies;
  for (const CorruptionKind& kind : corruption_kinds()) {
    KindTally tally{kind.name, kind.what, 0, 0, 0, 0.0, 0.0};
    for (const Trial& trial : trials) {
      if (trial.corruption.kind != kind.name) continue;
      ++tally.runs;
      if (!trial.flagged()) continue;
      const bool first = tally.killed++ == 0;
      tally.smallest_effect = first ? trial.effect.relative : std::min(tally.smallest_effect, trial.effect.relative);
      tally.lowest_signal = first ? trial.signal : std::min(tally.lowest_signal, trial.signal);
      if (trial.named_exactly()) ++tally.named;
    }
    tallies.push_back(std::move(tally));
  }
  return tallies;
}

Study run_study(const StudyOptions& options) {
  Study study;
  std::vector<std::unique_ptr<Fixture>> fixtures;
  std::vector<const Fixture*> trusted;
  for (const std::filesystem::path& path : options.goldens) {
    fixtures.push_back(std::make_unique<Fixture>(path));
    PARITY_CHECK(!fixtures.back()->golden().steps().empty(), unsupported,
                 "{}: contains no call of a model; name the recording of a model", path.string());
    std::string alarm = alarm_of(judge_undamaged(*fixtures.back()));
    if (alarm.empty()) {
      trusted.push_back(fixtures.back().get());  // elsewhere a kill would prove nothing
    } else {
      study.false_alarms.push_back(std::move(alarm));
    }
  }
  const std::vector<Menu> menus = menus_of(trusted);
  PARITY_CHECK(!menus.empty(), not_found,
               "none of the {} unaltered goldens passes, so corruptions would show nothing; name goldens that pass",
               options.goldens.size());
  study.trials.resize(static_cast<size_t>(std::max<int64_t>(options.corruptions, 0)));
  std::atomic<int64_t> redrawn{0};
  std::mutex mutex;
  size_t done = 0;
  const Random seeds(options.seed, "corruptions");
  cases::in_parallel(options.threads, options.corruptions, [&](int64_t i) {
    study.trials[static_cast<size_t>(i)] =
        drawn_trial(menus, Draws(seeds.bits(static_cast<uint64_t>(i))), options.explained, redrawn);
    const std::scoped_lock lock(mutex);
    if (options.progress) options.progress(++done, study.trials.size());
  });
  study.redrawn = redrawn;
  return study;
}

}  // namespace parity::faults
