// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations/tried.hpp"

#include "cases/backends.hpp"
#include "faults/catalogue.hpp"

namespace parity::faults {

Tried planted(const Fault& fault) { return {"fault:" + fault.id, &fault}; }

Tried tried_as(const std::string& candidate) {
  constexpr std::string_view kFault = "fault:";
  if (cases::is_backend(candidate)) return {candidate, nullptr, cases::kernels_of(candidate, DType::f32)};
  if (candidate.starts_with(kFault)) return planted(find_fault(candidate.substr(kFault.size())));
  PARITY_CHECK(candidate == "reference", internal, "relations cannot be checked for candidate '{}'", candidate);
  return {};
}

}  // namespace parity::faults
