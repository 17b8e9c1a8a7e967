// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Backend "cublaslt": NVIDIA's matrix products on a GPU, beside which the kernels of "cuda" are judged and timed.
#include "optimized/cublaslt/library.hpp"
#include "optimized/cuda/driver_place.hpp"

namespace parity::optimized {

namespace cublaslt {

#define PARITY_KERNEL(name) void register_cublaslt_##name(BackendKernels& kernels);
#include "optimized/cublaslt_kernels.def"
#undef PARITY_KERNEL

}  // namespace cublaslt

namespace {

Place& gpu_of_library(int rank) { return cuda::driver_place(rank); }

void require_library() {
  static_cast<void>(cuda::driver_place(0));
  static_cast<void>(cublaslt::library_handle());  // a library without its GPU fails here
}

/// Without it no kernel is registered, so that commands which run all kernels do not fail.
void add_where_there(BackendKernels& kernels) {
  try {
    require_library();
  } catch (const Error&) {
    return;
  }
#define PARITY_KERNEL(name) cublaslt::register_cublaslt_##name(kernels);
#include "optimized/cublaslt_kernels.def"
#undef PARITY_KERNEL
}

}  // namespace

Backend cublaslt_backend() {
  return {"cublaslt",
          false,
          &gpu_of_library,
          &require_library,
          &version_or_reason<&require_library, &cublaslt::library_version>,
          &add_where_there};
}

}  // namespace parity::optimized
