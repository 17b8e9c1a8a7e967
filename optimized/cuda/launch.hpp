// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// How the host half of a kernel starts its device half: by name, with one struct of parameters.
#pragma once

#include <algorithm>
#include <mutex>
#include <span>
#include <string>
#include <type_traits>

#include "core/registry.hpp"
#include "optimized/backends.hpp"
#include "optimized/cuda/operand.hpp"
#include "optimized/cuda/tensor_map.hpp"

namespace parity::optimized::cuda {

struct Dim {
  uint32_t x = 1, y = 1, z = 1;
};

/// Nothing is launched where the grid is empty.
struct Launch {
  std::string module;  // the file's name without .cu
  std::string kernel;
  Dim grid{}, block{}, cluster{};
  uint32_t dynamic_shared = 0;  // bytes
};

/// A device that runs PTX, or what stands in for one.
class CudaPlace : public Place {
 public:
  [[nodiscard]] bool is_host_memory() const override { return false; }
  /// Throws Error{device} if something is wrong with the kernel, here or in wait().
  virtual void launch(const Launch& what, std::span<const std::byte> parameters) = 0;
  /// Writes zeros. They count as written, unlike the bytes of fill().
  virtual void clear(std::byte* target, size_t bytes) = 0;
  /// Compute capability, such as 90: kernels of modules *_sm90 need this one.
  [[nodiscard]] virtual int capability() const = 0;
  /// In this place's own encoding. Error{internal} unless boxes_fit().
  [[nodiscard]] virtual TensorMap tensor_map(const TensorBoxes& boxes) const = 0;
  [[nodiscard]] PlaceTraffic traffic() const override;

 protected:
  void count(const PlaceTraffic& more) const;

 private:
  mutable std::mutex counting_;
  mutable PlaceTraffic traffic_;
};

/// Throws Error{internal} for a place that does not run PTX.
[[nodiscard]] CudaPlace& cuda_place(const Context& context);

template <class Parameters>
void launch(const Context& context, const Launch& what, const Parameters& parameters) {
  static_assert(std::is_trivially_copyable_v<Parameters> && std::is_standard_layout_v<Parameters>);
  cuda_place(context).launch(what, std::as_bytes(std::span(&parameters, 1)));
}

/// Returns the kernel's name for the working type: "rms_norm_bf16".
template <class T>
[[nodiscard]] std::string kernel_name(const std::string& name) {
  return name + "_" + to_string(kDTypeOf<T>);
}

template <class T, int rank>
[[nodiscard]] Operand<rank> operand(const Span<T, rank>& span) {
  Operand<rank> result{const_cast<std::remove_const_t<T>*>(span.data), {}};
  for (int axis = 0; axis < rank; ++axis) result.stride[axis] = span.stride[axis];
  return result;
}

/// Returns the threads of a block that divide a row among them: whole warps, at most `most`, and no more than elements.
[[nodiscard]] inline uint32_t threads_for(int64_t width, uint32_t most = 256) {
  constexpr int64_t kWarp = 32;
  const int64_t warps = std::max<int64_t>((width + kWarp - 1) / kWarp, 1);
  return static_cast<uint32_t>(std::min<int64_t>(warps * kWarp, most));
}

/// Returns a count as an extent of a grid. Throws Error{unsupported} if it is more than a device takes.
[[nodiscard]] uint32_t grid_extent(int64_t count);

}  // namespace parity::optimized::cuda
