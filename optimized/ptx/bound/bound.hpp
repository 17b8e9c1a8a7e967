// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which resource of a GPU limits a counted launch, if each resource works at its full rate. No launch is faster. Most
// are slower, because the model knows neither latency nor how many blocks fit, so it predicts no time.
#pragma once

#include "optimized/ptx/bound/gpu.hpp"
#include "optimized/ptx/counting/counters.hpp"

namespace parity::ptx {

enum class Resource : uint8_t { tensor, dram, l2, shared, issue };
[[nodiscard]] const char* to_string(Resource resource);

struct Bound {
  struct Term {
    Resource resource = Resource::issue;
    double seconds = 0;
  };
  std::vector<Term> terms;            // the largest first
  std::vector<std::string> left_out;  // "dram: …", of what the model cannot say, and why
  [[nodiscard]] const Term& largest() const { return terms.front(); }
};

/// Returns the bound of the whole grid. A sampled launch has no count of unique bytes; `stated` is what the caller
/// derives from the kernel. Tensor types for which the GPU has no rate are listed in `left_out`.
[[nodiscard]] Bound bound_of(const Counters& counters, const Gpu& gpu, const std::optional<UniqueBytes>& stated = {});

/// "bound by the model (H200 SXM): dram; l2 57 %, issue 12 %": how busy the others are while the first always is.
[[nodiscard]] std::string describe(const Bound& bound, const Gpu& gpu);

}  // namespace parity::ptx
