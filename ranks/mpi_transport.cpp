// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/mpi_transport.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include <dlfcn.h>

#include "core/shipped.hpp"

#ifndef PARITY_MPI_MODULE
#define PARITY_MPI_MODULE ""
#endif

namespace parity::ranks {
namespace {

constexpr const char* kInstall = "run ci/setup.sh mpi and build again";

/// Open MPI's mpirun, MPICH's Hydra and Slurm's PMI-2, PMIx (Slurm's srun --mpi=pmix).
constexpr std::array kSetByLaunchers{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMIX_RANK"};

void* module() {
  static void* const loaded = [] {
    const std::string name = PARITY_MPI_MODULE;
    PARITY_CHECK(!name.empty(), device, "this build has no MPI; {}", kInstall);
    const auto installed = program_folder() / "../lib/parity" / name;
    std::error_code error;
    const auto file = std::filesystem::exists(installed, error) ? installed : program_folder() / "../ranks" / name;
    void* found =
        dlopen(file.c_str(), RTLD_NOW | RTLD_GLOBAL);  // global: the plug-ins of Open MPI look for its symbols
    const char* problem = found == nullptr ? dlerror() : "";
    PARITY_CHECK(found != nullptr, device, "MPI cannot be loaded: {}; {}", problem, kInstall);
    return found;
  }();
  return loaded;
}

template <class Function>
Function* find(const char* name) {
  auto* found = reinterpret_cast<Function*>(dlsym(module(), name));
  PARITY_CHECK(found != nullptr, device, "{} belongs to another build; build again", PARITY_MPI_MODULE);
  return found;
}

}  // namespace

bool launched_by_mpi() {
  return std::any_of(kSetByLaunchers.begin(), kSetByLaunchers.end(),
                     [](const char* name) { return std::getenv(name) != nullptr; });
}

int launched_here(int size) {
  for (const char* name : {"OMPI_COMM_WORLD_LOCAL_SIZE", "MPI_LOCALNRANKS"}) {
    const char* value = std::getenv(name);
    if (value != nullptr && std::atoi(value) > 0) return std::atoi(value);
  }
  return size;
}

std::unique_ptr<Transport> mpi_transport() {
  return std::unique_ptr<Transport>(find<Transport*()>("parity_mpi_start")());
}

std::string mpi_description() {
  try {
    return find<const char*()>("parity_mpi_version")();
  } catch (const Error& error) {
    return std::string("absent (optional): ") + error.what();
  }
}

}  // namespace parity::ranks
