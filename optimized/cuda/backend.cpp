// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Backend "cuda": the same kernels on an NVIDIA GPU, by way of its driver.
#include "optimized/cuda/driver_place.hpp"
#include "optimized/cuda/kernels.hpp"
#include "optimized/cuda/modules.hpp"

namespace parity::optimized {
namespace {

Place& gpu(int rank) { return cuda::driver_place(rank); }

void require_gpu() {
  cuda::require_modules();
  static_cast<void>(cuda::driver_place(0));
}

std::string name_of_gpu() { return cuda::driver_place(0).name(); }

/// Without a GPU no kernel is registered, so that commands which run all kernels do not fail.
void add_where_driven(BackendKernels& kernels) {
  if (cuda::has_driver()) cuda::add_kernels(kernels);
}

}  // namespace

Backend cuda_backend() {
  return {"cuda", true, &gpu, &require_gpu, &version_or_reason<&require_gpu, &name_of_gpu>, &add_where_driven};
}

}  // namespace parity::optimized
