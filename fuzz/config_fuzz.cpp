// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Builds the plan of one call from config.json.
#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"
#include "fuzz/fuzz.hpp"
#include "golden/files/strict_json.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) {
  const nlohmann::json config = golden::parse_json(input);
  const System& system = system_of(config);
  PlanRequest request;
  request.profile = newest_profile(system.name);
  request.calls = prefill_and_decode(1, 3, 0, true);
  (void)system.build(config, request);
}

}  // namespace parity::fuzz
