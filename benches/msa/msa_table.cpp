// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/msa/msa_table.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

#include "benches/statistics.hpp"
#include "optimized/registry.hpp"

namespace parity::benches {
namespace {

/// Sizes of the published model, from which the cost of a whole layer is computed.
constexpr double kHidden = 6144, kExpertWidth = 3072, kExperts = 128, kChosen = 4, kHeads = 64, kKeyHeads = 4;
constexpr double kNoRatio = std::numeric_limits<double>::quiet_NaN();

AttentionShape shape_of_row(const TableOptions& options, Phase phase, int64_t context, int64_t batch) {
  // Prefill has the heads of one of four devices, decode all heads: this is what two cores can do in seconds.
  const Heads heads = options.heads.value_or(phase == Phase::prefill ? Heads{16, 1, 1} : Heads{64, 4, 4});
  return {batch, phase == Phase::prefill ? context : 1, context, heads.query, heads.key, heads.index, 128};
}

class Clock {
 public:
  explicit Clock(double budget) : budget_(budget) {}
  [[nodiscard]] double left() const {
    return budget_ - std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }

 private:
  double budget_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

/// Returns the columns from which the headline is computed.
const std::set<std::string>& headline_columns() {
  static const std::set<std::string> kColumns{"index", "select", "sparse", "msa", "dense", "sdpa"};
  return kColumns;
}

void keep_only(std::set<std::string>& columns, const std::set<std::string>& kept) {
  std::erase_if(columns, [&](const std::string& column) { return !kept.contains(column); });
}

/// Adds the rows of one phase and batch that fit into `seconds`.
void add_rows(MsaTable& table, PeakMeter* meter, Phase phase, int64_t batch, double seconds) {
  const TableOptions& options = table.options;
  const Clock clock(seconds);
  std::optional<TableRow> before;
  for (int64_t context = options.least; context <= options.most; context *= 2) {
    const std::string name = fmt::format("{} {}, batch {}", to_string(phase), context_label(context), batch);
    const AttentionShape shape = shape_of_row(options, phase, context, batch);
    int64_t later = 0;
    while (context << (later + 1) <= options.most) ++later;
    std::optional<std::set<std::string>> wanted;
    if (options.seconds < kRoomForAll) wanted = headline_columns();
    const double left = clock.left();
    if (before) wanted = planned_columns(*before, TableRow(phase, shape, options.type), left, later);
    if (before && options.seconds < kRoomForAll) keep_only(*wanted, headline_columns());
    const bool fits = left > 0.0 && (!wanted || (wanted->contains("msa") && wanted->contains("dense")));
    if (!fits && !table.rows.empty()) {  // the first row is made even if the time is too short
      table.left_out.push_back(
          fmt::format("{}{}: MSA and dense attention would need more than the {:.0f} s left of --seconds {:g}", name,
                      later > 0 ? " and longer" : "", std::max(left, 0.0), options.seconds));
      return;
    }
    if (options.progress) options.progress(name);
    before = timed_row(options, phase, shape, wanted ? &*wanted : nullptr);
    table.rows.push_back(*before);
    if (meter != nullptr) meter->probe();
  }
}

}  // namespace

const char* to_string(Phase phase) { return phase == Phase::prefill ? "prefill" : "decode"; }

double Cell::seconds(Caches caches) const {
  const std::vector<double>& times = caches == Caches::cold ? cold : samples;
  return times.empty() ? kNoRatio : median(times);
}

TableRow::TableRow(Phase row_phase, const AttentionShape& row_shape, DType type)
    : phase(row_phase),
      shape(row_shape),
      dense(dense_work(row_shape, type)),
      sparse(sparse_work(row_shape, type)),
      index(index_work(row_shape, type)) {}

double TableRow::seconds(const std::string& column, Caches caches) const {
  const auto found = cells.find(column);
  return found == cells.end() ? kNoRatio : found->second.seconds(caches);
}

const Registry& kernels_of(const TableOptions& options) {
  return options.kernels != nullptr ? *options.kernels : optimized::registry_with_libraries();
}

const optimized::Backend& own_of(const TableOptions& options) {
  return *optimized::find_backend(options.own.empty() ? optimized::own_backend() : options.own);
}

void check_heads(const Heads& heads) {
  const auto [query, key, index] = heads;
  PARITY_CHECK(
      query > 0 && key > 0 && index > 0 && query % key == 0 && (index == key || index == 1), usage,
      "--heads {},{},{}: query heads must be a multiple of key heads, and index heads as many as key heads or 1", query,
      key, index);
}

std::string context_label(int64_t slots) {
  return slots % 1024 == 0 ? fmt::format("{}K", slots / 1024) : std::to_string(slots);
}

std::string command_of(const TableOptions& options) {
  const auto joined = [](const auto& list, const auto& text) {
    std::string all;
    for (const auto& each : list) all += (all.empty() ? "" : ",") + text(each);
    return all;
  };
  return fmt::format(
      "parity bench --table sdpa-msa{} --most {} --seconds {:g} --phase {} --batch {}{} --dtype {} --selection {} "
      "--seed {}",
      options.own.empty() ? "" : " --backend " + options.own, options.most, options.seconds,
      joined(options.phases, [](Phase each) { return std::string(to_string(each)); }),
      joined(options.batches, [](int64_t each) { return std::to_string(each); }),
      options.heads ? fmt::format(" --heads {},{},{}", options.heads->query, options.heads->key, options.heads->index)
                    : "",
      to_string(options.type), to_string(options.selection), options.seed);
}

MsaTable run_table(const TableOptions& options) {
  const Clock whole(options.seconds);
  MsaTable table{options, {}, {}, {}, {}, {}};
  const bool all = options.seconds >= kRoomForAll, on_host = own_of(options).place(0).is_host_memory();
  const int tries = all ? PeakMeter::kManyTries : 1;
  std::unique_ptr<PeakMeter> meter;
  if (on_host) {
    if (options.progress) options.progress("the machine's peaks");
    meter = std::make_unique<PeakMeter>();
    meter->probe(tries);
  } else {
    table.left_out.push_back("LibTorch, shares of peaks, and the rest of a layer: they are measured on the host alone");
  }
  if (all && on_host) {
    if (options.progress) options.progress("the rest of a layer");
    measure_layer(options, table.own, table.torch);
  } else if (on_host) {
    table.left_out.push_back(fmt::format(
        "the rest of the layer, and all columns but MSA, SDPA and own dense attention: use --seconds {:g} or more",
        kRoomForAll));
  }
  auto parts = static_cast<double>(options.phases.size() * options.batches.size());
  for (const Phase phase : options.phases) {
    // Each part gets an equal share of the time left; decode leaves most of its share to prefill.
    for (const int64_t batch : options.batches) add_rows(table, meter.get(), phase, batch, whole.left() / parts--);
  }
  if (meter == nullptr) return table;
  meter->probe(tries);
  table.peaks = meter->peaks();
  return table;
}

double rest_of_layer(const TableRow& row, const LayerRates& rates, DType type) {
  if (!row.is_shard() || rates.product_flops <= 0.0 || rates.product_bytes <= 0.0 || rates.expert_flops <= 0.0 ||
      rates.expert_bytes <= 0.0)
    return kNoRatio;
  const double shard = static_cast<double>(row.shape.heads) / kHeads;
  const auto tokens = static_cast<double>(row.shape.batch * row.shape.queries);
  const auto width = static_cast<double>(row.shape.width), size = static_cast<double>(size_of(type));
  const double projections = kHidden * width * (2.0 * kHeads + 2.0 * kKeyHeads + kKeyHeads + 1.0);  // q, o, k, v, index
  const double expert = 3.0 * kHidden * kExpertWidth;
  const double used = std::min(kExperts, kChosen * tokens) + 1.0;  // the shared expert is the one added
  const double product =
      std::max(2.0 * tokens * projections / rates.product_flops, size * projections / rates.product_bytes);
  const double experts =
      std::max(2.0 * tokens * (kChosen + 1.0) * expert / rates.expert_flops, size * used * expert / rates.expert_bytes);
  return shard * (product + experts);
}

bool has_wrong(const MsaTable& table) {
  const auto wrong = [](const TableRow& row) {
    return std::any_of(row.cells.begin(), row.cells.end(), [](const auto& named) { return named.second.wrong; });
  };
  return !table.own.wrong.empty() || !table.torch.wrong.empty() ||
         std::any_of(table.rows.begin(), table.rows.end(), wrong);
}

double published_ratio(Phase phase, int64_t context) {
  struct Published {
    int64_t context;
    double dense, sparse;
  };
  static constexpr std::array kDecode{Published{2048, 27.8, 31.0}, Published{4096, 23.4, 30.5},
                                      Published{8192, 17.8, 29.6}, Published{16384, 12.0, 27.6}};  // tokens per second
  static constexpr std::array kPrefill{Published{2048, 303, 257}, Published{4096, 684, 460}, Published{8192, 1906, 976},
                                       Published{16384, 6110, 2344}};  // milliseconds
  for (const Published& row : phase == Phase::decode ? kDecode : kPrefill) {
    if (row.context == context) return phase == Phase::decode ? row.sparse / row.dense : row.dense / row.sparse;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace parity::benches
