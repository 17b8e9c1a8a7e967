// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/components/attention/document_pairs.hpp"

#include <optional>

#include "reference/support.hpp"

namespace parity::reference {

template <class Num>
void document_pairs(const DocumentPairs::Inputs& in, const DocumentPairs::Params&, const DocumentPairs::Outputs& out,
                    Context&) {
  const auto documents = in.documents.as<int64_t, 2>();                                                        // (B, K)
  const auto positions = in.positions.as<int64_t, 2>();                                                        // (B, S)
  const auto pairs = out.out.as<int64_t, 3>();                                                              // (B, S, K)
  std::optional<Span<int64_t, 2>> valid;                                                                       // (B, K)
  if (!in.valid.empty()) valid = in.valid.as<int64_t, 2>();
  for (int64_t b = 0; b < pairs.extent[0]; ++b) {
    for (int64_t s = 0; s < pairs.extent[1]; ++s) {
      const int64_t own = positions(b, s);
      PARITY_CHECK(own >= 0 && own < pairs.extent[2], schema, "slot {} is not one of {}", own, pairs.extent[2]);
      for (int64_t j = 0; j < pairs.extent[2]; ++j)
        pairs(b, s, j) = documents(b, j) == documents(b, own) && (!valid || (*valid)(b, j) != 0) ? 1 : 0;
    }
  }
}

PARITY_REFERENCE(DocumentPairs, document_pairs)

}  // namespace parity::reference
