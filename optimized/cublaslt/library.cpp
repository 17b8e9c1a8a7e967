// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cublaslt/library.hpp"

#include <dlfcn.h>

#include "core/error.hpp"

namespace parity::optimized::cublaslt {
namespace {

template <class Function>
void find(void* from, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(from, name));
  PARITY_CHECK(function != nullptr, device, "cuBLASLt has no {}; install cuBLAS of CUDA 12.8 or later", name);
}

Library load() {
  void* found = nullptr;
  for (const char* name : {"libcublasLt.so.13", "libcublasLt.so.12"})
    if (found == nullptr) found = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  PARITY_CHECK(found != nullptr, device,
               "no cuBLASLt: neither libcublasLt.so.13 nor libcublasLt.so.12 can be loaded; install cuBLAS of the CUDA "
               "toolkit, or use cuda, which needs the driver alone");
  Library of{};
  find(found, "cublasLtCreate", of.create);
  find(found, "cublasLtGetVersion", of.version);
  find(found, "cublasLtGetStatusString", of.status_text);
  find(found, "cublasLtMatmulDescCreate", of.create_matmul);
  find(found, "cublasLtMatmulDescSetAttribute", of.set_matmul);
  find(found, "cublasLtMatmulDescDestroy", of.destroy_matmul);
  find(found, "cublasLtMatrixLayoutCreate", of.create_layout);
  find(found, "cublasLtMatrixLayoutDestroy", of.destroy_layout);
  find(found, "cublasLtMatmulPreferenceCreate", of.create_preference);
  find(found, "cublasLtMatmulPreferenceSetAttribute", of.set_preference);
  find(found, "cublasLtMatmulPreferenceDestroy", of.destroy_preference);
  find(found, "cublasLtMatmulAlgoGetHeuristic", of.heuristic);
  find(found, "cublasLtMatmul", of.matmul);
  return of;
}

}  // namespace

const Library& library() {
  static const Library instance = load();  // again after it has thrown
  return instance;
}

void* library_handle() {
  static void* const made = [] {
    void* handle = nullptr;
    require_done(library().create(&handle), "cublasLtCreate");
    return handle;
  }();
  return made;
}

std::string library_version() {
  const size_t version = library().version();
  constexpr size_t kMajor = 10000, kMinor = 100;
  return fmt::format("cuBLASLt {}.{}.{}", version / kMajor, version / kMinor % kMinor, version % kMinor);
}

void require_done(int status, const char* what) {
  PARITY_CHECK(status == 0, device, "{}: {}; run the same with cuda, whose kernels the PTX machine checks", what,
               library().status_text(status));
}

}  // namespace parity::optimized::cublaslt
