// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `mpirun -n 4 parity run GOLDENS`: the processes of a launcher share the goldens of one run.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/commands.hpp"

namespace parity::cli {

/// This process among those that a launcher started.
struct Launched {
  int64_t rank = 0, size = 1;
  std::string job;  // the same in all processes of the launch, and in no other
};
/// Reads the variables of Open MPI, MPICH (and all others with PMI) and srun. Nothing for a process started otherwise.
[[nodiscard]] std::optional<Launched> launched();

/// Judges the shard of this process. Rank 0 waits for the reports of the others, which are exchanged as files in the
/// system's temporary folder, and returns the exit code of the whole run; all others return `holds`.
int run_launched(const RunOptions& options, const Launched& self);

}  // namespace parity::cli
