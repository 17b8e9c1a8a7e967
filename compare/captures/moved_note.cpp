// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/moved_note.hpp"

namespace parity::compare {

MovedNote::MovedNote(const replay::Computation* computation) : computation_(computation) {
  if (computation == nullptr || !computation->lacking.empty()) return;
  for (const Node& node : computation->plan.nodes) {
    const auto* kernel = computation->kernel_of(node);
    if (kernel == nullptr) continue;
    const Place& place = kernel->place(node.rank);
    if (!place.is_host_memory()) before_[&place] = place.traffic();
  }
}

void MovedNote::add(replay::Moved moved, GoldenReport& report) const {
  if (before_.empty()) return;
  if (computation_->residents) moved += computation_->residents->moved();
  PlaceTraffic all;
  for (const auto& [place, before] : before_) {
    all += place->traffic();
    all -= before;
  }
  const std::string again =
      moved.weights_by_call == 0
          ? ""
          : fmt::format(", {} of weights that do not fit there and are copied for each call", moved.weights_by_call);
  report.notes.push_back(
      fmt::format("bytes copied to {}{}: {} of weights that stay there{}, {} of taps; copied back: {} of taps; with "
                  "copies by kernels and checks: {} there, {} back; {} kernel launches, {} of them as CUDA graphs",
                  before_.begin()->first->name(), before_.size() == 1 ? "" : " and other places", moved.weights, again,
                  moved.values_there, moved.values_back, all.written, all.read, all.launches, all.graph_launches));
}

}  // namespace parity::compare
