// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which resource of a GPU bounds a launch that was counted, if each works all the time. No launch is faster; most are
// slower, since the model knows neither latency nor how many blocks fit. It predicts no time.
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

/// Of the whole grid. Sampled launches have no unique bytes: `stated` are those that the caller derives from the kernel.
/// Tensor types that the GPU has no rate of are left out, and said.
[[nodiscard]] Bound bound_of(const Counters& counters, const Gpu& gpu, const std::optional<UniqueBytes>& stated = {});

/// "bound by the model (H200 SXM): dram; l2 57 %, issue 12 %": how busy the others are while the first always is.
[[nodiscard]] std::string describe(const Bound& bound, const Gpu& gpu);

}  // namespace parity::ptx
