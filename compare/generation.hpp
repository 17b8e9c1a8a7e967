// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Greedy generation from a checkpoint, token by token against what the package generated.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace parity::compare {

/// One token that is not the recorded one; what follows it in that sequence is no longer comparable.
struct WrongToken {
  int64_t sequence = 0;
  int64_t token = 0;  // counted from the first generated one
  int64_t recorded = 0;
  int64_t generated = 0;
};

struct GenerationReport {
  std::string oracle;
  std::string profile;
  std::vector<std::vector<int64_t>> tokens;  // as generated, per sequence
  int64_t recorded = 0;                      // tokens per sequence; 0: nothing to compare with
  std::vector<WrongToken> wrong;             // at most one per sequence
  double smallest_lead = 0.0;                // of a chosen word's logit over the next best one
};

/// `file` (JSON, golden/capture/generate_hf.py): checkpoint (a folder, from the file's own), profile, attention, dtype,
/// prompt (one list of ids per sequence, of equal length) and tokens (the recorded continuation), or instead of
/// them count, how many to generate. Error{schema} names the key that is wrong.
[[nodiscard]] GenerationReport run_generation(const std::filesystem::path& file);

}  // namespace parity::compare
