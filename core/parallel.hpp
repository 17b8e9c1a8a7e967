// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Carries exceptions out of parallel regions.
#pragma once

#include <atomic>
#include <exception>

namespace parity {

/// Runs the bodies of a parallel region and keeps the first exception, since one that leaves an OpenMP thread ends the
/// program. rethrow() throws it after the region, so a failed allocation costs one golden, not the run.
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
  std::exception_ptr first_;  // written by one thread; the end of the region precedes rethrow()
};

}  // namespace parity
