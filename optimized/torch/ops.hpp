// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For the module's sources: wraps views as LibTorch tensors.
#pragma once

#include <stdexcept>

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <omp.h>

#include "core/tensor.hpp"

namespace parity::torch_backend {

inline at::ScalarType scalar_type(DType type) {
  switch (type) {
    case DType::f64:
      return at::ScalarType::Double;
    case DType::f32:
      return at::ScalarType::Float;
    case DType::bf16:
      return at::ScalarType::BFloat16;
    case DType::f16:
      return at::ScalarType::Half;
    case DType::e4m3fn:
      return at::ScalarType::Float8_e4m3fn;
    case DType::u8:
      return at::ScalarType::Byte;
    case DType::i64:
      return at::ScalarType::Long;
    default:
      throw std::runtime_error("an element type that the LibTorch backend does not support");
  }
}

/// Returns a tensor over the view's memory, with its strides. Do not use TensorView::count here; the module lacks core.
inline at::Tensor wrap(const TensorView& view) {
  return at::from_blob(view.data, view.shape, view.strides, at::TensorOptions().dtype(scalar_type(view.dtype)));
}

/// Whether results are copied to the caller's buffer (see deliver_results()); else they stay where LibTorch put them.
[[nodiscard]] bool delivers();

/// Copies a finished result to the caller's buffer if results are delivered, or if its type has to be converted.
inline void deliver(const at::Tensor& result, const at::Tensor& out) {
  if (delivers() || result.scalar_type() != out.scalar_type()) out.copy_(result.reshape(out.sizes()));
}

/// Calls `write` with the caller's buffer in the result's shape and type. If the buffer cannot be used so, calls it
/// with temporary memory and delivers that.
template <class F>
void into(const at::Tensor& out, at::IntArrayRef sizes, at::ScalarType type, const F& write) {
  const bool same_shape = out.sizes() == sizes;
  if (out.scalar_type() == type && (same_shape || out.is_contiguous())) {
    at::Tensor target = same_shape ? out : out.view(sizes);
    write(target);
  } else {
    at::Tensor target = at::empty(sizes, type);
    write(target);
    deliver(target, out);
  }
}

/// Sets inference mode, and LibTorch's number of threads to that of OpenMP.
class Scope {
 public:
  Scope() {
    if (at::get_num_threads() != omp_get_max_threads()) at::set_num_threads(omp_get_max_threads());
  }

 private:
  c10::InferenceMode mode_;
};

}  // namespace parity::torch_backend
