// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/driver_place.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "optimized/cuda/modules.hpp"

namespace parity::optimized::cuda {
namespace {

DevicePointer pointer(const std::byte* data) { return std::bit_cast<DevicePointer>(data); }

}  // namespace

DriverPlace::DriverPlace(int device) : driver_(driver()) {
  std::array<char, 256> text{};
  require_success(driver_.device_name(text.data(), text.size(), device), "cuDeviceGetName");
  int major = 0, minor = 0;
  require_success(driver_.device_attribute(&major, capability_major, device), "cuDeviceGetAttribute");
  require_success(driver_.device_attribute(&minor, capability_minor, device), "cuDeviceGetAttribute");
  capability_ = 10 * major + minor;
  name_ = fmt::format("cuda:{} ({}, compute capability {}.{})", device, text.data(), major, minor);
  PARITY_CHECK(major >= 8, device, "{} is too old: the kernels need 8.0; use cuda-host", name_);
  require_success(driver_.retain_context(&context_, device), "cuDevicePrimaryCtxRetain");
  enter();
  require_success(driver_.create_stream(&stream_, 0), "cuStreamCreate");
}

void DriverPlace::enter() const { require_success(driver_.set_context(context_), "cuCtxSetCurrent"); }

std::shared_ptr<std::byte[]> DriverPlace::allocate(size_t bytes, size_t alignment) {
  constexpr size_t kAligned = 256;  // of every allocation of the driver
  PARITY_CHECK(alignment <= kAligned, internal, "memory aligned to {} bytes is asked for; the driver aligns to {}",
               alignment, kAligned);
  enter();
  DevicePointer address = 0;
  require_success(driver_.allocate(&address, std::max<size_t>(bytes, 1)), "cuMemAlloc");
  return {std::bit_cast<std::byte*>(address), [this](std::byte* memory) {
            static_cast<void>(driver_.set_context(context_));  // what fails here has failed before
            static_cast<void>(driver_.free(pointer(memory)));
          }};
}

void DriverPlace::write(std::byte* target, const std::byte* host, size_t bytes) {
  if (bytes == 0) return;
  enter();
  require_success(driver_.to_device(pointer(target), host, bytes, stream_), "cuMemcpyHtoDAsync");
  wait();  // the host may change its bytes
}

void DriverPlace::read(std::byte* host, const std::byte* source, size_t bytes) const {
  if (bytes == 0) return;
  enter();
  require_success(driver_.to_host(host, pointer(source), bytes, stream_), "cuMemcpyDtoHAsync");
  wait();
}

void DriverPlace::fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) {
  std::vector<std::byte> filled(bytes);
  for (size_t i = 0; i < bytes; ++i) filled[i] = pattern[i % pattern.size()];
  write(target, filled.data(), bytes);
}

void DriverPlace::clear(std::byte* target, size_t bytes) {
  if (bytes == 0) return;
  enter();
  require_success(driver_.set_bytes(pointer(target), 0, bytes, stream_), "cuMemsetD8Async");
}

void DriverPlace::wait() const {
  enter();
  require_success(driver_.wait_for_stream(stream_), "a kernel or copy");
}

