// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The floating-point state of the thread that runs us.
#pragma once

#include <cstdint>

namespace parity::ptx {

/// While it lives, this thread rounds to nearest even, keeps subnormals, and traps nothing; then all is as before.
/// Cheap where that is so already: the state is only read.
class NearestEnvironment {
 public:
  NearestEnvironment();
  ~NearestEnvironment();
  NearestEnvironment(const NearestEnvironment&) = delete;
  NearestEnvironment& operator=(const NearestEnvironment&) = delete;

 private:
  uint64_t before_;
};

}  // namespace parity::ptx
