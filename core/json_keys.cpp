// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/json_keys.hpp"

#include <algorithm>

#include "core/error.hpp"
#include "core/text.hpp"

namespace parity {

void require_keys(const nlohmann::json& object, const std::vector<std::string>& known, const std::string& place) {
  const std::string before = place.empty() ? "" : place + ": ";
  PARITY_CHECK(object.is_object(), schema, "{}{} is not an object", before, object.dump());
  for (const auto& [key, value] : object.items()) {
    PARITY_CHECK(std::find(known.begin(), known.end(), key) != known.end(), schema, "{}unknown key '{}'{}", before, key,
                 did_you_mean(key, known));
  }
}

}  // namespace parity
