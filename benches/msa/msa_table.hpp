// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The table of dense attention against MiniMax Sparse Attention (MSA) on this machine, by context length.
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
#include "benches/msa/selections.hpp"
#include "optimized/backends.hpp"

namespace parity::benches {

struct Heads {
  int64_t query = 16, key = 1, index = 1;
};

enum class Phase : uint8_t { prefill, decode };
[[nodiscard]] const char* to_string(Phase phase);

/// States of the caches when a call begins: operands are where the call before left them, or only in memory.
enum class Caches : uint8_t { warm, cold };

struct TableOptions {
  int64_t least = 2048, most = 65536;  // context lengths; each row doubles that of the row before
  double seconds = 120.0;              // time for everything; the first row is always made, others only if they fit
  std::vector<Phase> phases{Phase::decode, Phase::prefill};
  std::vector<int64_t> batches{1};
  std::optional<Heads> heads{};  // of every row; none: one of four devices' in prefill, all of M3's in decode
  DType type = DType::bf16;
  Selection selection = Selection::model;  // of MSA; the other two are timed for the sparse part only
  int rounds = 5;
  uint64_t seed = 1;
  std::function<void(const std::string&)> progress{};
  const Registry* kernels = nullptr;  // kernels to time; null: all of this build
  std::string own{};                  // backend of the columns that are not LibTorch's; empty: ours on the host
};
[[nodiscard]] const Registry& kernels_of(const TableOptions& options);
[[nodiscard]] const optimized::Backend& own_of(const TableOptions& options);
/// Throws Error{usage} for heads that no kernel supports.
void check_heads(const Heads& heads);
/// Returns a context length as "64K", or below 1K as the number of slots.
[[nodiscard]] std::string context_label(int64_t slots);
/// Returns the command that makes this table again.
[[nodiscard]] std::string command_of(const TableOptions& options);

inline constexpr const char* kNoTime = "no time left";
/// If --seconds is less than this, only MSA, SDPA and own dense attention are timed, and no layer is measured.
inline constexpr double kRoomForAll = 60.0;

/// The times of a column in a row, or the reason why it has none.
struct Cell {
  std::vector<double> samples{};  // seconds of warm calls
  std::vector<double> cold{};     // in decode: seconds of calls after a flush, which is not timed
  std::string why{};              // "no kernel", "no time left" or the judge's message
  bool wrong = false;             // the judge found the kernel wrong
  double cost = 0.0;              // seconds spent on the column: judging, sampling and flushing
  int64_t flushes = 0;            // flushes of the operands while the cold samples were taken

  [[nodiscard]] bool timed() const { return !samples.empty(); }
  [[nodiscard]] double seconds(Caches caches) const;  // the median; NaN without samples
};

/// One row. Columns: "sdpa" (B1), "mask" (B0), "dense" (B2), "naive" (B3), "msa" ("index", "select" and "sparse" in
/// one call), "sparse sticky", "sparse random", "topk" (LibTorch's bare one), "mask building", "concatenation".
struct TableRow {
  Phase phase = Phase::prefill;
  AttentionShape shape;
  std::map<std::string, Cell> cells;
  std::map<std::string, double> overlaps;  // by the name of a selection
  Work dense, sparse, index;
  int calls = 1;          // calls in each sample, of which the fastest counts
  double overhead = 0.0;  // seconds spent on making the operands

  TableRow() = default;
  TableRow(Phase phase, const AttentionShape& shape, DType type);
  /// Decode counts cold times, because other layers evict the operands; in prefill, products hide the time of memory.
  [[nodiscard]] Caches caches() const { return phase == Phase::decode ? Caches::cold : Caches::warm; }
  [[nodiscard]] double seconds(const std::string& column) const { return seconds(column, caches()); }
  [[nodiscard]] double seconds(const std::string& column, Caches caches) const;
  /// Whether blocks are selected. If the context has no more blocks than top-k, MSA is only its sparse part.
  [[nodiscard]] bool selects() const { return shape.blocks() > kTopK; }
  /// Whether the heads are in M3's proportions. Only then is the row a shard of M3, whose layer can be estimated.
  [[nodiscard]] bool is_shard() const {
    return shape.heads == 16 * shape.key_heads && shape.index_heads == shape.key_heads;
  }
};

/// Rates of a layer's products in this run: flop/s with 512 tokens, bytes per second with one; 0 without kernels.
struct LayerRates {
  double product_flops = 0, product_bytes = 0, expert_flops = 0, expert_bytes = 0;
  std::string wrong{};  // the judge's message about wrong kernels
  int64_t flushes = 0;  // flushes of the operands of the one-token kernels
};

struct MsaTable {
  TableOptions options;
  Peaks peaks;
  LayerRates own, torch;
  std::vector<TableRow> rows;
  std::vector<std::string> left_out;  // rows that were left out, with the reason
};

[[nodiscard]] MsaTable run_table(const TableOptions& options);

// ---- what is read off a row: pure functions ----------------------------------------------------------------------------
/// Ratios with a spread above this are marked as doubtful.
inline constexpr double kDoubtful = 0.25;
[[nodiscard]] bool is_doubtful(const std::vector<double>& samples);
/// Ratios with a spread above this count as not measured, because other programs used the machine.
inline constexpr double kBusy = 1.0;
[[nodiscard]] bool is_busy(const std::vector<double>& samples);

/// Ratios of samples that were taken in the same turn and so under the same conditions.
struct Ratio {
  std::vector<double> rounds{};

