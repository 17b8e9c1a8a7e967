// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Compares our selection of key blocks with LibTorch's bare torch::topk, which does less.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "benches/cases.hpp"

namespace parity::benches {

/// Runs torch::topk(scores, 16, -1, largest, unsorted) on the block scores of a call of index_select, into own buffers.
/// Our kernel also forces the query's own block in, orders by score and ends the list with -1.
class BareTopK {
 public:
  explicit BareTopK(const Tensor& scores);                                                               // (B, X, S, J)
  void run() const;
  /// Runs torch::topk and compares some rows exactly. Returns why the result is wrong, or nothing.
  [[nodiscard]] std::optional<std::string> why_wrong() const;

 private:
  Tensor scores_, values_, ids_;
};
/// Whether `ids` are distinct indices of `row` at which `values` stand, and these are the largest of `row`.
[[nodiscard]] bool are_largest(const std::vector<float>& row, const std::vector<float>& values,
                               const std::vector<int64_t>& ids);

/// A row of `parity bench --table top-k`: the heads of M3 with 128 or 512 blocks, and with 1024 queries or one.
struct TopKRow {
  int64_t blocks, queries;
  std::vector<double> own, bare, chain;  // seconds; `chain` is what LibTorch needs for the whole of our kernel's work
  std::string why;                       // why there are no times
  bool wrong = false;                    // the judge found a kernel wrong
};
[[nodiscard]] std::vector<TopKRow> run_top_k(uint64_t seed, int rounds = 9);
/// Returns the document of the rows without its frame.
[[nodiscard]] nlohmann::ordered_json top_k_json(const std::vector<TopKRow>& rows, uint64_t seed);
[[nodiscard]] std::string top_k_markdown(const std::vector<TopKRow>& rows, uint64_t seed);

}  // namespace parity::benches
