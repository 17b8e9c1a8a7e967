// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A whole model of random sizes, and the calls that it is judged on.
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

  [[nodiscard]] std::string text() const;  // the drawn extents, for people
};

/// Of "m3", "m2" and "text01", the component of the spec: L layers, H hidden, G groups of a heads of D channels, E experts
/// of F of which T are taken, blocks of b keys of which n are kept; B sequences of S tokens, then Z of one each. At
/// boundaries S is one, or a multiple of a block, or one beside it.
[[nodiscard]] ModelCase draw_model(const CaseSpec& spec);
[[nodiscard]] std::vector<std::string> drawn_models();

}  // namespace parity::cases
