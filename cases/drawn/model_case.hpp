// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A whole model of random sizes, with the calls that it is judged on.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "cases/drawn/case_spec.hpp"

namespace parity::cases {

struct ModelCase {
  nlohmann::json config;
  int64_t batch = 1, tokens = 1, decode = 0;
  AxisSizes drawn;

  [[nodiscard]] std::string text() const;  // drawn extents in words
};

/// Draws the model that is the spec's component: "m3", "m2" or "text01". Letters: L layers, H hidden, G groups of a
/// heads of D channels, T of E experts of width F, n of the blocks of b keys; a call of B sequences of S tokens, then Z
/// calls of one token. At boundaries S is 1, or a multiple of a block, or one more.
[[nodiscard]] ModelCase draw_model(const CaseSpec& spec);
[[nodiscard]] std::vector<std::string> drawn_models();

}  // namespace parity::cases
