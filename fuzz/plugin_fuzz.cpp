// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a worker of a kernel out of the tree answers when it is asked what it computes.
#include "cases/plugin/call_message.hpp"
#include "fuzz/fuzz.hpp"
#include "golden/files/strict_json.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) {
  golden::check_nesting(input);
  const auto answer = nlohmann::json::parse(input, nullptr, false);
  if (answer.is_object()) static_cast<void>(cases::described(answer));
}

}  // namespace parity::fuzz
