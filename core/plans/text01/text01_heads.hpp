// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Heads of MiniMax-Text-01 other than the language model's: classes of sequences and tokens, spans of answers.
#pragma once

#include <string>

#include "core/plans/plan_writer.hpp"
#include "core/plans/request.hpp"
#include "core/plans/text01/text01_config.hpp"

namespace parity {

/// The head of a class ("MiniMaxForQuestionAnswering"); Head::language for classes without another head.
[[nodiscard]] Head head_of(const std::string& model_class);

/// Writes the head after text/final_norm/out, and its loss if the call has labels.
void write_text01_head(PlanWriter& plan, const Text01Config& config, Head head, const Call& call);

}  // namespace parity
