// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A candidate's file: opened, held to the golden's run, and what it says of itself.
#pragma once

#include <memory>
#include <optional>

#include "compare/capture_facts.hpp"
#include "compare/choices.hpp"
#include "compare/golden_run.hpp"
#include "compare/own_weights.hpp"
#include "golden/declaration.hpp"

namespace parity::compare {

struct CandidateFile {
  std::optional<golden::ActivationFile> file{};  // of a capture
  golden::Declaration declared{};
  Implementation implementation{};  // the golden's where there is no file
  std::unique_ptr<OwnWeights> weights{};

  [[nodiscard]] const WeightSource& weights_or(const WeightSource& goldens) const {
    return weights ? *weights : goldens;
  }
};

/// Error{schema} for a file of another run.
[[nodiscard]] CandidateFile open_candidate(const golden::Golden& golden, const RunOptions& options);

/// How the candidate's block ids are meant. Recordings of the oracle have its order; others do not say.
[[nodiscard]] BlockOrder block_order_of(const golden::Declaration& declared, const RunOptions& options, Policy policy);

}  // namespace parity::compare
