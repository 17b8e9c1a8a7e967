// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "ranks/communicator.hpp"

#include <new>

#include <pthread.h>

namespace parity::ranks {

std::string reason_of(const std::exception& error) {
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "out of memory";
  const auto* own = dynamic_cast<const Error*>(&error);
  if (own == nullptr || own->code() != ErrorCode::internal) return error.what();
  return fmt::format("{} (at {}:{})", own->what(), own->location().file_name(), own->location().line());
}

void name_thread(int rank) {
  pthread_setname_np(pthread_self(), (rank < 0 ? std::string("parity") : fmt::format("parity rank {}", rank)).c_str());
}

}  // namespace parity::ranks