double DriverPlace::seconds(const std::function<void()>& work) const {
  struct Event {
    explicit Event(const Driver& of) : driver(of) { require_success(driver.create_event(&event, 0), "cuEventCreate"); }
    ~Event() { static_cast<void>(driver.destroy_event(event)); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;
    const Driver& driver;
    void* event = nullptr;
  };
  wait();
  const Event begin(driver_), end(driver_);
  require_success(driver_.record(begin.event, stream_), "cuEventRecord");
  work();
  require_success(driver_.record(end.event, stream_), "cuEventRecord");
  wait();
  float milliseconds = 0.0F;
  require_success(driver_.elapsed(&milliseconds, begin.event, end.event), "cuEventElapsedTime");
  return static_cast<double>(milliseconds) * 1e-3;
}

int64_t DriverPlace::flush(std::span<std::byte> memory) const {
  // Other bytes push these out: no GPU that we know has more cache than this.
  constexpr size_t kMostCache = size_t{256} << 20U, kLine = 128;
  enter();
  DevicePointer other = 0;
  if (driver_.allocate(&other, kMostCache) != 0) return 0;
  const int status = driver_.set_bytes(other, 0, kMostCache, stream_);
  wait();
  static_cast<void>(driver_.free(other));
  require_success(status, "cuMemsetD8Async");
  return static_cast<int64_t>((memory.size() + kLine - 1) / kLine);
}

void* DriverPlace::function(const std::string& module, const std::string& kernel) {
  const std::scoped_lock lock(mutex_);
  auto [known, fresh] = modules_.try_emplace(module, nullptr);
  if (known->second == nullptr) {
    const std::string what = "cuModuleLoadData of " + module;
    require_success(driver_.load_module(&known->second, module_text(module, capability_).data(), 0, nullptr, nullptr),
                    what.c_str());
  }
  void* found = nullptr;
  const std::string what = fmt::format("cuModuleGetFunction of {} in {}", kernel, module);
  require_success(driver_.get_function(&found, known->second, kernel.c_str()), what.c_str());
  return found;
}

void DriverPlace::launch(const Launch& what, std::span<const std::byte> parameters) {
  if (what.grid.x == 0 || what.grid.y == 0 || what.grid.z == 0) return;
  constexpr uint32_t kWithoutAsking = 48 * 1024;  // bytes of shared memory
  enter();
  void* kernel = function(what.module, what.kernel);
  if (what.dynamic_shared > kWithoutAsking)
    require_success(driver_.set_function_attribute(kernel, most_dynamic_shared, static_cast<int>(what.dynamic_shared)),
                    "cuFuncSetAttribute");
  const auto& [cx, cy, cz] = what.cluster;
  LaunchAttribute cluster;
  std::copy_n(std::array{cx, cy, cz}.begin(), 3, cluster.cluster);
  const LaunchConfig config{{what.grid.x, what.grid.y, what.grid.z},
                            {what.block.x, what.block.y, what.block.z},
                            what.dynamic_shared,
                            stream_,
                            &cluster,
                            cx * cy * cz > 1 ? 1U : 0U};
  size_t bytes = parameters.size();
  std::vector<std::byte> copy(parameters.begin(), parameters.end());
  std::array<void*, 5> extra{std::bit_cast<void*>(kParameterBuffer), copy.data(), std::bit_cast<void*>(kParameterBytes),
                             &bytes, nullptr};
  const std::string name = "launch of " + what.kernel;
  require_success(driver_.launch(&config, kernel, nullptr, extra.data()), name.c_str());
}

TensorMap DriverPlace::tensor_map(const TensorBoxes& boxes) const {
  require_boxes(boxes);
  std::array<uint64_t, TensorBoxes::kRank> extent{};
  std::array<uint64_t, TensorBoxes::kRank - 1> stride{};
  for (size_t axis = 0; axis < extent.size(); ++axis) {
    extent[axis] = static_cast<uint64_t>(boxes.extent[axis]);
    if (axis > 0) stride[axis - 1] = static_cast<uint64_t>(boxes.stride[axis]) * sizeof(BFloat16);
  }
  constexpr std::array<uint32_t, TensorBoxes::kRank> every_element{1, 1, 1, 1};
  TensorMap map;
  require_success(driver_.encode_tensor_map(&map, tensor_of_bf16, TensorBoxes::kRank, const_cast<void*>(boxes.data),
                                            extent.data(), stride.data(), boxes.box.data(), every_element.data(), 0,
                                            swizzle_of_128_bytes, l2_fetches_128_bytes, 0),
                  "cuTensorMapEncodeTiled");
  return map;
}

bool has_driver() {
  try {
    static_cast<void>(driver());
    return true;
  } catch (const Error&) {
    return false;
  }
}

DriverPlace& driver_place(int rank) {
  static std::mutex mutex;
  static auto& places = *new std::map<int, DriverPlace>;  // never destroyed: tensors give their memory back at the end
  int count = 0;
  require_success(driver().device_count(&count), "cuDeviceGetCount");
  const std::scoped_lock lock(mutex);
  return places.try_emplace(rank % count, rank % count).first->second;
}

}  // namespace parity::optimized::cuda
