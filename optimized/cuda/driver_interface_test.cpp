// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What we declare of the driver is what NVIDIA's header declares: nothing else tells before a GPU is there. Without the
// header there is nothing to compare.
#ifdef PARITY_CUDA_HEADER

#include <type_traits>

#include <gtest/gtest.h>

#include "optimized/cuda/driver.hpp"

#include PARITY_CUDA_HEADER

namespace parity::optimized::cuda {
namespace {

/// Whether a value of one type is passed as one of the other: handles are pointers, enumerations integers.
template <class Ours, class Theirs>
constexpr bool kSame = sizeof(Ours) == sizeof(Theirs) &&
                       std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>&& std::is_floating_point_v<Ours> ==
                           std::is_floating_point_v<Theirs>;

template <class... Ours, class... Theirs>
constexpr bool is_called_alike(int (*)(Ours...), CUresult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs)) {
    return false;
  } else {
    return (kSame<Ours, Theirs> && ...);
  }
}

#define PARITY_EXPECT_ALIKE(member, name) \
  EXPECT_TRUE(is_called_alike(decltype(Driver::member){}, decltype(&name){})) << #name

TEST(DriverInterface, CallsFunctionsAsTheHeaderDeclaresThem) {
  PARITY_EXPECT_ALIKE(init, cuInit);
  PARITY_EXPECT_ALIKE(version, cuDriverGetVersion);
  PARITY_EXPECT_ALIKE(device_count, cuDeviceGetCount);
  PARITY_EXPECT_ALIKE(device, cuDeviceGet);
  PARITY_EXPECT_ALIKE(device_name, cuDeviceGetName);
  PARITY_EXPECT_ALIKE(device_attribute, cuDeviceGetAttribute);
  PARITY_EXPECT_ALIKE(retain_context, cuDevicePrimaryCtxRetain);
  PARITY_EXPECT_ALIKE(set_context, cuCtxSetCurrent);
  PARITY_EXPECT_ALIKE(allocate, cuMemAlloc);
  PARITY_EXPECT_ALIKE(free, cuMemFree);
  PARITY_EXPECT_ALIKE(room, cuMemGetInfo);
  PARITY_EXPECT_ALIKE(to_device, cuMemcpyHtoDAsync);
  PARITY_EXPECT_ALIKE(to_host, cuMemcpyDtoHAsync);
  PARITY_EXPECT_ALIKE(copy, cuMemcpyDtoDAsync);
  PARITY_EXPECT_ALIKE(set_bytes, cuMemsetD8Async);
  PARITY_EXPECT_ALIKE(create_stream, cuStreamCreate);
  PARITY_EXPECT_ALIKE(wait_for_stream, cuStreamSynchronize);
  PARITY_EXPECT_ALIKE(create_event, cuEventCreate);
  PARITY_EXPECT_ALIKE(destroy_event, cuEventDestroy);
  PARITY_EXPECT_ALIKE(record, cuEventRecord);
  PARITY_EXPECT_ALIKE(record_with_flags, cuEventRecordWithFlags);
  PARITY_EXPECT_ALIKE(elapsed, cuEventElapsedTime);
  PARITY_EXPECT_ALIKE(begin_capture, cuStreamBeginCapture);
  PARITY_EXPECT_ALIKE(end_capture, cuStreamEndCapture);
  PARITY_EXPECT_ALIKE(instantiate, cuGraphInstantiateWithFlags);
  PARITY_EXPECT_ALIKE(launch_graph, cuGraphLaunch);
  PARITY_EXPECT_ALIKE(destroy_graph, cuGraphDestroy);
  PARITY_EXPECT_ALIKE(destroy_instance, cuGraphExecDestroy);
  PARITY_EXPECT_ALIKE(load_module, cuModuleLoadDataEx);
  PARITY_EXPECT_ALIKE(get_function, cuModuleGetFunction);
  PARITY_EXPECT_ALIKE(set_function_attribute, cuFuncSetAttribute);
  PARITY_EXPECT_ALIKE(launch, cuLaunchKernelEx);
  PARITY_EXPECT_ALIKE(encode_tensor_map, cuTensorMapEncodeTiled);
  PARITY_EXPECT_ALIKE(error_text, cuGetErrorString);
}

TEST(DriverInterface, LaysOutStructsAsTheHeaderDoes) {
  EXPECT_EQ(sizeof(LaunchAttribute), sizeof(CUlaunchAttribute));
  EXPECT_EQ(offsetof(LaunchAttribute, cluster), offsetof(CUlaunchAttribute, value));
  EXPECT_EQ(sizeof(LaunchConfig), sizeof(CUlaunchConfig));
  EXPECT_EQ(offsetof(LaunchConfig, block), offsetof(CUlaunchConfig, blockDimX));
  EXPECT_EQ(offsetof(LaunchConfig, dynamic_shared), offsetof(CUlaunchConfig, sharedMemBytes));
  EXPECT_EQ(offsetof(LaunchConfig, stream), offsetof(CUlaunchConfig, hStream));
  EXPECT_EQ(offsetof(LaunchConfig, attributes), offsetof(CUlaunchConfig, attrs));
  EXPECT_EQ(offsetof(LaunchConfig, attribute_count), offsetof(CUlaunchConfig, numAttrs));
}

TEST(DriverInterface, HasTheNumbersOfTheHeader) {
  EXPECT_EQ(LaunchAttribute{}.id, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  EXPECT_EQ(int{cache_bytes}, CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
  EXPECT_EQ(int{capability_major}, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  EXPECT_EQ(int{capability_minor}, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  EXPECT_EQ(int{most_dynamic_shared}, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  EXPECT_EQ(int{error_log}, CU_JIT_ERROR_LOG_BUFFER);
  EXPECT_EQ(int{error_log_bytes}, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES);
  EXPECT_EQ(int{capture_of_thread}, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
  EXPECT_EQ(unsigned{record_in_graph}, CU_EVENT_RECORD_EXTERNAL);
  EXPECT_EQ(int{tensor_of_bf16}, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16);
  EXPECT_EQ(int{swizzle_of_128_bytes}, CU_TENSOR_MAP_SWIZZLE_128B);
  EXPECT_EQ(int{l2_fetches_128_bytes}, CU_TENSOR_MAP_L2_PROMOTION_L2_128B);
}

}  // namespace
}  // namespace parity::optimized::cuda

#endif
