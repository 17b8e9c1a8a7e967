// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/execution/value.hpp"

namespace parity::replay {
namespace {

bool same_memory(const Place& a, const Place& b) { return &a == &b || (a.is_host_memory() && b.is_host_memory()); }

}  // namespace

Moved& Moved::operator+=(const Moved& other) {
  values_there += other.values_there;
  values_back += other.values_back;
  weights += other.weights;
  weights_by_call += other.weights_by_call;
  return *this;
}

Tensor copied_there(Place& place, const Tensor& on_host) {
  if (place.is_host_memory()) return on_host;
  return copied_to(place, on_host.view()).memory.reshaped(on_host.shape(), on_host.view().axes);
}

const Tensor& Value::at(Place& place, Moved& moved) const {
  if (own_.empty() || same_memory(own_.place(), place)) return own_;
  for (const Tensor& copy : *elsewhere_) {
    if (same_memory(copy.place(), place)) return copy;
  }
  if (place.is_host_memory()) {
    moved.values_back += own_.bytes();
    return elsewhere_->emplace_back(own_.on_host());
  }
  const Tensor here = on_host(moved);
  moved.values_there += here.bytes();
  return elsewhere_->emplace_back(copied_there(place, here));
}

}  // namespace parity::replay
