// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/machine/order.hpp"

#include <algorithm>

namespace parity::ptx {
namespace {

void raise(std::vector<uint32_t>& times, const std::vector<uint32_t>& by) {
  for (size_t i = 0; i < times.size(); ++i) times[i] = std::max(times[i], by[i]);
}

void raise(std::map<uint32_t, Times>& others, uint32_t block, const Times& times) {
  Times& mine = others[block];
  if (mine == times) return;
  if (mine == nullptr) {
    mine = times;
    return;
  }
  auto both = std::make_shared<std::vector<uint32_t>>(*mine);
  raise(*both, *times);
  mine = std::move(both);
}

}  // namespace

Known join(const Known& mine, const Known& theirs) {
  if (mine == nullptr || mine == theirs) return theirs;
  if (theirs == nullptr) return mine;
  Gathering both(mine->home, static_cast<uint32_t>(mine->own->size()));
  both.add(mine);
  both.add(theirs);
  return both.take();
}

bool knows(const Known& known, uint32_t block, uint32_t thread, uint32_t time) {
  if (known == nullptr) return false;
  if (known->home == block) return (*known->own)[thread] >= time;
  const auto found = known->others.find(block);
  return found != known->others.end() && (*found->second)[thread] >= time;
}

void Gathering::add(const Known& known) {
  if (known == nullptr || std::find(seen_.begin(), seen_.end(), known.get()) != seen_.end()) return;
  seen_.push_back(known.get());
  if (known->home == home_) {
    raise(own_, *known->own);
  } else {
    raise(others_, known->home, known->own);
  }
  for (const auto& [block, times] : known->others) {
    if (block == home_) {
      raise(own_, *times);
    } else {
      raise(others_, block, times);
    }
  }
}

Known Gathering::take() {
  auto result = std::make_shared<Knowledge>();
  result->home = home_;
  result->own = std::make_shared<const std::vector<uint32_t>>(std::move(own_));
  result->others = std::move(others_);
  return result;
}

void Published::add(const Known& known, Scope scope, bool replace) {
  for (size_t level = 0; level < at.size(); ++level) {
    if (replace) at[level] = nullptr;
    if (level <= static_cast<size_t>(scope)) at[level] = join(at[level], known);
  }
}

}  // namespace parity::ptx
