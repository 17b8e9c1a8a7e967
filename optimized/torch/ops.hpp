// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For the module's own sources: our views as LibTorch's tensors.
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

/// The same memory, strides included. (TensorView::count and the like are not to be used here: core is no part of the module.)
inline at::Tensor wrap(const TensorView& view) {
  return at::from_blob(view.data, view.shape, view.strides, at::TensorOptions().dtype(scalar_type(view.dtype)));
}

/// Whether results are brought to where the caller wants them, or stay where LibTorch put them: see deliver_results().
[[nodiscard]] bool delivers();

/// A finished result into the caller's buffer. Of another type, converting it is a part of the chain.
inline void deliver(const at::Tensor& result, const at::Tensor& out) {
  if (delivers() || result.scalar_type() != out.scalar_type()) out.copy_(result.reshape(out.sizes()));
}

/// For operations that write where they are told to: `write` gets the caller's buffer in the result's shape and type, or,
/// where that cannot be, memory of its own that is brought over.
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

/// Inference, on as many threads as ours would take.
class Scope {
 public:
  Scope() {
    if (at::get_num_threads() != omp_get_max_threads()) at::set_num_threads(omp_get_max_threads());
  }

 private:
  c10::InferenceMode mode_;
};

}  // namespace parity::torch_backend
