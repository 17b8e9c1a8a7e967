// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The functions of NVIDIA's cuBLASLt that we call, loaded when they are first asked for: no build needs the library.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace parity::optimized::cublaslt {

/// Numbers and structs of the library's interface. Source: cuBLAS 13.0, cublasLt.h, cublas_api.h, library_types.h.
enum ComputeType : int { compute_f32 = 68 };
enum DataType : int { data_f32 = 0, data_bf16 = 14 };
enum MatmulAttribute : int { transpose_a = 3, epilogue = 7, bias_pointer = 8 };
enum Operation : int32_t { transposed = 1 };
enum Epilogue : uint32_t { adds_bias = 4 };
enum PreferenceAttribute : int {
  workspace_bytes = 1,
  reductions = 3,
  alignment_a = 5,
  alignment_b,
  alignment_c,
  alignment_d
};
enum Reduction : uint32_t { reduces_in_compute_type = 2 };
struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspace;
  int status;
  float waves;
  int reserved[4];
};

struct Library {
  int (*create)(void**);
  size_t (*version)();
  const char* (*status_text)(int);
  int (*create_matmul)(void**, int, int);
  int (*set_matmul)(void*, int, const void*, size_t);
  int (*destroy_matmul)(void*);
  int (*create_layout)(void**, int, uint64_t, uint64_t, int64_t);
  int (*destroy_layout)(void*);
  int (*create_preference)(void**);
  int (*set_preference)(void*, int, const void*, size_t);
  int (*destroy_preference)(void*);
  int (*heuristic)(void*, void*, void*, void*, void*, void*, void*, int, Heuristic*, int*);
  int (*matmul)(void*, void*, const void*, const void*, void*, const void*, void*, const void*, const void*, void*,
                void*, void*, const Algorithm*, void*, size_t, void*);
};

/// Throws Error{device}, which says what to do, if the library is not there.
[[nodiscard]] const Library& library();
/// One for the program, as it holds no stream; made where the thread's GPU is the driver's. Throws Error{device}.
[[nodiscard]] void* library_handle();
/// "cuBLASLt 13.0.2"
[[nodiscard]] std::string library_version();
/// Throws Error{device} with the library's own text unless `status` is success.
void require_done(int status, const char* what);

}  // namespace parity::optimized::cublaslt
