// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Entry points of the driver: start, contexts, memory.
#include <algorithm>
#include <cstring>

#include "optimized/cuda/testing/driver/entry.hpp"

using namespace parity::optimized::cuda::stand_in;

namespace {

/// Memory of the GPU: PARITY_STAND_IN_MEMORY, or that of the smallest one that the kernels are for.
size_t memory_bytes() {
  constexpr size_t kUsual = size_t{80} << 30U;
  const char* text = std::getenv("PARITY_STAND_IN_MEMORY");
  return text == nullptr ? kUsual : std::strtoull(text, nullptr, 10);
}

size_t free_bytes(const Gpu& gpu) { return memory_bytes() - std::min(memory_bytes(), gpu.held); }

}  // namespace

PARITY_DRIVER_ENTRY int cuInit(unsigned flags) {
  return entry([&](Gpu& gpu) -> int {
    gpu.initialized = flags == 0;
    return flags == 0 ? success : invalid_value;
  });
}

PARITY_DRIVER_ENTRY int cuDriverGetVersion(int* version) {
  constexpr int kVersion = 13000;
  *version = kVersion;
  return success;
}

PARITY_DRIVER_ENTRY int cuDeviceGetCount(int* count) {
  return started([&](Gpu&) -> int {
    *count = gpus();
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuDeviceGet(int* device, int ordinal) {
  return started([&](Gpu&) -> int {
    if (ordinal < 0 || ordinal >= gpus()) return invalid_device;
    *device = kDevice;
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuDeviceGetName(char* name, int length, int device) {
  return started([&](Gpu&) -> int {
    if (device != kDevice) return invalid_device;
    if (length < 1) return invalid_value;
    std::snprintf(name, static_cast<size_t>(length), "%s", "the PTX machine behind a driver's interface");
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuDeviceGetAttribute(int* value, int attribute, int device) {
  return started([&](Gpu&) -> int {
    static const std::map<int, int> kValues{{38, 65536}, {75, kCapability / 10}, {76, kCapability % 10}};  // L2, 9.0
    if (device != kDevice) return invalid_device;
    const auto known = kValues.find(attribute);
    if (known == kValues.end()) return invalid_value;
    *value = known->second;
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuDevicePrimaryCtxRetain(const void** context, int device) {
  return started([&](Gpu&) -> int {
    if (device != kDevice) return invalid_device;
    *context = &kContext;
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuCtxSetCurrent(const void* context) {
  return started([&](Gpu&) -> int {
    if (context != &kContext) return invalid_context;
    current() = context;
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuMemGetInfo_v2(size_t* free, size_t* total) {
  return within([&](Gpu& gpu) -> int {
    *free = free_bytes(gpu);
    *total = memory_bytes();
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  return uncaptured([&](Gpu& gpu) -> int {
    constexpr size_t kMost = size_t{8} << 30U;  // what is not refused is taken from this machine
    if (bytes == 0) return invalid_value;
    if (bytes > kMost || bytes > free_bytes(gpu)) return out_of_memory;
    *address = gpu.device.allocate(bytes);
    gpu.held += bytes;
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuMemFree_v2(uint64_t address) {
  return uncaptured([&](Gpu& gpu) -> int {
    for (Stream& stream : gpu.streams) static_cast<void>(gpu.drain(stream));  // the driver waits, too
    const auto* memory = gpu.device.nearest(address);
    if (memory == nullptr || memory->base != address || memory->freed) return invalid_value;
    gpu.held -= memory->bytes;
    gpu.device.free(address);
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuMemcpyHtoDAsync_v2(uint64_t target, const void* host, size_t bytes, void* on) {
  return on_stream(on, [&](Gpu& gpu, Stream& stream) -> int {
    if (!holds(gpu, target, bytes)) return invalid_value;
    gpu.queue(stream, [=, &gpu] { gpu.device.write(target, host, bytes); });
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuMemcpyDtoHAsync_v2(void* host, uint64_t source, size_t bytes, void* on) {
  return on_stream(on, [&](Gpu& gpu, Stream& stream) -> int {
    if (!holds(gpu, source, bytes)) return invalid_value;
    gpu.queue(stream, [=, &gpu] { gpu.device.read(source, host, bytes); });
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuMemcpyDtoDAsync_v2(uint64_t target, uint64_t source, size_t bytes, void* on) {
  return on_stream(on, [&](Gpu& gpu, Stream& stream) -> int {
    const bool apart = target + bytes <= source || source + bytes <= target;
    if (!holds(gpu, target, bytes) || !holds(gpu, source, bytes) || !apart) return invalid_value;
    gpu.queue(stream, [=, &gpu] {
      std::vector<unsigned char> values(bytes);
      gpu.device.read(source, values.data(), bytes);
      gpu.device.write(target, values.data(), bytes);
    });
    return success;
  });
}

PARITY_DRIVER_ENTRY int cuMemsetD8Async(uint64_t target, unsigned char value, size_t bytes, void* on) {
  return on_stream(on, [&](Gpu& gpu, Stream& stream) -> int {
    if (!holds(gpu, target, bytes)) return invalid_value;
    gpu.queue(stream, [=, &gpu] {
      const std::vector<unsigned char> values(bytes, value);
      gpu.device.write(target, values.data(), bytes);
    });
    return success;
  });
}
