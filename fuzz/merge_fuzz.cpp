// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Shards of a run, as `parity merge` joins them: reports that a line of % divides.
#include "fuzz/fuzz.hpp"
#include "golden/files/strict_json.hpp"
#include "reports/files/merge.hpp"
#include "reports/json/json.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) {
  constexpr std::string_view kBetween = "\n%\n";
  std::vector<reports::ShardReport> shards;
  while (!input.empty()) {
    const std::string_view text = input.substr(0, input.find(kBetween));
    input.remove_prefix(std::min(text.size() + kBetween.size(), input.size()));
    shards.push_back({fmt::format("{}.json", shards.size()), reports::from_json(golden::parse_json(text))});
  }
  static_cast<void>(reports::json_text(reports::merged(std::move(shards))));
}

}  // namespace parity::fuzz
