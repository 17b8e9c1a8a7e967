// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The ranks of `parity run`: threads of this process, or processes that mpirun or srun started.
#pragma once

#include <memory>
#include <optional>

#include "cli/commands.hpp"
#include "compare/goldens/golden_run.hpp"
#include "ranks/process_communicator.hpp"

namespace parity::cli {

/// Ranks that are threads; one that hangs ends the program.
[[nodiscard]] compare::Ranks ranks_on_threads(const RunOptions& options);

/// What --nccl puts around the communicators of ranks; empty without it. Throws Error{device} where there is no NCCL or
/// no GPU.
[[nodiscard]] replay::Wrap nccl_wrap(const RunOptions& options);

/// The processes of one run, from their start to their common end. Rank 0 judges, prints and writes; the others serve.
class World {
 public:
  /// Joins the others, if a launcher started this process and the layout has several ranks; else nullptr. Throws
  /// Error{usage} if there are more or fewer processes than ranks.
  [[nodiscard]] static std::unique_ptr<World> join(const RunOptions& options);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  /// Waits until all others have come to their end, too.
  ~World();

  [[nodiscard]] int rank() const { return transport_->rank(); }
  /// Of rank 0: runs walks in all processes.
  [[nodiscard]] compare::Ranks walks();
  /// Of the others: serves these walks until the end.
  void serve(const compare::RunOptions& judged);

 private:
  World(std::unique_ptr<ranks::Transport> transport, const RunOptions& options);

  int threads_;  // of each process while all walk
  std::unique_ptr<ranks::Transport> transport_;
  std::optional<ranks::Watch> watch_;
  std::optional<ranks::ProcessCommunicator> communicator_;
};

}  // namespace parity::cli
