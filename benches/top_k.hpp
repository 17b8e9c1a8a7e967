// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Our selection of key blocks beside LibTorch's bare torch::topk, which does less.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "benches/cases.hpp"

namespace parity::benches {

/// torch::topk(scores, 16, -1, largest, unsorted) over the block scores of a call of index_select, into buffers of its own.
/// Ours forces the query's own block in, orders by score and ends the list with -1, too.
class BareTopK {
 public:
  explicit BareTopK(const Tensor& scores);                                                               // (B, X, S, J)
  void run() const;
  /// Runs it, and compares some rows exactly.
  [[nodiscard]] std::optional<std::string> why_wrong() const;

 private:
  Tensor scores_, values_, ids_;
};
/// Whether `ids` are distinct places of `values` and these the largest of `row`; pure.
[[nodiscard]] bool are_largest(const std::vector<float>& row, const std::vector<float>& values,
                               const std::vector<int64_t>& ids);

/// `parity bench --table top-k`: the heads of M3 at contexts of 128 and of 512 blocks, 1024 queries and one.
struct TopKRow {
  int64_t blocks, queries;
  std::vector<double> own, bare, chain;  // seconds; the chain is LibTorch's operations for what ours does
  std::string why;                       // there are no times
  bool wrong = false;                    // the judge found a kernel wrong
};
[[nodiscard]] std::vector<TopKRow> run_top_k(uint64_t seed, int rounds = 9);
/// What its document holds besides the frame.
[[nodiscard]] nlohmann::ordered_json top_k_json(const std::vector<TopKRow>& rows, uint64_t seed);
[[nodiscard]] std::string top_k_markdown(const std::vector<TopKRow>& rows, uint64_t seed);

}  // namespace parity::benches
