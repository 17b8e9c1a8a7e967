// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A linear layer over MXFP8 weights. Few tokens read the codes once and decode them in registers. Many tokens are
// multiplied by pieces of rows, each of which is decoded just before.
#include "core/fusions/mxfp8_linear.hpp"

#include "optimized/backends.hpp"
#include "optimized/cpu/linear/coded_matrix.hpp"
#include "optimized/cpu/linear/linear_call.hpp"

namespace parity::optimized {
namespace {

template <class T>
void for_few(const Span<T, 2>& x, const cpu::CodedRows<T>& weight, const Span<T, 2>& out, Workspace& workspace) {
  const T* tokens[cpu::kCodedLine];
  T* results[cpu::kCodedLine];
  const int64_t count = x.extent[0];
  for (int64_t n = 0; n < count; ++n) {
    tokens[n] = x.data + n * x.stride[0];
    results[n] = out.data + n * out.stride[0];
  }
  float* packed = nullptr;
  if (count >= cpu::coded_tile(kDTypeOf<T>)) {
    packed = workspace.take_elements<float>(static_cast<size_t>(cpu::kCodedLine * weight.width));
    cpu::pack_tokens(cpu::PackTokens<T>{tokens, count, weight.width, 0, weight.width, cpu::kCodedLine, packed});
  }
  cpu::in_pieces(weight.last, cpu::kPieceRows, [&](int64_t first, int64_t last) {
    cpu::CodedFew<T> piece{weight, tokens, packed, count, results};
    piece.weight.first = first;
    piece.weight.last = last;
    cpu::coded_few(piece);
  });
}

template <class T>
void for_many(const Span<T, 2>& x, const cpu::CodedRows<T>& weight, const Span<T, 2>& out, Workspace& workspace) {
  const int64_t piece = cpu::kPieceRows * weight.width;
  T* decoded = workspace.take_elements<T>(static_cast<size_t>(piece * omp_get_max_threads()));
  cpu::LinearCall<T>(x, out, nullptr, workspace).run(cpu::kPieceRows, [&](int64_t first, int64_t last, int thread) {
    cpu::CodedRows<T> rows = weight;
    rows.first = first;
    rows.last = last;
    rows.out = decoded + thread * piece;
    cpu::decode_rows(rows);
    return rows.out;
  });
}

template <class T>
void mxfp8_linear(const Mxfp8Linear::Inputs& in, const Mxfp8Linear::Params&, const Mxfp8Linear::Outputs& out,
                  Context& context) {
  const auto x = in.x.as<T, 2>();                                                                              // (N, H)
  const auto result = out.out.as<T, 2>();                                                                      // (N, F)
  const cpu::CodedRows<T> weight = cpu::coded_rows<T>(in.codes, in.scales, true);                              // (F, H)
  PARITY_CHECK(weight.width <= 1 || (x.stride[1] == 1 && result.stride[1] == 1), internal,
               "mxfp8_linear needs rows with contiguous channels");
  if (x.extent[0] == 0) return;
  const bool few = x.extent[0] <= cpu::coded_few(in.x.dtype) && weight.block == cpu::kCodedBlock && weight.rows == 1;
  few ? for_few(x, weight, result, *context.workspace) : for_many(x, weight, result, *context.workspace);
}

}  // namespace

void register_cpu_mxfp8_linear(BackendKernels& kernels) {
  kernels.fuse<Mxfp8Linear>("f32", &mxfp8_linear<float>);
  kernels.fuse<Mxfp8Linear>("bf16", &mxfp8_linear<BFloat16>);
}

}  // namespace parity::optimized
