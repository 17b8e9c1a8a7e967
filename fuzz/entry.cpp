// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The entry point that libFuzzer, AFL++ and our own driver call.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "fuzz/fuzz.hpp"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  try {
    parity::fuzz::try_input({reinterpret_cast<const char*>(data), size});
  } catch (const parity::Error& error) {
    if (error.code() != parity::ErrorCode::internal) return 0;
    std::fprintf(stderr, "internal error: %s\n", error.what());
    std::abort();
  }
  return 0;
}
