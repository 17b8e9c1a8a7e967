// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What we declare of cuBLASLt is what NVIDIA's header declares: nothing else tells before the library is there. Without the
// header there is nothing to compare.
#ifdef PARITY_CUBLASLT_HEADER

#include <type_traits>

#include <gtest/gtest.h>

#include "optimized/cublaslt/library.hpp"

#include PARITY_CUBLASLT_HEADER

namespace parity::optimized::cublaslt {
namespace {

/// Whether a value of one type is passed as one of the other: handles are pointers, enumerations integers.
template <class Ours, class Theirs>
constexpr bool kPassedAlike = sizeof(Ours) == sizeof(Theirs) &&
                              std::is_pointer_v<Ours> == std::is_pointer_v<Theirs>&& std::is_floating_point_v<Ours> ==
                                  std::is_floating_point_v<Theirs>;

template <class Result, class... Ours, class OtherResult, class... Theirs>
constexpr bool is_called_alike(Result (*)(Ours...), OtherResult (*)(Theirs...)) {
  if constexpr (sizeof...(Ours) != sizeof...(Theirs) || !kPassedAlike<Result, OtherResult>) {
    return false;
  } else {
    return (kPassedAlike<Ours, Theirs> && ...);
  }
}

#define PARITY_EXPECT_ALIKE(member, name) \
  EXPECT_TRUE(is_called_alike(decltype(Library::member){}, decltype(&name){})) << #name

TEST(CublasLtInterface, CallsFunctionsAsTheHeaderDeclaresThem) {
  PARITY_EXPECT_ALIKE(create, cublasLtCreate);
  PARITY_EXPECT_ALIKE(version, cublasLtGetVersion);
  PARITY_EXPECT_ALIKE(status_text, cublasLtGetStatusString);
  PARITY_EXPECT_ALIKE(create_matmul, cublasLtMatmulDescCreate);
  PARITY_EXPECT_ALIKE(set_matmul, cublasLtMatmulDescSetAttribute);
  PARITY_EXPECT_ALIKE(destroy_matmul, cublasLtMatmulDescDestroy);
  PARITY_EXPECT_ALIKE(create_layout, cublasLtMatrixLayoutCreate);
  PARITY_EXPECT_ALIKE(destroy_layout, cublasLtMatrixLayoutDestroy);
  PARITY_EXPECT_ALIKE(create_preference, cublasLtMatmulPreferenceCreate);
  PARITY_EXPECT_ALIKE(set_preference, cublasLtMatmulPreferenceSetAttribute);
  PARITY_EXPECT_ALIKE(destroy_preference, cublasLtMatmulPreferenceDestroy);
  PARITY_EXPECT_ALIKE(heuristic, cublasLtMatmulAlgoGetHeuristic);
  PARITY_EXPECT_ALIKE(matmul, cublasLtMatmul);
}

TEST(CublasLtInterface, LaysOutStructsAsTheHeaderDoes) {
  EXPECT_EQ(sizeof(Algorithm), sizeof(cublasLtMatmulAlgo_t));
  EXPECT_EQ(sizeof(Heuristic), sizeof(cublasLtMatmulHeuristicResult_t));
  EXPECT_EQ(offsetof(Heuristic, workspace), offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
  EXPECT_EQ(offsetof(Heuristic, status), offsetof(cublasLtMatmulHeuristicResult_t, state));
}

TEST(CublasLtInterface, HasTheNumbersOfTheHeader) {
  EXPECT_EQ(int{compute_f32}, CUBLAS_COMPUTE_32F);
  EXPECT_EQ(int{data_f32}, CUDA_R_32F);
  EXPECT_EQ(int{data_bf16}, CUDA_R_16BF);
  EXPECT_EQ(int{transpose_a}, CUBLASLT_MATMUL_DESC_TRANSA);
  EXPECT_EQ(int{epilogue}, CUBLASLT_MATMUL_DESC_EPILOGUE);
  EXPECT_EQ(int{bias_pointer}, CUBLASLT_MATMUL_DESC_BIAS_POINTER);
  EXPECT_EQ(int32_t{transposed}, CUBLAS_OP_T);
  EXPECT_EQ(uint32_t{adds_bias}, uint32_t{CUBLASLT_EPILOGUE_BIAS});
  EXPECT_EQ(sizeof(Epilogue), sizeof(cublasLtEpilogue_t));
  EXPECT_EQ(int{workspace_bytes}, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES);
  EXPECT_EQ(int{reductions}, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK);
  EXPECT_EQ(int{alignment_a}, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES);
  EXPECT_EQ(int{alignment_b}, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES);
  EXPECT_EQ(int{alignment_c}, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES);
  EXPECT_EQ(int{alignment_d}, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES);
  EXPECT_EQ(uint32_t{reduces_in_compute_type}, uint32_t{CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE});
}

}  // namespace
}  // namespace parity::optimized::cublaslt

#endif
