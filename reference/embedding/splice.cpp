// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/embedding/splice.hpp"

#include "reference/support.hpp"

namespace parity::reference {

/// Features of one kind, and the number of those that were written already.
struct Features {
  const char* kind;
  int64_t token;
  Span<double, 2> rows;                                                                                        // (O, H)
  int64_t written = 0;
};

inline std::vector<Features> features_of(const Splice::Inputs& in, const Splice::Params& params) {
  std::vector<Features> kinds;
  if (!in.image.empty()) kinds.push_back({"image", params.image_token, in.image.as<double, 2>()});
  if (!in.video.empty()) kinds.push_back({"video", params.video_token, in.video.as<double, 2>()});
  return kinds;
}

template <class Num>
void splice(const Splice::Inputs& in, const Splice::Params& params, const Splice::Outputs& out, Context& context) {
  const auto x = in.x.as<double, 2>();                                                                       // (B*S, H)
  const auto ids = in.ids.as<int64_t, 1>();                                                                     // (B*S)
  const Sink<Num, 2> y(out.out, context);                                                                    // (B*S, H)
  std::vector<Features> kinds = features_of(in, params);
  for (int64_t n = 0; n < ids.extent[0]; ++n) {
    for (int64_t h = 0; h < x.extent[1]; ++h) y.set(Num(x(n, h)), n, h);
    for (Features& features : kinds) {
      if (ids(n) != features.token) continue;
      if (features.written < features.rows.extent[0]) {
        for (int64_t h = 0; h < x.extent[1]; ++h) y.set(Num(features.rows(features.written, h)), n, h);
      }
      ++features.written;
    }
  }
  for (const Features& features : kinds) {
    PARITY_CHECK(features.written == features.rows.extent[0], schema,
                 "there are {} {} tokens (id {}), but {} rows of features", features.written, features.kind,
                 features.token, features.rows.extent[0]);
  }
}

PARITY_REFERENCE(Splice, splice)

}  // namespace parity::reference
