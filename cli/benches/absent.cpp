// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity bench` of a build without kernels.
#include "cli/studies/study_commands.hpp"
#include "core/error.hpp"

namespace parity::cli {
namespace {

[[noreturn]] void refuse() {
  throw Error(ErrorCode::device,
              "bench: this build has no kernels (PARITY_KERNELS=OFF); run `cmake --preset release` and build again");
}

}  // namespace

int bench(const BenchOptions&) { refuse(); }
int bench_compare(const BenchOptions&) { refuse(); }
int bench_study(const BenchOptions&) { refuse(); }

}  // namespace parity::cli
