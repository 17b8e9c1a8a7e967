// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The names of cases of the battery and of drawn models, as failing lines print them.
#include "cases/drawn/case_spec.hpp"
#include "fuzz/fuzz.hpp"

namespace parity::fuzz {

void try_input(std::string_view input) {
  static const std::vector<std::string> known{"rms_norm", "linear", "top_k", "m3", "m2", "text01"};
  const cases::CaseSpec spec = cases::parse_case(std::string(input), known);
  const cases::CaseSpec again = cases::parse_case(spec.text(), known);
  PARITY_CHECK(again.text() == spec.text(), internal, "{} is read back as {}", spec.text(), again.text());
}

}  // namespace parity::fuzz
