// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/residents.hpp"

namespace parity::replay {
namespace {

/// Of a place that does not know its room: its memory is that of this machine, which holds other things, too.
constexpr int64_t kMostOfUnknown = int64_t{256} << 20;  // bytes
/// Weights leave this part of a place's memory to taps and to what kernels need while they run.
constexpr int64_t kPartLeft = 4;

}  // namespace

bool Residents::fits(const Place& place, int64_t bytes) const {
  const auto room = place.room();
  if (room) return room->free - bytes >= room->total / kPartLeft;
  const auto held = bytes_.find(&place);
  return (held == bytes_.end() ? 0 : held->second) + bytes <= kMostOfUnknown;
}

Tensor Residents::at(Place& place, const std::string& name, int64_t bytes, const Make& make) {
  const std::scoped_lock lock(mutex_);
  auto& kept = kept_[&place];
  const auto found = kept.find(name);
  if (found != kept.end()) return found->second;
  const bool stays = fits(place, bytes);
  const Tensor there = copied_there(place, make(stays));
  if (stays) {
    moved_.weights += there.bytes();
    bytes_[&place] += there.bytes();
    return kept[name] = there;
  }
  moved_.weights_by_call += there.bytes();
  if (full_.insert(&place).second)
    fmt::print(stderr,
               "parity: {} and other weights do not fit into the memory of {}, so they are copied there at each call "
               "that reads them\n",
               name, place.name());
  return there;
}

Moved Residents::moved() const {
  const std::scoped_lock lock(mutex_);
  return moved_;
}

}  // namespace parity::replay
