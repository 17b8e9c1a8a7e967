// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Position of a dataset in the flow of the model, from its name only: two captures can be ordered without a plan.
#pragma once

#include <compare>
#include <string>
#include <string_view>

namespace parity::compare {

struct FlowPlace {
  int group = 0;      // parameters, calls, the calls' binary64 runs, or anything else
  int step = 0;       // number of the call
  int part = 0;       // tokens, vision, embedding, layers, head, loss
  std::string tower;  // "image" or "video"; empty for text
  int layer = -1;     // -1 outside the layers
  int place = 0;      // position within the layer, in the order of docs/golden-format.md, section 5
  std::string path;   // breaks ties

  auto operator<=>(const FlowPlace&) const = default;
};

[[nodiscard]] FlowPlace flow_place(std::string_view path);
/// Returns a dataset's row in a table by layers: "tokens", "embed", "layer 03", "image layer 00", "exact layer 03".
[[nodiscard]] std::string flow_section(std::string_view path);

}  // namespace parity::compare
