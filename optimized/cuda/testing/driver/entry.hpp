// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the entry points of the driver's stand-in have in common: who may call, and when.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "optimized/cuda/testing/driver/gpu.hpp"

#define PARITY_DRIVER_ENTRY extern "C" __attribute__((visibility("default")))

namespace parity::optimized::cuda::stand_in {

inline constexpr int kDevice = 7;  // no ordinal: a handle is not to be guessed
/// Ordinals that name this one GPU, so that several ranks can have one each.
inline int gpus() {
  const char* text = std::getenv("PARITY_STAND_IN_GPUS");
  return text == nullptr ? 1 : std::atoi(text);
}

/// The context of this thread.
inline const void*& current() {
  static thread_local const void* context = nullptr;
  return context;
}

/// No exception leaves an entry point.
template <class Body>
int entry(const Body& body) {
  Gpu& one = gpu();
  const std::scoped_lock lock(one.mutex);
  try {
    return body(one);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "the driver's stand-in: %s\n", error.what());
    return invalid_value;
  }
}

/// After cuInit.
template <class Body>
int started(const Body& body) {
  return entry([&](Gpu& one) -> int {
    if (!one.initialized) return not_initialized;
    return body(one);
  });
}

/// With a context, and no kernel failed.
template <class Body>
int within(const Body& body) {
  return started([&](Gpu& one) -> int {
    if (current() != &kContext) return invalid_context;
    if (one.failed != success) return one.failed;
    return body(one);
  });
}

/// What a graph cannot hold spoils the captures.
template <class Body>
int uncaptured(const Body& body) {
  return within([&](Gpu& one) -> int {
    bool captures = false;
    for (Stream& stream : one.streams) {
      stream.invalidated |= stream.capture != nullptr;
      captures |= stream.capture != nullptr;
    }
    return captures ? capture_unsupported : body(one);
  });
}

template <class Body>
int on_stream(const void* handle, const Body& body) {
  return within([&](Gpu& one) -> int {
    Stream* stream = member(one.streams, handle);
    if (stream == nullptr) return invalid_handle;
    if (stream->invalidated) return capture_invalidated;
    return body(one, *stream);
  });
}

[[nodiscard]] inline bool holds(const Gpu& one, uint64_t address, size_t bytes) {
  const auto* memory = one.device.nearest(address);
  return memory != nullptr && !memory->freed && address + bytes <= memory->base + memory->bytes;
}

}  // namespace parity::optimized::cuda::stand_in
