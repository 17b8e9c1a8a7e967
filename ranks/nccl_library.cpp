// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/nccl_library.hpp"

#include <dlfcn.h>

#include "core/error.hpp"

namespace parity::ranks {
namespace {

template <class Function>
void find(void* from, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(from, name));
  PARITY_CHECK(function != nullptr, device, "NCCL has no {}; install NCCL 2.10 or later", name);
}

NcclLibrary load() {
  void* found = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  PARITY_CHECK(found != nullptr, device,
               "no NCCL: libnccl.so.2 cannot be loaded; install it (libnccl2), or leave out --nccl: ranks then add "
               "their sums on the host");
  NcclLibrary of{};
  find(found, "ncclGetVersion", of.version);
  find(found, "ncclGetErrorString", of.error_text);
  find(found, "ncclGetUniqueId", of.make_id);
  find(found, "ncclCommInitRank", of.join);
  find(found, "ncclCommDestroy", of.leave);
  find(found, "ncclAllReduce", of.all_reduce);
  return of;
}

}  // namespace

const NcclLibrary& nccl() {
  static const NcclLibrary instance = load();  // again after it has thrown
  return instance;
}

std::string nccl_version() {
  int version = 0;
  require_nccl(nccl().version(&version), "ncclGetVersion");
  constexpr int kMajor = 10000, kMinor = 100;
  return fmt::format("NCCL {}.{}.{}", version / kMajor, version / kMinor % kMinor, version % kMinor);
}

std::string nccl_description() {
  try {
    return nccl_version();
  } catch (const Error& error) {
    return std::string("absent (optional): ") + error.what();
  }
}

void require_nccl(int status, const char* what) {
  PARITY_CHECK(status == 0, device, "{}: {}", what, nccl().error_text(status));
}

}  // namespace parity::ranks
