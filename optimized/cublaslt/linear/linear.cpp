// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// linear by cuBLASLt: the algorithm that its heuristic names first, with sums in binary32.
#include "core/components/linear/linear.hpp"

#include <bit>

#include "optimized/cublaslt/library.hpp"
#include "optimized/cuda/launch.hpp"

namespace parity::optimized::cublaslt {
namespace {

/// A handle of the library, destroyed with the object.
class Handle {
 public:
  template <class Create>
  Handle(int (*destroy)(void*), const char* what, const Create& create) : destroy_(destroy) {
    require_done(create(&of_), what);
  }
  ~Handle() { static_cast<void>(destroy_(of_)); }
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  [[nodiscard]] void* get() const { return of_; }

 private:
  int (*destroy_)(void*);
  void* of_ = nullptr;
};

/// Rows whose channels are neighbours. For the library, which counts by columns, they are columns.
struct Matrix {
  const std::byte* data;
  int64_t channels, rows, stride;
};

Matrix matrix_of(const TensorView& view, int64_t rows) {
  TensorView bytes = view;  // folding does not depend on the type
  bytes.dtype = DType::u8;
  const auto folded = bytes.as<uint8_t, 2>();
  const int64_t channels = view.shape.back(), stride = rows <= 1 ? channels : folded.stride[0];
  PARITY_CHECK((channels <= 1 || folded.stride[1] == 1) && stride >= channels, unsupported,
               "cuBLASLt is given rows of {} channels {} apart, whose channels are {} apart; make them dense", channels,
               stride, folded.stride[1]);
  return {view.data, channels, rows, stride};
}

Handle layout_of(const Matrix& matrix, DataType type) {
  const Library& of = library();
  return {of.destroy_layout, "cublasLtMatrixLayoutCreate", [&](void** layout) {
            return of.create_layout(layout, type, static_cast<uint64_t>(matrix.channels),
                                    static_cast<uint64_t>(matrix.rows), matrix.stride);
          }};
}

/// Bytes that the addresses of rows are multiples of, at most 256.
uint32_t alignment_of(const std::byte* data) {
  constexpr uint64_t kMost = 256;
  return static_cast<uint32_t>(uint64_t{1} << std::countr_zero(std::bit_cast<uint64_t>(data) | kMost));
}

/// What the library is to compute: out (F, N) = weight (H, F)^T x (H, N) + bias, by its way of counting columns.
struct Product {
  Matrix x, weight, out;
  const void* bias;
  DataType type;

  void set(void* product) const {
    const auto attribute = [&](MatmulAttribute what, const auto& value) {
      require_done(library().set_matmul(product, what, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
    };
    attribute(transpose_a, transposed);
    if (bias == nullptr) return;
    attribute(epilogue, adds_bias);
    attribute(bias_pointer, bias);
  }
  void prefer(void* preference, uint64_t bytes) const {
    const auto attribute = [&](PreferenceAttribute what, const auto& value) {
      require_done(library().set_preference(preference, what, &value, sizeof value),
                   "cublasLtMatmulPreferenceSetAttribute");
    };
    attribute(workspace_bytes, bytes);
    attribute(reductions, reduces_in_compute_type);  // pieces of a sum are not rounded to bf16
    attribute(alignment_a, alignment_of(weight.data));
    attribute(alignment_b, alignment_of(x.data));
    attribute(alignment_c, alignment_of(out.data));
    attribute(alignment_d, alignment_of(out.data));
  }
};

/// Queues the product on the place's stream.
void multiply(const Product& of, const Context& context) {
  constexpr size_t kWorkspace = size_t{32} << 20U;  // what the library's documentation advises for an H100
  constexpr float kOne = 1.0F, kZero = 0.0F;
  std::byte* const workspace = context.workspace->take(kWorkspace, 256);  // and the GPU is this thread's from here on
  const Library& lt = library();
  const Handle product(lt.destroy_matmul, "cublasLtMatmulDescCreate",
                       [&](void** made) { return lt.create_matmul(made, compute_f32, data_f32); });
  const Handle preference(lt.destroy_preference, "cublasLtMatmulPreferenceCreate", lt.create_preference);
  const Handle weight = layout_of(of.weight, of.type), x = layout_of(of.x, of.type), out = layout_of(of.out, of.type);
  of.set(product.get());
  of.prefer(preference.get(), kWorkspace);
  Heuristic best{};
  int found = 0;
  require_done(lt.heuristic(library_handle(), product.get(), weight.get(), x.get(), out.get(), out.get(),
                            preference.get(), 1, &best, &found),
               "cublasLtMatmulAlgoGetHeuristic");
  PARITY_CHECK(found == 1 && best.status == 0, unsupported,
               "cuBLASLt has no algorithm for {} tokens, {} channels and {} rows of a weight; use cuda", of.x.rows,
               of.x.channels, of.weight.rows);
  auto* const result = const_cast<std::byte*>(of.out.data);
  require_done(lt.matmul(library_handle(), product.get(), &kOne, of.weight.data, weight.get(), of.x.data, x.get(),
                         &kZero, result, out.get(), result, out.get(), &best.algorithm, workspace, kWorkspace,
                         cuda::cuda_place(context).stream()),
               "cublasLtMatmul");
}

template <class T>
void linear(const Linear::Inputs& in, const Linear::Params&, const Linear::Outputs& out, Context& context) {
  const DType type = kDTypeOf<T>;
  const bool native = in.x.dtype == type && in.weight.dtype == type && out.out.dtype == type &&
                      (in.bias.empty() || in.bias.dtype == type);
  PARITY_CHECK(native, unsupported, "cuBLASLt is asked for x in {}, weight in {} and out in {}; give one type for all",
               to_string(in.x.dtype), to_string(in.weight.dtype), to_string(out.out.dtype));
  const int64_t rows = in.weight.shape.front(), width = in.x.shape.back();
  const int64_t tokens = rows == 0 ? 0 : out.out.count() / rows;
  if (tokens == 0 || rows == 0) return;
  PARITY_CHECK(width > 0, unsupported, "cuBLASLt cannot multiply rows of 0 channels; use cuda");
  PARITY_CHECK(in.bias.empty() || in.bias.contiguous(), unsupported, "cuBLASLt adds a dense bias; make it dense");
  multiply({matrix_of(in.x, tokens), matrix_of(in.weight, rows), matrix_of(out.out, tokens),
            in.bias.empty() ? nullptr : in.bias.data, type == DType::bf16 ? data_bf16 : data_f32},
           context);
}

}  // namespace

void register_cublaslt_linear(BackendKernels& kernels) {
  kernels.add<Linear>("f32", &linear<float>);
  kernels.add<Linear>("bf16", &linear<BFloat16>);
}

}  // namespace parity::optimized::cublaslt
