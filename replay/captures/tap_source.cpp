// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/captures/tap_source.hpp"

#include <algorithm>
#include <cstdint>

namespace parity::replay {
namespace {

constexpr size_t kZeros = SIZE_MAX;  // of a slot that no part covers

/// How many slots from `slot` on have the same owner.
int64_t run_length(const std::vector<size_t>& owners, size_t slot) {
  const auto begin = owners.begin() + static_cast<int64_t>(slot);
  return std::find_if(begin, owners.end(), [&](size_t owner) { return owner != *begin; }) - begin;
}

}  // namespace

bool TapSource::from_parts(const std::string& cache) const {
  const auto& parts = plan_.histories.at(cache);
  return std::all_of(parts.begin(), parts.end(), [&](const HistoryPart& part) { return has(part.tap); });
}

const std::string* TapSource::later_cache(const std::string& cache) const {
  const std::string& last = plan_.histories.at(cache).back().tap;
  for (const auto& [other, parts] : plan_.histories) {
    const auto holds = [&](const HistoryPart& part) { return part.tap == last; };
    if (has(other) && std::any_of(parts.begin(), parts.end(), holds)) return &other;
  }
  return nullptr;
}

bool TapSource::anchored(const std::string& cache) const {
  if (has(cache)) return true;
  if (!plan_.histories.contains(cache)) return false;  // a part of a cache, cut for one rank
  if (from_parts(cache)) return true;
  const int producer = plan_.tap(cache).producer;
  if (producer < 0) return false;  // a given cache
  const auto& inputs = plan_.nodes[static_cast<size_t>(producer)].inputs;
  const auto past = inputs.find("past");
  return past != inputs.end() && anchored(past->second.front().name);
}

bool TapSource::available(const std::string& tap) const {
  if (has(tap)) return true;
  if (!plan_.histories.contains(tap)) return false;
  // A later cache is used only as the last resort: it is judged after the taps that would use it here.
  return from_parts(tap) || (!anchored(tap) && later_cache(tap) != nullptr);
}

bool TapSource::is_cut_from(const std::string& cache, const std::string& later) const {
  if (has(cache) || !plan_.histories.contains(cache) || from_parts(cache)) return false;
  const std::string* found = later_cache(cache);
  return found != nullptr && *found == later;
}

Tensor TapSource::read_part(const std::string& part, const std::string& axes) const {
  Tensor whole = read(part);
  const int producer = plan_.tap(part).producer;
  if (producer < 0) return whole;  // a given cache has the axes of the cache
  return convert(whole.view().view_as(axes, plan_.sizes_of(plan_.nodes[static_cast<size_t>(producer)])), whole.dtype());
}

Tensor TapSource::read_history(const std::string& tap) const {
  const TapInfo& info = plan_.tap(tap);
  const auto& history = plan_.histories.at(tap);
  std::vector<Tensor> parts;
  std::vector<int64_t> firsts;  // slot of the cache at which each part begins
  std::vector<size_t> owners(static_cast<size_t>(info.shape[2]), kZeros);
  const auto add = [&](Tensor part, int64_t first, int64_t length) {
    PARITY_CHECK(first >= 0 && length >= 0 && first + length <= info.shape[2], internal,
                 "cache {} has {} slots, but a recorded part of it covers slots {} to {}", tap, info.shape[2], first,
                 first + length);
    std::fill_n(owners.begin() + first, length, parts.size());
    parts.push_back(std::move(part));
    firsts.push_back(first);
  };
  if (from_parts(tap)) {
    for (const HistoryPart& part : history) add(read_part(part.tap, part.axes), part.first, part.length);
  } else {
    // Later calls write slots after those of this cache or, if a static cache was cropped, some of its last slots.
    const std::string& later = *later_cache(tap);
    int64_t used = history.back().first + history.back().length;
    const auto& parts_of_later = plan_.histories.at(later);
    const auto last = std::find_if(parts_of_later.begin(), parts_of_later.end(),
                                   [&](const HistoryPart& part) { return part.tap == history.back().tap; });
    PARITY_CHECK(last != parts_of_later.end(), internal, "cache {} lacks the last part of {}", later, tap);
    for (auto part = last + 1; part < parts_of_later.end(); ++part) used = std::min(used, part->first);
    add(read(later), 0, used);
  }
  // Parts of a capture may be stored in several types. Binary64 can represent all of them.
  const bool mixed = std::any_of(parts.begin(), parts.end(),
                                 [&](const Tensor& part) { return part.dtype() != parts.front().dtype(); });
  std::vector<Tensor> made;
  std::vector<TensorView> views;
  for (size_t slot = 0; slot < owners.size(); slot += static_cast<size_t>(views.back().shape[2])) {
    const int64_t length = run_length(owners, slot);
    Shape zeros = info.shape;
    zeros[2] = length;
    TensorView view = owners[slot] == kZeros ? made.emplace_back(parts.front().dtype(), zeros, info.axes).view()
                                             : parts[owners[slot]].view();
    view.axes = info.axes;
    if (owners[slot] != kZeros) view = slice(view, 'K', static_cast<int64_t>(slot) - firsts[owners[slot]], length);
    if (mixed) view = made.emplace_back(convert(view, DType::f64)).view();
    views.push_back(view);
  }
  return concatenate(views, 'K');
}

std::vector<bool> TapSource::uncomputed(const std::string&) const { return {}; }

Tensor TapSource::read(const std::string& tap) const {
  if (has(tap)) return held(tap);
  PARITY_CHECK(available(tap), not_found, "tap {} is neither recorded nor computable from recorded taps; record it",
               tap);
  return read_history(tap);
}

bool Sources::together(const std::string& one, const std::string& other) const {
  const auto first = fused.find(one);
  const auto second = fused.find(other);
  return first != fused.end() && second != fused.end() && first->second == second->second;
}

}  // namespace parity::replay
