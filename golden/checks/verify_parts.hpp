// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The parts of `verify`. Each checks one aspect and adds its findings to the report.
#pragma once

#include "golden/checks/verify.hpp"

namespace parity::golden {

/// Checks attributes against type, shape and step. Then reads every element, counts NaN and infinities, and compares
/// the checksum if there is one.
void verify_datasets(const ActivationFile& file, const std::vector<StepInfo>& steps, VerifyReport& report);
/// Checks that the input of a layer and the output before the layer are one dataset with two names.
void verify_links(const ActivationFile& file, VerifyReport& report);
/// Checks the files of the checkpoint against the root's attributes about them.
void verify_files(const ActivationFile& file, VerifyReport& report);
/// Checks that steps are numbered without gaps, and that K grows by S from call to call.
void verify_steps(const std::vector<StepInfo>& steps, VerifyReport& report);

/// Runs `body`; an Error that it throws becomes an error finding at `where`.
template <class Body>
void collect(VerifyReport& report, const std::string& where, const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    report.add(Severity::error, where, error.what());
  }
}

}  // namespace parity::golden
