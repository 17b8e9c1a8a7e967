// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// JUnit XML for the viewers of GitLab, Jenkins and GitHub.
#pragma once

#include <string>

#include "compare/judging/record.hpp"

namespace parity::reports {

/// Returns a suite per golden and component with a case per record, "golden#tap [mode]". A golden that could not be
/// judged, or a run without goldens, is one case with an error, because an empty file would look green.
[[nodiscard]] std::string junit_xml(const compare::RunReport& report);

}  // namespace parity::reports
