// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which frames of a video are kept when the processor samples them.
#pragma once

#include "core/component.hpp"

namespace parity {

/// n = count, or, where that is 0, trunc(total / source wanted) in binary64 for rates (source, wanted); indices 0, total / n,
/// 2 total / n, …, -1 after the last. Through torch.arange in binary32: the i-th of ceil(total / step), step = total / n in
/// binary64, is trunc(F(F(step 8k) + step j)), i = 8k + j, as its vectors of eight make it, and trunc(F(step i)) after
/// the last pair of vectors. `whole_numbers`: floor(i total / n) for n of them, which may be none; `at_least_one`: n from
/// rates is 1 or more. Errors are 1 and rows of -1: more frames wanted than there are, or a step of total / 0.
struct FrameSampling {
  static constexpr ComponentText text{"frame_sampling", "indices = trunc(arange(0, total, total / n))",
                                      "BaseVideoProcessor.sample_frames; default_sample_indices_fn"};
  struct Params {
    bool whole_numbers = false;
    bool at_least_one = false;
  };
  struct Inputs {
    TensorView frames;                                                                       // (N, 2) i64: total, count
    TensorView rates;                                                                    // (N, 2) of the source, wanted
  };
  struct Outputs {
    TensorView indices;                                                                          // (N, T) i64, optional
    TensorView error;                                                                                         // (N) i64
  };
  struct Points {};
  static constexpr auto params() {
    return std::tuple{param("whole_numbers", &Params::whole_numbers), param("at_least_one", &Params::at_least_one)};
  }
  static constexpr auto inputs() {
    return std::tuple{field("frames", &Inputs::frames, "N,2").of(Contents::sampled),
                      field("rates", &Inputs::rates, "N,2").of(Contents::unit)};
  }
  static constexpr auto outputs() {
    return std::tuple{field("indices", &Outputs::indices, "N,T", Presence::optional, Judge::exact),
                      field("error", &Outputs::error, "N", Presence::required, Judge::exact)};
  }
  static constexpr auto points() { return std::tuple{}; }
};

}  // namespace parity
