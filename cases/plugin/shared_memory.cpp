// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/shared_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/error.hpp"

namespace parity::cases {
namespace {

#ifndef F_SEAL_FUTURE_WRITE
constexpr int F_SEAL_FUTURE_WRITE = 0x0010;
#endif

}  // namespace

SharedMemory::SharedMemory(size_t bytes, Worker worker)
    : bytes_(bytes), descriptor_(memfd_create("parity-operands", MFD_CLOEXEC | MFD_ALLOW_SEALING)) {
  PARITY_CHECK(descriptor_ >= 0 && ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0, device,
               "cannot allocate {} bytes of shared memory; free some memory", bytes);
  void* address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  PARITY_CHECK(address != MAP_FAILED, device, "cannot map {} bytes of shared memory; free some memory", bytes);
  data_ = static_cast<std::byte*>(address);
  // Without F_SEAL_SHRINK a worker could end the judge, by SIGBUS.
  const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL | (worker == Worker::reads ? F_SEAL_FUTURE_WRITE : 0);
  PARITY_CHECK(fcntl(descriptor_, F_ADD_SEALS, seals) == 0, device,
               "shared memory cannot be sealed; the operation requires Linux 5.1 or later");
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, bytes_);
  if (descriptor_ >= 0) close(descriptor_);
}

}  // namespace parity::cases
