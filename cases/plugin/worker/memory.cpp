// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/worker/memory.hpp"

#include <cerrno>
#include <system_error>

#include <sys/mman.h>
#include <unistd.h>

namespace parity::worker {

Mapping::Mapping(int descriptor, size_t bytes, bool writable)
    : bytes_(bytes), protection_(writable ? PROT_READ | PROT_WRITE : PROT_READ) {
  void* address = mmap(nullptr, bytes, protection_, MAP_SHARED, descriptor, 0);
  const int reason = errno;
  close(descriptor);
  if (address == MAP_FAILED) throw std::system_error(reason, std::generic_category(), "mmap of operands");
  begin_ = static_cast<std::byte*>(address);
}

Mapping::~Mapping() { munmap(begin_, bytes_); }

void Mapping::protect(const nlohmann::json& gaps) {
  for (const auto& [offset, bytes] : closed_) (void)mprotect(begin_ + offset, bytes, protection_);
  closed_.clear();
  for (const auto& gap : gaps) {
    const auto& [offset, bytes] = closed_.emplace_back(gap.at(0).get<size_t>(), gap.at(1).get<size_t>());
    (void)mprotect(begin_ + offset, bytes, PROT_NONE);
  }
}

}  // namespace parity::worker
