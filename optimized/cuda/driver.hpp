// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The functions of NVIDIA's driver that we call, loaded when they are first asked for: the program does not need it to start.
#pragma once

#include <cstddef>
#include <cstdint>

namespace parity::optimized::cuda {

/// Types and numbers of the driver's interface. Source: CUDA Driver API 13.0, cuda.h; its binary interface is stable.
using DevicePointer = uint64_t;
struct LaunchAttribute {
  uint32_t id = 4;  // CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION
  uint32_t padding = 0;
  uint32_t cluster[3]{1, 1, 1};
  char unused[52]{};
};
struct LaunchConfig {
  uint32_t grid[3], block[3], dynamic_shared;
  void* stream;
  LaunchAttribute* attributes;
  uint32_t attribute_count;
};
enum DeviceAttribute : int { cache_bytes = 38, capability_major = 75, capability_minor = 76 };
enum FunctionAttribute : int { most_dynamic_shared = 8 };
/// Arguments of cuTensorMapEncodeTiled: elements, swizzle, and what L2 fetches beyond a box.
enum TensorMapChoice : int { tensor_of_bf16 = 9, swizzle_of_128_bytes = 3, l2_fetches_128_bytes = 2 };
enum JitOption : int { error_log = 5, error_log_bytes = 6 };
enum CaptureMode : int { capture_of_thread = 1 };  // calls of this thread that a graph cannot hold are errors
enum RecordFlag : unsigned { record_in_graph = 1 };

struct Driver {
  int (*init)(unsigned);
  int (*version)(int*);
  int (*device_count)(int*);
  int (*device)(int*, int);
  int (*device_name)(char*, int, int);
  int (*device_attribute)(int*, int, int);
  int (*retain_context)(void**, int);
  int (*set_context)(void*);
  int (*allocate)(DevicePointer*, size_t);
  int (*free)(DevicePointer);
  int (*room)(size_t*, size_t*);
  int (*to_device)(DevicePointer, const void*, size_t, void*);
  int (*to_host)(void*, DevicePointer, size_t, void*);
  int (*copy)(DevicePointer, DevicePointer, size_t, void*);
  int (*set_bytes)(DevicePointer, unsigned char, size_t, void*);
  int (*create_stream)(void**, unsigned);
  int (*wait_for_stream)(void*);
  int (*create_event)(void**, unsigned);
  int (*destroy_event)(void*);
  int (*record)(void*, void*);
  int (*record_with_flags)(void*, void*, unsigned);
  int (*elapsed)(float*, void*, void*);
  int (*begin_capture)(void*, int);
  int (*end_capture)(void*, void**);
  int (*instantiate)(void**, void*, unsigned long long);
  int (*launch_graph)(void*, void*);
  int (*destroy_graph)(void*);
  int (*destroy_instance)(void*);
  int (*load_module)(void**, const void*, unsigned, int*, void**);
  int (*get_function)(void**, void*, const char*);
  int (*set_function_attribute)(void*, int, int);
  int (*launch)(const LaunchConfig*, void*, void**, void**);
  int (*encode_tensor_map)(void*, int, uint32_t, void*, const uint64_t*, const uint64_t*, const uint32_t*,
                           const uint32_t*, int, int, int, int);
  int (*error_text)(int, const char**);
};

/// Throws Error{device}, which says what to do, if there is no driver or no GPU.
[[nodiscard]] const Driver& driver();
/// Throws Error{device} with the driver's own text unless `status` is success.
void require_success(int status, const char* what);

}  // namespace parity::optimized::cuda
