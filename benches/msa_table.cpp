// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "benches/msa_table.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <limits>

namespace parity::benches {
namespace {

/// Sizes of the published model, for what stands around attention in a layer.
constexpr double kHidden = 6144, kExpertWidth = 3072, kExperts = 128, kChosen = 4, kHeads = 64, kKeyHeads = 4;

AttentionShape shape_of_row(Phase phase, int64_t context, int64_t batch) {
  // Prefill on the shard of four devices (a quarter of the heads), decode on all of them: what two cores do in seconds.
  if (phase == Phase::prefill) return {batch, context, context, 16, 1, 1, 128};
  return {batch, 1, context, 64, 4, 4, 128};
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

}  // namespace

const char* to_string(Phase phase) { return phase == Phase::prefill ? "prefill" : "decode"; }

MsaTable run_table(const TableOptions& options) {
  MsaTable table{options, measure_peaks(), {}, {}};
  const Clock whole(options.seconds);
  for (size_t p = 0; p < options.phases.size(); ++p) {
    const Phase phase = options.phases[p];
    // Each phase gets its part of what is left: decode is quick, and what it leaves is prefill's.
    const Clock clock(whole.left() / static_cast<double>(options.phases.size() - p));
    for (const int64_t batch : options.batches) {
      const TableRow* before = nullptr;
      double last = 0.0;
      for (int64_t context = options.least; context <= options.most; context *= 2) {
        const std::string name = fmt::format("{} {}K, batch {}", to_string(phase), context / 1024, batch);
        const double growth = phase == Phase::prefill ? 3.0 : 2.0;
        if (clock.left() < growth * last * 0.5 || clock.left() <= 0.0) {
          table.left_out.push_back(fmt::format("{} and longer: --seconds {:g} are used up", name, options.seconds));
          break;
        }
        if (options.progress) options.progress(name);
        const double left = clock.left();
        TableRow row = timed_row(options, phase, shape_of_row(phase, context, batch), before, left);
        last = left - clock.left();
        table.rows.push_back(std::move(row));
        before = &table.rows.back();
      }
    }
  }
  return table;
}

double ideal_ratio(const TableRow& row, const Peaks& peaks, DType type) {
  const auto ideal = [&](const Work& work) { return ideal_seconds(peaks, type, work, is_cached(peaks, work, false)); };
  return ideal(row.dense) / (ideal(row.index) + ideal(row.sparse));
}

double rest_of_layer(const TableRow& row, const Peaks& peaks, DType type) {
  const double shard = static_cast<double>(row.shape.heads) / kHeads;
  const auto tokens = static_cast<double>(row.shape.batch * row.shape.queries);
  const auto width = static_cast<double>(row.shape.width);
  const double projections = kHidden * width * (2.0 * kHeads + 2.0 * kKeyHeads + kKeyHeads + 1.0);  // q, o, k, v, index
  const double expert = 3.0 * kHidden * kExpertWidth;
  const double used = std::min(kExperts, kChosen * tokens) + 1.0;  // and the shared one
  const double flops = 2.0 * tokens * shard * (projections + (kChosen + 1.0) * expert);
  const double bytes = shard * static_cast<double>(size_of(type)) * (projections + used * expert);
  const Work work{flops, bytes, 0.0};
  return ideal_seconds(peaks, type, work, is_cached(peaks, work, false));
}

bool has_wrong(const TableRow& row) {
  return std::any_of(row.cells.begin(), row.cells.end(), [](const auto& named) { return named.second.wrong; });
}

double published_ratio(Phase phase, int64_t context) {
  struct Published {
    int64_t context;
    double dense, sparse;
  };
  static constexpr std::array kDecode{Published{2048, 27.8, 31.0}, Published{4096, 23.4, 30.5},
                                      Published{8192, 17.8, 29.6}, Published{16384, 12.0, 27.6}};  // tokens per second
  static constexpr std::array kPrefill{Published{2048, 303, 257}, Published{4096, 684, 460}, Published{8192, 1906, 976},
                                       Published{16384, 6110, 2344}};  // ms
  for (const Published& row : phase == Phase::decode ? kDecode : kPrefill) {
    if (row.context == context) return phase == Phase::decode ? row.sparse / row.dense : row.dense / row.sparse;
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace parity::benches
