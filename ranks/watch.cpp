// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/watch.hpp"

#include <algorithm>
#include <sstream>

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace parity::ranks {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kLeast{20}, kMost{500};  // between two beats
constexpr milliseconds kFarewell{500};          // that the others have to hear of a failure, before the launcher does

std::string one_line(const std::string& text) {
  constexpr size_t kLongest = 500;
  std::string line = text.substr(0, kLongest);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

}  // namespace

Watch::Watch(int rank, Mesh mesh, milliseconds patience, Ends ends)
    : rank_(rank),
      mesh_(std::move(mesh)),
      patience_(patience),
      period_(std::clamp(patience / 20, kLeast, kMost)),
      ends_(std::move(ends)),
      states_(mesh_.size()),
      wake_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  for (State& state : states_) state.heard = state.changed = Clock::now();
  thread_ = std::thread([this] { watch(); });
}

Watch::~Watch() {
  part();
  thread_.join();
  close(wake_);
}

void Watch::wake() const {
  const uint64_t one = 1;
  static_cast<void>(!write(wake_, &one, sizeof one));
}

void Watch::waits_for(int rank, bool patient) {
  const std::scoped_lock lock(mutex_);
  State& own = states_[static_cast<size_t>(rank_)];
  own.waits_for = rank;
  own.patient = patient;
  ++own.progress;
  own.changed = Clock::now();
}

void Watch::goes_on() { waits_for(kComputes, false); }

void Watch::require_all() {
  std::unique_lock lock(mutex_);
  if (!failure_) return;
  left_.wait(lock, [this] { return has_left_; });
  throw RankFailed(failure_->first, static_cast<int>(states_.size()), failure_->second);
}

void Watch::fail(int rank, const std::string& why) noexcept {
  std::unique_lock lock(mutex_);
  if (parting_) return;
  if (!failure_) failure_.emplace(rank, one_line(why));
  wake();
  left_.wait(lock, [this] { return has_left_; });
}

void Watch::part() {
  const std::scoped_lock lock(mutex_);
  parting_ = true;
  wake();
}

void Watch::watch() {
  Clock::time_point next = Clock::now();
  while (true) {
    const Clock::time_point last = Clock::now();
    listen(std::clamp(std::chrono::duration_cast<milliseconds>(next - last), milliseconds(0), period_));
    forgive_own_pause(last);
    std::unique_lock lock(mutex_);
    if (!failure_ && !parting_) failure_ = late();
    if (failure_) {
      lock.unlock();
      return end();
    }
    if (Clock::now() >= next) {
      beat();
      next = Clock::now() + period_;
    }
    if (!parting_) continue;
    for (const auto& stream : mesh_) {
      if (stream) stream->send("E");
    }
    return;
  }
}

/// Says in one line what this process does. Call with the lock held.
void Watch::beat() {
  const State& own = states_[static_cast<size_t>(rank_)];
  const std::string line = fmt::format("B {} {} {}", own.waits_for, own.patient ? 1 : 0, own.progress);
  for (const auto& stream : mesh_) {
    if (stream) stream->send(line, true);
  }
}

/// Reads what the others say, for at most so long.
void Watch::listen(milliseconds most) {
  std::vector<pollfd> waited{{wake_, POLLIN, 0}};
  std::vector<int> ranks{rank_};
  for (size_t r = 0; r < mesh_.size(); ++r) {
    if (!mesh_[r] || states_[r].gone) continue;
    waited.push_back({mesh_[r]->descriptor(), POLLIN, 0});
    ranks.push_back(static_cast<int>(r));
  }
  poll(waited.data(), waited.size(), static_cast<int>(most.count()));
  uint64_t woken = 0;
  static_cast<void>(!read(wake_, &woken, sizeof woken));
  const std::scoped_lock lock(mutex_);
  for (size_t i = 1; i < waited.size(); ++i) {
    if (waited[i].revents == 0) continue;
    State& state = states_[static_cast<size_t>(ranks[i])];
    for (const std::string& line : mesh_[static_cast<size_t>(ranks[i])]->lines(state.gone)) hear(ranks[i], line);
    if (state.gone && !state.parted && !state.knows && !failure_) failure_ = {ranks[i], "its process has ended"};
  }
}

