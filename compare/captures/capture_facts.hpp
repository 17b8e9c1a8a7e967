// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Facts that a capture states about its run and that affect how it is judged.
#pragma once

#include <string>
#include <vector>

#include "core/sharding/layout.hpp"
#include "golden/golden.hpp"
#include "golden/sources/statements.hpp"

namespace parity::compare {

/// The implementations that computed the judged values.
struct Implementation {
  std::string attention;        // eager | sdpa | …, spelt as in the attribute
  std::string experts;          // eager: a loop over the experts in ascending id
  golden::Statements stated{};  // a capture's statements about its components
};

[[nodiscard]] Implementation implementation_of(const golden::Golden& golden);
/// Returns the implementation that the capture states, with the golden's entries where the capture states none. Throws
/// Error{schema} if its system or working type is not the golden's, because the taps could not be compared.
[[nodiscard]] Implementation implementation_of(const golden::Golden& golden, const golden::ActivationFile& capture);

/// Throws Error{schema} if the capture was not made for this golden: its format differs, its profile is neither the
/// golden's nor `profile` ("": only the golden's is allowed), it states a different golden, checksum, weight seed or
/// config (`golden`, `golden_sha256`, `seed`, `config`), or it contains calls that the golden lacks.
void check_same_run(const golden::Golden& golden, const golden::ActivationFile& capture, const std::string& profile);

/// Throws Error{schema} with the options to use if the capture states another layout of ranks than the run's.
void check_same_layout(const golden::ActivationFile& capture, const Layout& layout);

/// Returns the attention variant that the plan uses: the implementation's if it is modelled, else the golden's.
[[nodiscard]] std::string planned_attention(const golden::Golden& golden, const Implementation& implementation);
/// Returns the components that may round at other points than the plan: their tiles or order of sums may differ.
[[nodiscard]] std::vector<std::string> free_rounding(const Implementation& implementation);

}  // namespace parity::compare
