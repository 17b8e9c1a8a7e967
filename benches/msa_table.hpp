// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The model's headline on this machine: attention over everything against MiniMax Sparse Attention, by context length.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "benches/cases.hpp"
#include "benches/measure.hpp"
#include "benches/selections.hpp"

namespace parity::benches {

enum class Phase : uint8_t { prefill, decode };
[[nodiscard]] const char* to_string(Phase phase);

struct TableOptions {
  int64_t least = 2048, most = 65536;  // context lengths, doubled from row to row
  double seconds = 120.0;              // for everything; rows that do not fit are left out
  std::vector<Phase> phases{Phase::decode, Phase::prefill};
  std::vector<int64_t> batches{1};
  DType type = DType::bf16;
  Selection selection = Selection::model;  // that MSA is timed with; the other two are timed for the sparse part alone
  int rounds = 5;
  uint64_t seed = 1;
  std::function<void(const std::string&)> progress{};
};

/// One time, or why there is none.
struct Cell {
  std::vector<double> samples{};  // seconds
  std::string why{};              // "no kernel", "no time left", what the judge says
  bool wrong = false;             // the judge found it wrong

  [[nodiscard]] bool timed() const { return !samples.empty(); }
  [[nodiscard]] double seconds() const;  // the median; NaN without samples
};

/// Columns by name: "sdpa" (B1), "mask" (B0), "dense" (B2), "naive" (B3), "index", "select", "sparse", "sparse sticky",
/// "sparse random", "mask building", "concatenation".
struct TableRow {
  Phase phase = Phase::prefill;
  AttentionShape shape;
  std::map<std::string, Cell> cells;
  std::map<std::string, double> overlaps;  // by selection
  Work dense, sparse, index;

  [[nodiscard]] double seconds(const std::string& column) const;
  /// Index, selection and sparse attention; without an indexer where all blocks are selected anyway. NaN when a part is
  /// missing.
  [[nodiscard]] double msa() const;
};

struct MsaTable {
  TableOptions options;
  Peaks peaks;
  std::vector<TableRow> rows;
  std::vector<std::string> left_out;  // rows, and why
};

[[nodiscard]] MsaTable run_table(const TableOptions& options);

// ---- what is read off a row: pure functions ----------------------------------------------------------------------------
/// Time of attention over everything over that of MSA if both were ideal: the larger of bytes and products decides.
[[nodiscard]] double ideal_ratio(const TableRow& row, const Peaks& peaks, DType type);
/// The rest of the model's layer (projections, router, experts) as the peaks of this run would allow it at best, in
/// seconds; a shard of the heads is a shard of the layer.
[[nodiscard]] double rest_of_layer(const TableRow& row, const Peaks& peaks, DType type);
/// SDPA over MSA as published (whole model, 8 devices): decode in tokens per second, prefill in ms; NaN where nothing is.
[[nodiscard]] double published_ratio(Phase phase, int64_t context);

/// Some kernel of the row is wrong.
[[nodiscard]] bool has_wrong(const TableRow& row);

// ---- renderings --------------------------------------------------------------------------------------------------------
[[nodiscard]] std::string table_markdown(const MsaTable& table);
[[nodiscard]] std::string table_json(const MsaTable& table);
/// Ratios over context length, measured against LibTorch and against own dense attention, and the ideal.
[[nodiscard]] std::string table_svg(const MsaTable& table);

// ---- for run_table -----------------------------------------------------------------------------------------------------
/// Times one row; `expected` says what a column took in the row before, `seconds` what is left.
[[nodiscard]] TableRow timed_row(const TableOptions& options, Phase phase, const AttentionShape& shape,
                                 const TableRow* before, double seconds);

}  // namespace parity::benches
