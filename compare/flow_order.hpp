// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The place of a dataset in the flow of the model, from its name alone: two captures are ordered without a plan.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace parity::compare {

struct FlowPlace {
  int group = 0;      // parameters, calls, their binary64 runs, everything else
  int step = 0;       // call
  int part = 0;       // tokens, vision, embedding, layers, head, loss
  std::string tower;  // "image", "video"; empty for text
  int layer = -1;     // -1 outside the layers
  int place = 0;      // within the layer, as docs/golden-format.md lists it (section 5)
  std::string path;   // decides among the rest

  auto operator<=>(const FlowPlace&) const = default;
};

[[nodiscard]] FlowPlace flow_place(std::string_view path);
/// The line of a table per layer that the dataset belongs to: "tokens", "embed", "layer 03", "image layer 00", "exact layer 03".
[[nodiscard]] std::string flow_section(std::string_view path);

}  // namespace parity::compare
