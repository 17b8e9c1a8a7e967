// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Exceptions in parallel regions.
#pragma once

#include <atomic>
#include <exception>

namespace parity {

/// An exception that leaves a thread of OpenMP ends the program. Bodies run in here; the first exception is thrown again
/// after the region, so that running out of memory costs one golden, not the run.
class CaughtInParallel {
 public:
  template <class Body>
  void run(const Body& body) noexcept {
    try {
      body();
    } catch (...) {
      if (!caught_.exchange(true)) first_ = std::current_exception();
    }
  }
  void rethrow() const {
    if (first_) std::rethrow_exception(first_);
  }

 private:
  std::atomic<bool> caught_ = false;
  std::exception_ptr first_;  // the region's end orders it before rethrow()
};

}  // namespace parity
