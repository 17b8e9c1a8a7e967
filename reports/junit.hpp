// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// JUnit XML for GitLab, Jenkins and GitHub viewers.
#pragma once

#include <string>

#include "compare/record.hpp"

namespace parity::reports {

/// A suite per golden and component, a case per record: "golden#tap [mode]". A golden that could not be judged, and a
/// run without goldens, is one case with an error: an empty file would look green.
[[nodiscard]] std::string junit_xml(const compare::RunReport& report);

}  // namespace parity::reports
