// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The parts of `verify`, each of which looks at one thing and adds what it finds.
#pragma once

#include "golden/verify.hpp"

namespace parity::golden {

/// Attributes against type, shape and step; then every element is read: NaN and infinities are counted, and
/// a checksum that was kept is compared.
void verify_datasets(const ActivationFile& file, const std::vector<StepInfo>& steps, VerifyReport& report);
/// The input of a layer is the output of what stands before it: one object with two names.
void verify_links(const ActivationFile& file, VerifyReport& report);
/// Files of the checkpoint against the root's attributes about them.
void verify_files(const ActivationFile& file, VerifyReport& report);
/// Numbered without gaps; K grows by S from call to call.
void verify_steps(const std::vector<StepInfo>& steps, VerifyReport& report);

/// Runs `body`; an Error that leaves it becomes an error finding at `where`.
template <class Body>
void collect(VerifyReport& report, const std::string& where, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    report.add(Severity::error, where, error.what());
  }
}

}  // namespace parity::golden
