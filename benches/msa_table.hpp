// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The model's headline on this machine: attention over everything against MiniMax Sparse Attention, by context length.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "benches/cases.hpp"
#include "benches/measure.hpp"
#include "benches/selections.hpp"

namespace parity::benches {

struct Heads {
  int64_t query = 16, key = 1, index = 1;
};

enum class Phase : uint8_t { prefill, decode };
[[nodiscard]] const char* to_string(Phase phase);

/// Where operands are when a call begins: where the call before left them, or in memory alone.
enum class Caches : uint8_t { warm, cold };

struct TableOptions {
  int64_t least = 2048, most = 65536;  // context lengths, doubled from row to row
  double seconds = 120.0;              // for everything; rows that do not fit are left out, the first one is made
  std::vector<Phase> phases{Phase::decode, Phase::prefill};
  std::vector<int64_t> batches{1};
  std::optional<Heads> heads{};  // of every row; none: the shard of four devices in prefill, all of M3 in decode
  DType type = DType::bf16;
  Selection selection = Selection::model;  // that MSA is timed with; the other two are timed for the sparse part alone
  int rounds = 5;
  uint64_t seed = 1;
  std::function<void(const std::string&)> progress{};
  const Registry* kernels = nullptr;  // what is timed; null: all kernels of this build
};
[[nodiscard]] const Registry& kernels_of(const TableOptions& options);
/// Error{usage} for heads that no kernel takes.
void check_heads(const Heads& heads);
/// "64K"; below 1K in slots.
[[nodiscard]] std::string context_label(int64_t slots);
/// The command that makes this table again.
[[nodiscard]] std::string command_of(const TableOptions& options);

inline constexpr const char* kNoTime = "no time left";
/// Seconds of a budget below which rows have the columns alone that the headline is made of, and no layer is measured.
inline constexpr double kRoomForAll = 60.0;

/// Times, or why there are none.
struct Cell {
  std::vector<double> samples{};  // seconds, warm
  std::vector<double> cold{};     // in decode: after a flush of the operands that is not timed
  std::string why{};              // "no kernel", "no time left", what the judge says
  bool wrong = false;             // the judge found it wrong
  double cost = 0.0;              // seconds that the column took: judging, all samples, flushing
  int64_t flushes = 0;            // of its operands while the row's cold samples were taken

  [[nodiscard]] bool timed() const { return !samples.empty(); }
  [[nodiscard]] double seconds(Caches caches) const;  // the median; NaN without samples
};

/// Columns by name: "sdpa" (B1), "mask" (B0), "dense" (B2), "naive" (B3), "msa" (the three one after another: "index",
/// "select", "sparse"), "sparse sticky", "sparse random", "topk" (LibTorch's bare one), "mask building", "concatenation".
struct TableRow {
  Phase phase = Phase::prefill;
  AttentionShape shape;
  std::map<std::string, Cell> cells;
  std::map<std::string, double> overlaps;  // by selection
  Work dense, sparse, index;
  int calls = 1;          // of each sample: the fastest counts
  double overhead = 0.0;  // seconds that its operands took

  TableRow() = default;
  TableRow(Phase phase, const AttentionShape& shape, DType type);
  /// A model's other layers drive the cache out between two tokens: decode counts cold. Prefill's products hide memory.
  [[nodiscard]] Caches caches() const { return phase == Phase::decode ? Caches::cold : Caches::warm; }
  [[nodiscard]] double seconds(const std::string& column) const { return seconds(column, caches()); }
  [[nodiscard]] double seconds(const std::string& column, Caches caches) const;
  /// Where every block is selected anyway, MSA is its sparse part alone.
  [[nodiscard]] bool selects() const { return shape.blocks() > kTopK; }
  /// Heads in M3's proportions: a part of its layer. What is known of the layer says nothing of other models.
  [[nodiscard]] bool is_shard() const {
    return shape.heads == 16 * shape.key_heads && shape.index_heads == shape.key_heads;
  }
};

/// What products of a layer reached in this run: work per second, of 512 tokens and of one; 0 without kernels.
struct LayerRates {
  double product_flops = 0, product_bytes = 0, expert_flops = 0, expert_bytes = 0;
  std::string wrong{};  // what the judge says of kernels that are
  int64_t flushes = 0;  // of the operands of one token's kernels
};

struct MsaTable {
  TableOptions options;
  Peaks peaks;
  LayerRates own, torch;
  std::vector<TableRow> rows;
  std::vector<std::string> left_out;  // rows, and why
};

[[nodiscard]] MsaTable run_table(const TableOptions& options);

// ---- what is read off a row: pure functions ----------------------------------------------------------------------------
/// A spread above it is no measurement to lean on.
inline constexpr double kDoubtful = 0.25;
[[nodiscard]] bool is_doubtful(const std::vector<double>& samples);
/// Above this one nothing was measured: others used the machine.
inline constexpr double kBusy = 1.0;
[[nodiscard]] bool is_busy(const std::vector<double>& samples);

/// Round by round: what was timed in the same turn met the same machine.
struct Ratio {
  std::vector<double> rounds{};

