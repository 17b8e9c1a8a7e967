// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Opens a candidate's file, checks that it is of the golden's run, and reads its declarations.
#pragma once

#include <memory>
#include <optional>

#include "compare/captures/capture_facts.hpp"
#include "compare/captures/own_weights.hpp"
#include "compare/goldens/golden_run.hpp"
#include "compare/judging/choices.hpp"
#include "golden/sources/declaration.hpp"

namespace parity::compare {

struct CandidateFile {
  std::optional<golden::ActivationFile> file{};  // empty if the candidate is not a capture
  golden::Declaration declared{};
  Implementation implementation{};  // the golden's, if there is no file
  std::unique_ptr<OwnWeights> weights{};

  [[nodiscard]] const WeightSource& weights_or(const WeightSource& goldens) const {
    return weights ? *weights : goldens;
  }
};

/// Opens the candidate's file. Throws Error{schema} if the file is of another run than the golden.
[[nodiscard]] CandidateFile open_candidate(const golden::Golden& golden, const RunOptions& options);

/// Returns how the candidate orders block ids: as a list under Policy::bits or known origin, else as it declares.
[[nodiscard]] BlockOrder block_order_of(const golden::Declaration& declared, const RunOptions& options, Policy policy);

}  // namespace parity::compare
