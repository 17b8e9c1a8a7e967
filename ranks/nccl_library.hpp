// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The functions of NVIDIA's NCCL that we call, loaded when they are first asked for: no build needs the library.
#pragma once

#include <cstddef>
#include <string>

#include "core/dtype.hpp"

namespace parity::ranks {

/// Numbers and structs of the library's interface. Source: NCCL 2.28, nccl.h; they have been the same since 2.10.
struct NcclId {
  char bytes[128]{};
};
enum NcclType : int { nccl_f32 = 7, nccl_f64 = 8, nccl_bf16 = 9 };
enum NcclOperation : int { nccl_sum = 0 };

struct NcclLibrary {
  int (*version)(int*);
  const char* (*error_text)(int);
  int (*make_id)(NcclId*);
  int (*join)(void** communicator, int size, NcclId id, int rank);
  int (*leave)(void* communicator);
  int (*all_reduce)(const void* send, void* receive, size_t count, int type, int operation, void* communicator,
                    void* stream);
};

/// Throws Error{device}, which says what to do, if the library is not there.
[[nodiscard]] const NcclLibrary& nccl();
/// "NCCL 2.28.3"
[[nodiscard]] std::string nccl_version();
/// The version, or why there is none.
[[nodiscard]] std::string nccl_description();
/// Throws Error{device} with the library's own text unless `status` is success.
void require_nccl(int status, const char* what);

}  // namespace parity::ranks
