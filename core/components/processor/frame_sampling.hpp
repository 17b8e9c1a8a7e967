// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The indices of the frames that the processor samples from a video.
#pragma once

#include "core/component.hpp"

namespace parity {

/// Indices of the sampled frames of each video, then -1. n = count or, if that is 0, trunc(total / source wanted) of
/// the rates (source, wanted). The ceil(total / step) indices, step = total / n in binary64, are those of torch.arange
/// in binary32, whose vectors have eight elements: index i = 8k + j is trunc(F(F(step 8k) + step j)), after the last
/// pair of vectors trunc(F(step i)). `whole_numbers`: index i is floor(i total / n), and n may be 0. `at_least_one`: n
/// from rates is at least 1. If n > total or step is total / 0, error is 1 and the row is -1.
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