/// "B waits patient progress": it lives. "F rank why": a rank has failed. "E": it ends in good order.
void Watch::hear(int rank, const std::string& line) {
  State& state = states_[static_cast<size_t>(rank)];
  state.heard = Clock::now();
  std::istringstream words(line.substr(std::min<size_t>(line.size(), 2)));
  if (line[0] == 'E') state.parted = true;
  if (line[0] == 'B') {
    const uint64_t before = state.progress;
    words >> state.waits_for >> state.patient >> state.progress;
    if (state.progress != before) state.changed = state.heard;
  }
  if (line[0] == 'F') {
    state.knows = true;
    int failed = rank;
    std::string why;
    words >> failed;
    std::getline(words >> std::ws, why);
    if (!failure_) failure_ = {failed, why};
  }
}

/// If this process itself was stopped for a while, nobody else is to blame for that.
void Watch::forgive_own_pause(Clock::time_point last) {
  const Clock::time_point now = Clock::now();
  if (now - last < patience_ / 2) return;
  const std::scoped_lock lock(mutex_);
  for (State& state : states_) state.heard = state.changed = now;
}

std::optional<std::pair<int, std::string>> Watch::late() const {
  const Clock::time_point now = Clock::now();
  for (size_t r = 0; r < states_.size(); ++r) {
    const State& state = states_[r];
    if (static_cast<int>(r) == rank_ || state.parted || now - state.heard <= patience_) continue;
    return {{static_cast<int>(r), fmt::format("it has given no sign of life for {} ms", patience_.count())}};
  }
  const State& own = states_[static_cast<size_t>(rank_)];
  if (own.waits_for < 0 || own.patient) return std::nullopt;
  const int other = blamed(own.waits_for, now);
  if (now - std::max(own.changed, states_[static_cast<size_t>(other)].changed) <= patience_) return std::nullopt;
  return {{other, fmt::format("it has not sent what others wait for, for {} ms", patience_.count())}};
}

int Watch::blamed(int rank, Clock::time_point now) const {
  const auto waits = [&](int r) {
    const State& state = states_[static_cast<size_t>(r)];
    const bool silent = r != rank_ && now - state.heard > patience_ / 2;  // what it said last is not true any more
    return !silent && !state.parted && state.waits_for >= 0;
  };
  for (size_t steps = 0; steps < states_.size(); ++steps) {
    if (!waits(rank)) return rank;
    rank = states_[static_cast<size_t>(rank)].waits_for;
  }
  int lowest = rank;  // of a circle
  for (size_t steps = 0; steps < states_.size(); ++steps) {
    rank = states_[static_cast<size_t>(rank)].waits_for;
    lowest = std::min(lowest, rank);
  }
  return lowest;
}

/// Tells everybody, prints, and leaves when all others know: the launcher ends the rest when the first one leaves.
void Watch::end() {
  const auto [failed, why] = *failure_;
  for (const auto& stream : mesh_) {
    if (stream) stream->send(fmt::format("F {} {}", failed, why));
  }
  ends_.say(RankFailed(failed, static_cast<int>(states_.size()), why));
  const Clock::time_point until = Clock::now() + kFarewell;
  const auto heard_of_it = [&] {
    for (size_t r = 0; r < states_.size(); ++r) {
      const State& state = states_[r];
      const bool open = static_cast<int>(r) != rank_ && static_cast<int>(r) != failed;
      if (open && !state.gone && !state.parted && !state.knows) return false;
    }
    return true;
  };
  while (!heard_of_it() && Clock::now() < until) {
    for (const auto& stream : mesh_) {
      if (stream) stream->flush();
    }
    listen(kLeast);
  }
  if (ends_.leave) ends_.leave();
  const std::scoped_lock lock(mutex_);
  has_left_ = true;
  left_.notify_all();
}

}  // namespace parity::ranks