  [[nodiscard]] double value() const;   // the median; NaN without rounds
  [[nodiscard]] double spread() const;  // as that of samples
  [[nodiscard]] bool doubtful() const { return is_doubtful(rounds); }
  [[nodiscard]] bool busy() const { return is_busy(rounds); }
};
/// Columns added up, and seconds that come on top in each round.
struct Timings {
  std::vector<std::string> columns;
  double more = 0.0;
};
/// No rounds where a column has no time.
[[nodiscard]] Ratio ratio_of(const TableRow& row, const Timings& over, const Timings& under, Caches caches);
[[nodiscard]] Ratio ratio_of(const TableRow& row, const Timings& over, const Timings& under);
/// Time of attention over everything over that of MSA if both were ideal: the larger of bytes and products decides.
[[nodiscard]] double ideal_ratio(const TableRow& row, const Peaks& peaks, DType type);
/// What B2/MSA reached of it.
[[nodiscard]] Ratio share_of_ideal(const TableRow& row, const Peaks& peaks, DType type);
/// The same with the parts added up, each timed apart, and the sparse part of this selection.
[[nodiscard]] Ratio share_of_ideal_with(Selection selection, const TableRow& row, const MsaTable& table);
/// Of the peak that binds: "sdpa", "mask", "dense", "index" and the sparse columns; none without times.
[[nodiscard]] std::optional<Share> share_of_column(const TableRow& row, const MsaTable& table,
                                                   const std::string& column);
/// Seconds of the products around attention (projections, routed and shared experts; no router, no norms) at measured rates,
/// scaled by work; a shard of the heads is a shard of the layer. NaN without rates, and for heads that are no shard.
[[nodiscard]] double rest_of_layer(const TableRow& row, const LayerRates& rates, DType type);
/// LibTorch's layer over ours.
[[nodiscard]] Ratio layer_ratio(const TableRow& row, const MsaTable& table);
/// SDPA over MSA as published (whole model, 8 devices): decode in tokens per second, prefill in ms; NaN where nothing is.
[[nodiscard]] double published_ratio(Phase phase, int64_t context);

/// Some kernel is wrong.
[[nodiscard]] bool has_wrong(const MsaTable& table);

// ---- what is given time: pure functions --------------------------------------------------------------------------------
/// The columns of `next` that fit into `left` seconds by what they took in the row before. MSA, dense attention and SDPA
/// come first; what is nice to have is given only what these leave, those of the `later` rows after this one included.
[[nodiscard]] std::set<std::string> planned_columns(const TableRow& before, const TableRow& next, double left,
                                                    int64_t later);
/// Calls of one sample: as many of the slowest as fit into 20 ms, from 1 to 20.
[[nodiscard]] int calls_per_sample(double slowest);

// ---- renderings --------------------------------------------------------------------------------------------------------
/// "prefill, batch 2": rows of one phase and one batch, in their order.
struct Section {
  std::string title;
  std::vector<const TableRow*> rows;
};
[[nodiscard]] std::vector<Section> sections_of(const MsaTable& table);
/// "decode at 4K: MSA is 2.3x SDPA ± 0.1", a line for each section.
[[nodiscard]] std::vector<std::string> headlines(const MsaTable& table);
/// Some ratio was measured on a machine that was not busy with something else.
[[nodiscard]] bool has_measured(const MsaTable& table);
/// For a terminal: the headlines, what they rest on, what was left out.
[[nodiscard]] std::string table_answer(const MsaTable& table, size_t width);
[[nodiscard]] std::string table_markdown(const MsaTable& table);
/// What its document holds besides the frame.
[[nodiscard]] nlohmann::ordered_json table_json(const MsaTable& table);
/// A panel for each section: ratios over context length, measured against LibTorch and against own dense attention, and the
/// ideal of the latter.
[[nodiscard]] std::string table_svg(const MsaTable& table);

// ---- for run_table -----------------------------------------------------------------------------------------------------
/// Judges and times the columns of `wanted` (null: all).
[[nodiscard]] TableRow timed_row(const TableOptions& options, Phase phase, const AttentionShape& shape,
                                 const std::set<std::string>* wanted);
/// Where a call is judged; of few rows the drawn ones may be the same.
[[nodiscard]] std::vector<Slice> distinct_slices(const Call& call, uint64_t seed);
/// Judged, then timed in turns.
void measure_layer(const TableOptions& options, LayerRates& own, LayerRates& torch);

}  // namespace parity::benches