  [[nodiscard]] double value() const;   // the median; NaN without rounds
  [[nodiscard]] double spread() const;  // spread() of the ratios, as defined for samples
  [[nodiscard]] bool doubtful() const { return is_doubtful(rounds); }
  [[nodiscard]] bool busy() const { return is_busy(rounds); }
};
/// Columns whose times are added up, and seconds added to each sample.
struct Timings {
  std::vector<std::string> columns;
  double more = 0.0;
};
/// Returns no ratios if a column has no time.
[[nodiscard]] Ratio ratio_of(const TableRow& row, const Timings& over, const Timings& under, Caches caches);
[[nodiscard]] Ratio ratio_of(const TableRow& row, const Timings& over, const Timings& under);
/// Returns the time of dense attention over that of MSA if both were ideal, limited by memory or by products.
[[nodiscard]] double ideal_ratio(const TableRow& row, const Peaks& peaks, DType type);
/// Returns which share of ideal_ratio() the measured dense/MSA (B2/MSA) reached; no ratios if no peaks were measured.
[[nodiscard]] Ratio share_of_ideal(const TableRow& row, const Peaks& peaks, DType type);
/// Returns share_of_ideal() computed from MSA's parts, which are timed apart, with the sparse part of this selection.
[[nodiscard]] Ratio share_of_ideal_with(Selection selection, const TableRow& row, const MsaTable& table);
/// Returns the share of the peak that limits "sdpa", "mask", "dense", "index" or a sparse column; none without times
/// or peaks.
[[nodiscard]] std::optional<Share> share_of_column(const TableRow& row, const MsaTable& table,
                                                   const std::string& column);
/// Returns the seconds of a layer's products outside attention (projections, routed and shared experts) at measured
/// rates, scaled by work, without router and norms. NaN without rates, and for heads that are not a shard of M3's.
[[nodiscard]] double rest_of_layer(const TableRow& row, const LayerRates& rates, DType type);
/// Returns the time of LibTorch's layer over the time of ours.
[[nodiscard]] Ratio layer_ratio(const TableRow& row, const MsaTable& table);
/// Returns SDPA over MSA as published (whole model, 8 devices), from tokens per second or ms; NaN if not published.
[[nodiscard]] double published_ratio(Phase phase, int64_t context);

/// Whether the judge found some kernel wrong.
[[nodiscard]] bool has_wrong(const MsaTable& table);

// ---- what is given time: pure functions --------------------------------------------------------------------------------
/// Returns the columns of `next` that fit into `left` seconds, estimated from the row before. MSA, dense attention and
/// SDPA come first. Other columns get the time that these leave, here and in the `later` rows that follow.
[[nodiscard]] std::set<std::string> planned_columns(const TableRow& before, const TableRow& next, double left,
                                                    int64_t later);
/// Returns the number of calls in a sample: as many of the slowest as fit into 20 ms, from 1 to 20.
[[nodiscard]] int calls_per_sample(double slowest);

// ---- renderings --------------------------------------------------------------------------------------------------------
/// The rows of one phase and one batch in order, with a title such as "prefill, batch 2".
struct Section {
  std::string title;
  std::vector<const TableRow*> rows;
};
[[nodiscard]] std::vector<Section> sections_of(const MsaTable& table);
/// Returns a line for each section, such as "decode at 4K: MSA is 2.3x SDPA ± 0.1".
[[nodiscard]] std::vector<std::string> headlines(const MsaTable& table);
/// Whether some ratio was measured while the machine was not busy.
[[nodiscard]] bool has_measured(const MsaTable& table);
/// Returns the text for a terminal: the headlines, the figures behind them, and the rows that were left out.
[[nodiscard]] std::string table_answer(const MsaTable& table, size_t width);
[[nodiscard]] std::string table_markdown(const MsaTable& table);
/// Returns the document of the table without its frame.
[[nodiscard]] nlohmann::ordered_json table_json(const MsaTable& table);
/// Returns an SVG with a panel for each section: ratios by context length against LibTorch and own dense attention,
/// and the ideal ratio of the latter.
[[nodiscard]] std::string table_svg(const MsaTable& table);

// ---- for run_table -----------------------------------------------------------------------------------------------------
/// Judges and times the columns in `wanted`, or all if it is null.
[[nodiscard]] TableRow timed_row(const TableOptions& options, Phase phase, const AttentionShape& shape,
                                 const std::set<std::string>* wanted);
/// Returns the slices of slices_of() without repeats, which occur in calls with few rows.
[[nodiscard]] std::vector<Slice> distinct_slices(const Call& call, uint64_t seed);
/// Judges the kernels of a layer around attention and times them in turns.
void measure_layer(const TableOptions& options, LayerRates& own, LayerRates& torch);

}  // namespace parity::benches
