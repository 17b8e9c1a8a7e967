// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Backend "cuda-host": the CUDA kernels, executed on this processor by the PTX machine. It needs no GPU.
#include <map>
#include <mutex>

#include "optimized/cuda/kernels.hpp"
#include "optimized/cuda/modules.hpp"
#include "optimized/cuda_host/machine_place.hpp"

namespace parity::optimized {
namespace {

template <bool checked, int capability = cuda::MachinePlace::kCapability>
Place& machine(int rank) {
  static std::mutex mutex;
  // Never destroyed: a tensor that lives as long as the program gives its memory back.
  static auto& places = *new std::map<int, cuda::MachinePlace>;  // NOLINT(cppcoreguidelines-owning-memory)
  const std::scoped_lock lock(mutex);
  return places.try_emplace(rank, checked, capability).first->second;
}

std::string machine_name() { return "the PTX machine"; }

}  // namespace

Backend cuda_host_backend() {
  return {"cuda-host",
          true,
          &machine<false>,
          &cuda::require_modules,
          &version_or_reason<&cuda::require_modules, &machine_name>,
          &cuda::add_kernels,
          {{"checked", &machine<true>}, {"sm90", &machine<false, 90>}, {"sm90-checked", &machine<true, 90>}}};
}

}  // namespace parity::optimized
