// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/driver.hpp"

#include <dlfcn.h>

#include "core/error.hpp"

namespace parity::optimized::cuda {
namespace {

constexpr const char* kLibrary = "libcuda.so.1";

template <class Function>
void find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  PARITY_CHECK(function != nullptr, device, "{} has no {}; install a driver for CUDA 12.8 or later", kLibrary, name);
}

std::string driver_message(const Driver& of, int status) {
  const char* text = nullptr;
  static_cast<void>(of.error_text(status, &text));
  return text == nullptr ? fmt::format("unknown error {} of the driver", status) : text;
}

Driver functions_of(void* library) {
  Driver found{};
  find(library, "cuInit", found.init);
  find(library, "cuDriverGetVersion", found.version);
  find(library, "cuDeviceGetCount", found.device_count);
  find(library, "cuDeviceGet", found.device);
  find(library, "cuDeviceGetName", found.device_name);
  find(library, "cuDeviceGetAttribute", found.device_attribute);
  find(library, "cuDevicePrimaryCtxRetain", found.retain_context);
  find(library, "cuCtxSetCurrent", found.set_context);
  find(library, "cuMemAlloc_v2", found.allocate);
  find(library, "cuMemFree_v2", found.free);
  find(library, "cuMemGetInfo_v2", found.room);
  find(library, "cuMemcpyHtoDAsync_v2", found.to_device);
  find(library, "cuMemcpyDtoHAsync_v2", found.to_host);
  find(library, "cuMemcpyDtoDAsync_v2", found.copy);
  find(library, "cuMemsetD8Async", found.set_bytes);
  find(library, "cuStreamCreate", found.create_stream);
  find(library, "cuStreamSynchronize", found.wait_for_stream);
  find(library, "cuEventCreate", found.create_event);
  find(library, "cuEventDestroy_v2", found.destroy_event);
  find(library, "cuEventRecord", found.record);
  find(library, "cuEventRecordWithFlags", found.record_with_flags);
  find(library, "cuEventElapsedTime", found.elapsed);
  find(library, "cuStreamBeginCapture_v2", found.begin_capture);
  find(library, "cuStreamEndCapture", found.end_capture);
  find(library, "cuGraphInstantiateWithFlags", found.instantiate);
  find(library, "cuGraphLaunch", found.launch_graph);
  find(library, "cuGraphDestroy", found.destroy_graph);
  find(library, "cuGraphExecDestroy", found.destroy_instance);
  find(library, "cuModuleLoadDataEx", found.load_module);
  find(library, "cuModuleGetFunction", found.get_function);
  find(library, "cuFuncSetAttribute", found.set_function_attribute);
  find(library, "cuLaunchKernelEx", found.launch);
  find(library, "cuTensorMapEncodeTiled", found.encode_tensor_map);
  find(library, "cuGetErrorString", found.error_text);
  return found;
}

Driver load() {
  void* library = dlopen(kLibrary, RTLD_NOW | RTLD_LOCAL);
  PARITY_CHECK(library != nullptr, device,
               "no NVIDIA driver: {} cannot be loaded; install one, or use cuda-host, which needs no GPU", kLibrary);
  const Driver found = functions_of(library);
  int status = found.init(0), devices = 0;
  if (status == 0) status = found.device_count(&devices);
  PARITY_CHECK(status == 0, device, "the NVIDIA driver does not start: {}; look at nvidia-smi, or use cuda-host",
               driver_message(found, status));
  PARITY_CHECK(devices > 0, device, "the NVIDIA driver finds no GPU; look at nvidia-smi, or use cuda-host");
  return found;
}

}  // namespace

const Driver& driver() {
  static const Driver instance = load();  // again after it has thrown
  return instance;
}

void require_success(int status, const char* what) {
  if (status == 0) return;
  constexpr int kFirstOfCapture = 900, kLastOfCapture = 908;  // CUDA_ERROR_STREAM_CAPTURE_*: no graph can hold the call
  const bool of_capture = status >= kFirstOfCapture && status <= kLastOfCapture;
  throw Error(
      of_capture ? ErrorCode::unsupported : ErrorCode::device,
      fmt::format("{}: {}; look at nvidia-smi, and run the same with cuda-host:checked, which finds errors of kernels",
                  what, driver_message(driver(), status)));
}

}  // namespace parity::optimized::cuda
