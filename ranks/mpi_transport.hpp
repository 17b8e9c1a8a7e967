// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Processes that mpirun or srun started. MPI is in a module that only they load: the program does not need it.
#pragma once

#include <memory>

#include "core/error.hpp"
#include "ranks/transport.hpp"

namespace parity::ranks {

/// Whether an MPI launcher started this process, by the variables that launchers set.
[[nodiscard]] bool launched_by_mpi();
/// How many of `size` processes share this machine, as far as the launcher tells; else all of them.
[[nodiscard]] int launched_here(int size);
/// Starts MPI. Throws Error{device}, which says what to do, if this build or this machine has none.
[[nodiscard]] std::unique_ptr<Transport> mpi_transport();
/// "Open MPI 4.1.4", or why there is none.
[[nodiscard]] std::string mpi_description();

}  // namespace parity::ranks
