// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/driver_place.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <vector>

#include "optimized/cuda/driver_graph.hpp"
#include "optimized/cuda/modules.hpp"

namespace parity::optimized::cuda {
namespace {

DevicePointer pointer(const std::byte* data) { return std::bit_cast<DevicePointer>(data); }

/// Bytes of the one struct that a kernel takes, as its PTX says; 0 if it takes none.
size_t bytes_of_parameters(std::string_view ptx, const std::string& kernel) {
  const size_t entry = ptx.find(fmt::format(".entry {}(", kernel));
  if (entry == std::string_view::npos) return 0;  // the driver says so
  const std::string_view list = ptx.substr(entry, ptx.find(')', entry) - entry);
  const size_t bracket = list.find('[');
  size_t bytes = 0;
  if (bracket != std::string_view::npos) std::from_chars(list.data() + bracket + 1, list.data() + list.size(), bytes);
  return bytes;
}

}  // namespace

DriverPlace::DriverPlace(int device) : driver_(driver()) {
  std::array<char, 256> text{};
  const int ordinal = device;
  require_success(driver_.device(&device, ordinal), "cuDeviceGet");
  require_success(driver_.device_name(text.data(), text.size(), device), "cuDeviceGetName");
  int major = 0, minor = 0, version = 0;
  require_success(driver_.device_attribute(&major, capability_major, device), "cuDeviceGetAttribute");
  require_success(driver_.device_attribute(&minor, capability_minor, device), "cuDeviceGetAttribute");
  require_success(driver_.device_attribute(&cache_, cache_bytes, device), "cuDeviceGetAttribute");
  capability_ = 10 * major + minor;
  require_success(driver_.version(&version), "cuDriverGetVersion");
  name_ = fmt::format("cuda:{} ({}, compute capability {}.{}, driver for CUDA {}.{})", ordinal, text.data(), major,
                      minor, version / 1000, version % 1000 / 10);
  PARITY_CHECK(major >= 8, device, "{} is too old: the kernels need compute capability 8.0; use cuda-host", name_);
  require_success(driver_.retain_context(&context_, device), "cuDevicePrimaryCtxRetain");
  enter();
  require_success(driver_.create_stream(&stream_, 0), "cuStreamCreate");
}

void DriverPlace::enter() const {
  failures_.require_none();
  require(driver_.set_context(context_), "cuCtxSetCurrent");
}

std::shared_ptr<std::byte[]> DriverPlace::allocate(size_t bytes, size_t alignment) {
  constexpr size_t kAligned = 256;  // of every allocation of the driver
  PARITY_CHECK(alignment <= kAligned, internal, "memory aligned to {} bytes is asked for; the driver aligns to {}",
               alignment, kAligned);
  require_no_capture("memory is allocated");
  enter();
  DevicePointer address = 0;
  require(driver_.allocate(&address, std::max<size_t>(bytes, 1)), "cuMemAlloc");
  return {std::bit_cast<std::byte*>(address), [this](std::byte* memory) {
            static_cast<void>(driver_.set_context(context_));  // what fails here has failed before
            static_cast<void>(driver_.free(pointer(memory)));
          }};
}

std::optional<Place::Room> DriverPlace::room() const {
  enter();
  size_t free = 0, total = 0;
  require(driver_.room(&free, &total), "cuMemGetInfo");
  return Room{static_cast<int64_t>(free), static_cast<int64_t>(total)};
}

void DriverPlace::write(std::byte* target, const std::byte* host, size_t bytes) {
  store(target, host, bytes);
  note({static_cast<int64_t>(bytes), 0, 0, 0});
}

void DriverPlace::store(std::byte* target, const std::byte* host, size_t bytes) {
  if (bytes == 0) return;
  enter();
  if (capturing_ != nullptr) host = capturing_->keep(host, bytes);
  require(driver_.to_device(pointer(target), host, bytes, stream_), "cuMemcpyHtoDAsync");
  if (capturing_ == nullptr) wait();  // the host may change its bytes
}

void DriverPlace::read(std::byte* host, const std::byte* source, size_t bytes) const {
  if (bytes == 0) return;
  require_no_capture("the host reads a result");
  enter();
  require(driver_.to_host(host, pointer(source), bytes, stream_), "cuMemcpyDtoHAsync");
  wait();
  note({0, static_cast<int64_t>(bytes), 0, 0});
}

void DriverPlace::fill(std::byte* target, size_t bytes, std::span<const std::byte> pattern) {
  if (bytes == 0) return;
  enter();
  if (std::all_of(pattern.begin(), pattern.end(), [&](std::byte b) { return b == pattern.front(); })) {
    const auto value = std::to_integer<unsigned char>(pattern.front());
    return require(driver_.set_bytes(pointer(target), value, bytes, stream_), "cuMemsetD8Async");
  }
  size_t filled = std::min(pattern.size(), bytes);
  store(target, pattern.data(), filled);
  for (size_t more = 0; filled < bytes; filled += more) {  // twice as many whole patterns each time, on the device
    more = std::min(filled, bytes - filled);
    require(driver_.copy(pointer(target + filled), pointer(target), more, stream_), "cuMemcpyDtoDAsync");
  }
}

void DriverPlace::clear(std::byte* target, size_t bytes) {
  if (bytes == 0) return;
  enter();
  require(driver_.set_bytes(pointer(target), 0, bytes, stream_), "cuMemsetD8Async");
}

void DriverPlace::wait() const {
  if (capturing_ != nullptr) return;  // nothing runs yet: the graph is waited for as a whole
  enter();
  const size_t under_way = failures_.under_way();
  require(driver_.wait_for_stream(stream_), "a kernel or copy");
  failures_.ended(under_way);
}

void* DriverPlace::module(const std::string& name) {
  void*& known = modules_[name];
  if (known != nullptr) return known;
  std::array<char, 8192> log{};
  std::array<int, 2> options{error_log, error_log_bytes};
  std::array<void*, 2> values{log.data(), std::bit_cast<void*>(log.size())};
  void* loaded = nullptr;
  const int status = driver_.load_module(&loaded, module_text(name, capability_).data(), options.size(), options.data(),
                                         values.data());
  const std::string what = fmt::format("cuModuleLoadDataEx of {}.cu{}{}", name, log[0] == '\0' ? "" : ": ", log.data());
  require(status, what.c_str());
  return known = loaded;
}

/// Static and dynamic shared memory together are 48 KiB unless more is allowed: each kernel is told what it gets.
const DriverPlace::Function& DriverPlace::function(const Launch& what) {
  const std::scoped_lock lock(mutex_);
  Function& known = functions_[{what.module, what.kernel}];
  if (known.handle == nullptr) {
    const std::string call = fmt::format("cuModuleGetFunction of {} in {}.cu", what.kernel, what.module);
    require(driver_.get_function(&known.handle, module(what.module), what.kernel.c_str()), call.c_str());
    known.parameters = bytes_of_parameters(module_text(what.module, capability_), what.kernel);
  }
  if (what.dynamic_shared > known.dynamic_shared) {
    const std::string call = fmt::format("{} bytes of shared memory for {}", what.dynamic_shared, what.kernel);
    require(driver_.set_function_attribute(known.handle, most_dynamic_shared, static_cast<int>(what.dynamic_shared)),
            call.c_str());
    known.dynamic_shared = what.dynamic_shared;
  }
  return known;
}

void DriverPlace::launch(const Launch& what, std::span<const std::byte> parameters) {
  if (what.grid.x == 0 || what.grid.y == 0 || what.grid.z == 0) return;
  enter();
  const Function& kernel = function(what);
  PARITY_CHECK(parameters.size() == kernel.parameters, internal, "{} in {}.cu takes {} bytes of parameters, not {}",
               what.kernel, what.module, kernel.parameters, parameters.size());
  const auto& [cx, cy, cz] = what.cluster;
  LaunchAttribute cluster;
  std::copy_n(std::array{cx, cy, cz}.begin(), 3, cluster.cluster);
  const LaunchConfig config{{what.grid.x, what.grid.y, what.grid.z},
                            {what.block.x, what.block.y, what.block.z},
                            what.dynamic_shared,
                            stream_,
                            &cluster,
                            cx * cy * cz > 1 ? 1U : 0U};
  // By address, not as one buffer: the driver copies a buffer to where parameters begin, which no kernel with a parameter
  // that is aligned to 64 bytes reads (seen on an H100 with driver 580.159).
  std::vector<std::byte> copy(parameters.begin(), parameters.end());
  std::array<void*, 1> addresses{copy.data()};
  const std::string name = fmt::format("launch of {} in {}.cu", what.kernel, what.module);
  if (capturing_ != nullptr)
    capturing_->kernels.push_back(what.kernel);
  else
    failures_.started({&what.kernel, 1});
  require(driver_.launch(&config, kernel.handle, copy.empty() ? nullptr : addresses.data(), nullptr), name.c_str());
  note({0, 0, 1, 0});
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
  require(driver_.encode_tensor_map(&map, tensor_of_bf16, TensorBoxes::kRank, const_cast<void*>(boxes.data),
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
