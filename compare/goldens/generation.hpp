// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Greedy generation from a checkpoint, compared token by token with the tokens that the package generated.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parity::compare {

/// The first token of a sequence that differs from the recorded one. Later tokens of that sequence cannot be compared.
struct WrongToken {
  int64_t sequence = 0;
  int64_t token = 0;  // index, from the first generated token
  int64_t recorded = 0;
  int64_t generated = 0;
};

struct GenerationReport {
  std::string oracle;
  std::string profile;
  std::vector<std::vector<int64_t>> tokens;  // generated tokens of each sequence
  int64_t recorded = 0;                      // number of recorded tokens per sequence; 0: nothing to compare with
  std::vector<WrongToken> wrong;             // at most one per sequence
  double smallest_lead = 0.0;                // smallest margin of a chosen word's logit over the next best
};

/// Runs the generation that `file` describes (JSON of golden/capture/generate_hf.py). Keys: checkpoint (a folder,
/// relative to the file), profile, attention, dtype, prompt (a list of ids per sequence, of equal length), and tokens
/// (the recorded continuation) or count (how many to generate). Throws Error{schema} that names a wrong key.
[[nodiscard]] GenerationReport run_generation(const std::filesystem::path& file);

}  // namespace parity::compare
