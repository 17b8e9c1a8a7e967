// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/msa/msa_counters.hpp"

#include <algorithm>
#include <chrono>
#include <set>

#include "optimized/backends.hpp"
#include "optimized/cuda_host/machine_place.hpp"
#include "optimized/ptx/bound/bound.hpp"
#include "optimized/registry.hpp"

namespace parity::benches {
namespace {

using optimized::cuda::LaunchCounters;
using optimized::cuda::MachinePlace;

AttentionShape shape_of(const CountedTableOptions& options, int64_t context) {
  const Heads& heads = options.heads;
  return {1, context, context, heads.query, heads.key, heads.index, 128};
}

/// Counts the kernels of one row.
class RowCount {
 public:
  RowCount(const CountedTableOptions& options, int64_t context, MachinePlace& place)
      : options_(options), place_(place), row_{shape_of(options, context), {}} {}

  CountedRow take() {
    const AttentionShape& shape = row_.shape;
    const DType type = options_.type;
    const Values zeros(place_);
    add("dense", dense_call(shape, type, zeros), "", dense_work(shape, type), unique_of_dense(shape, type));
    if (shape.blocks() > kTopK) {
      add("index", index_call(shape, type, zeros), "", index_work(shape, type), unique_of_index(shape, type), kIndexer);
      add_select();
    }
    const Tensor blocks = drawn_blocks(shape, options_.selection, options_.seed);
    const Call sparse = sparse_call(shape, type, zeros, blocks);
    const ptx::UniqueBytes unique = unique_of_sparse(shape, type, blocks);
    add("sparse", sparse, "-union", sparse_work(shape, type), unique, kSmall);
    const uint64_t tiles = row_.kernels.back().launches.front().counters.blocks;
    row_.tile_tokens = std::max<int64_t>(shape.queries * shape.key_heads / static_cast<int64_t>(tiles), 1);
    row_.union_blocks = union_of(blocks, row_.tile_tokens);
    row_.overlap = overlap_of(blocks, shape);
    const auto each = kSmall * static_cast<uint32_t>(row_.tile_tokens);  // as many queries
    add(kOneQuery, sparse, "-one-query", sparse_work(shape, type), unique, each);
    return std::move(row_);
  }

 private:
  // Their blocks take a part of what one of dense attention takes; half of the indexer's see nothing, in no even order.
  static constexpr uint32_t kSmall = 4, kIndexer = 32;

  void add_select() {
    const AttentionShape& shape = row_.shape;
    const Tensor scores =
        Tensor::unwritten(DType::f32, {1, shape.index_heads, shape.queries, shape.blocks()}, "B,X,S,J", place_);
    const ptx::UniqueBytes unique = unique_of_select(shape);
    const Work work{0, static_cast<double>(unique.read), static_cast<double>(unique.written)};
    add("select", select_call(shape, options_.type, scores), "", work, unique, kSmall);
  }

  void add(const std::string& name, const Call& call, const std::string& suffix, const Work& ideal,
           const ptx::UniqueBytes& unique, uint32_t times = 1) {
    if (options_.progress) options_.progress(fmt::format("{} {}", context_label(row_.shape.slots), name));
    const Registry& kernels = optimized::registry_with_libraries();
    const LaunchCounters counters({options_.sample * times, options_.seed});
    Prepared(call, kernels.kernel(call.component, kCountedBackend, to_string(options_.type) + suffix).run).run();
    CountedCase counted{name, "", ideal, counters.launches()};
    const bool sampled = counted.launches.size() == 1 && !counted.launches.front().counters.unique;
    if (sampled) counted.launches.front().counters.unique = unique;
    row_.kernels.push_back(std::move(counted));
  }

  const CountedTableOptions& options_;
  MachinePlace& place_;
  CountedRow row_;
};

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

const CountedCase& CountedRow::of(const std::string& kernel) const {
  const auto found =
      std::find_if(kernels.begin(), kernels.end(), [&](const CountedCase& each) { return each.name == kernel; });
  PARITY_CHECK(found != kernels.end(), internal, "no kernel '{}' was counted at {} slots", kernel, shape.slots);
  return *found;
}

CountedRow count_row(const CountedTableOptions& options, int64_t context) {
  optimized::find_backend(kCountedBackend)->require();
  MachinePlace place(false, MachinePlace::kCapability, ptx::Fresh::zeros);
  return RowCount(options, context, place).take();
}

CountedTable count_table(const CountedTableOptions& options) {
  PARITY_CHECK(options.selection != Selection::model, usage,
               "--counters draws no keys, so --selection model is not possible; use --selection sticky or random");
  constexpr double kGrowth = 2.0;  // of the seconds from row to row
  const auto start = std::chrono::steady_clock::now();
  CountedTable table{options, {}, {}};
  double before = 0;
  for (int64_t context = options.least; context <= options.most; context *= 2) {
    const auto begin = std::chrono::steady_clock::now();
    if (!table.rows.empty() && seconds_since(start) + kGrowth * before > options.seconds) {
      table.left_out.push_back(
          fmt::format("contexts of {} and longer, because {:.0f} s more would exceed --seconds {:g}",
                      context_label(context), kGrowth * before, options.seconds));
      break;
    }
    table.rows.push_back(count_row(options, context));
    before = seconds_since(begin);
  }
  return table;
}

double union_of(const Tensor& blocks, int64_t tokens) {
  const int64_t rows = blocks.shape()[0] * blocks.shape()[1], queries = blocks.shape()[2], width = blocks.shape()[3];
  int64_t tiles = 0, all = 0;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t s = 0; s + tokens <= queries; s += tokens) {
      const int64_t* ids = blocks.i64() + (r * queries + s) * width;
      const std::set<int64_t> different(ids, ids + tokens * width);
      if (different.contains(-1)) continue;  // a query that sees fewer blocks
      ++tiles;
      all += static_cast<int64_t>(different.size());
    }
  }
  return tiles == 0 ? 0.0 : static_cast<double>(all) / static_cast<double>(tiles);
}

double l2_bytes(const CountedCase& counted) {
  const ptx::Cost total = counted.total();
  return static_cast<double>((total.all_global().sectors + total.local.sectors) * ptx::kSectorBytes);
}

double bound_seconds(const CountedCase& counted, const ptx::Gpu& gpu) {
  double seconds = 0;
  for (const auto& launch : counted.launches) seconds += ptx::bound_of(launch.counters, gpu).largest().seconds;
  return seconds;
}

double bound_ratio(const CountedRow& row, const ptx::Gpu& gpu) {
  double msa = 0;
  for (const CountedCase& kernel : row.kernels)
    if (kernel.name != "dense" && kernel.name != kOneQuery) msa += bound_seconds(kernel, gpu);
  return bound_seconds(row.of("dense"), gpu) / msa;
}

double ideal_bound_ratio(const CountedRow& row, const ptx::Gpu& gpu, DType type) {
  const auto rate = gpu.tensor.find(to_string(type));
  const double flops = 2 * (rate == gpu.tensor.end() ? gpu.tensor.at("tf32") : rate->second);
  const auto seconds = [&](const Work& work) { return std::max(work.flops / flops, work.bytes() / gpu.dram); };
  const auto ideal = [&](const char* name) { return seconds(row.of(name).ideal); };
  return ideal("dense") / (ideal("sparse") + (row.shape.blocks() > kTopK ? ideal("index") : 0.0));
}

}  // namespace parity::benches
