// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Dense attention and MSA by context length, as the PTX machine counts the kernels of cuda-host: what they do over what an
// ideal kernel does, and what a GPU's figures make of it. No time is measured or predicted.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "benches/counters/counters.hpp"
#include "benches/msa/msa_table.hpp"

namespace parity::benches {

struct CountedTableOptions {
  int64_t least = 4096, most = 131072;  // context lengths; each row doubles that of the row before
  double seconds = 120.0;               // rows that do not fit are left out, but for the first
  Heads heads{64, 4, 4};
  DType type = DType::bf16;
  Selection selection = Selection::sticky;  // not `model`: keys are not drawn
  uint64_t seed = 1;
  uint32_t sample = 16;           // blocks of each launch that run, in multiples for small blocks; 0: all
  const ptx::Gpu* gpu = nullptr;  // whose figures bound the launches; needed for the text and the document
  std::function<void(const std::string&)> progress{};
};

/// The kernels of a row. The last is a baseline: each query of a key head has a block of its own.
inline constexpr const char* kOneQuery = "one query";

/// A row. `kernels` are "dense", "index", "select", "sparse" and kOneQuery, in this order.
struct CountedRow {
  AttentionShape shape;
  std::vector<CountedCase> kernels;
  int64_t tile_tokens = 1;  // of a block of the sparse kernel
  double union_blocks = 0;  // mean number of different key blocks that the tokens of such a tile select
  double overlap = 0;       // share of a token's blocks that the token before it selected too

  [[nodiscard]] const CountedCase& of(const std::string& kernel) const;
};

struct CountedTable {
  CountedTableOptions options;
  std::vector<CountedRow> rows;
  std::vector<std::string> left_out;
};

/// Counts prefill of one sequence. Error{device} if this build has no CUDA kernels. Operands are zeros that take no memory
/// until they are read: addresses and lists of blocks decide what these kernels cost, not numbers.
[[nodiscard]] CountedTable count_table(const CountedTableOptions& options);
[[nodiscard]] CountedRow count_row(const CountedTableOptions& options, int64_t context);

// ---- what is read off a row: pure functions ----------------------------------------------------------------------------
/// Mean number of different blocks that `tokens` neighbours select, over the tiles whose tokens all select `width` blocks;
/// 0 where there is none. `blocks`: (B, X, S, T).
[[nodiscard]] double union_of(const Tensor& blocks, int64_t tokens);
/// Sectors of L2 in bytes.
[[nodiscard]] double l2_bytes(const CountedCase& counted);
/// Seconds that the busiest resource is busy, launch by launch: a bound by the model.
[[nodiscard]] double bound_seconds(const CountedCase& counted, const ptx::Gpu& gpu);
/// Dense attention over index, selection and sparse attention: by the bounds of what was counted, and of ideal kernels,
/// which tensor units or DRAM bound.
[[nodiscard]] double bound_ratio(const CountedRow& row, const ptx::Gpu& gpu);
[[nodiscard]] double ideal_bound_ratio(const CountedRow& row, const ptx::Gpu& gpu, DType type);

/// Bytes at different addresses over the whole launch, in closed form, of prefill of all slots. A test compares them with
/// launches of which all blocks ran.
[[nodiscard]] ptx::UniqueBytes unique_of_dense(const AttentionShape& shape, DType type);
[[nodiscard]] ptx::UniqueBytes unique_of_sparse(const AttentionShape& shape, DType type, const Tensor& blocks);
[[nodiscard]] ptx::UniqueBytes unique_of_index(const AttentionShape& shape, DType type);
[[nodiscard]] ptx::UniqueBytes unique_of_select(const AttentionShape& shape);

[[nodiscard]] std::string counted_table_text(const CountedTable& table);
/// The document of the kind "counters", without its frame: a case for each kernel of a row, with the blocks that ran, and the
/// rows.
[[nodiscard]] nlohmann::ordered_json counted_table_json(const CountedTable& table);

}  // namespace parity::benches
