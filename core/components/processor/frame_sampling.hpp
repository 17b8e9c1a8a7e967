// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The indices of the frames that the processor samples from a video.
#pragma once

#include "core/component.hpp"

namespace parity {

/// indices: 0, total / n, 2 total / n, …, then -1, for n = count or, where that is 0, trunc(total / source wanted) in
/// binary64 of the rates (source, wanted). They are computed as torch.arange does in binary32: with step = total / n in
/// binary64, element i = 8k + j of ceil(total / step) is trunc(F(F(step 8k) + step j)), because its vectors have eight
/// elements, and trunc(F(step i)) after the last pair of vectors. `whole_numbers`: floor(i total / n), n may be 0.
/// `at_least_one`: n from rates is at least 1. error is 1 and the row -1 if n > total or step is total / 0.
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
