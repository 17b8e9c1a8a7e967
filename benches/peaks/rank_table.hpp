// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity bench --table ranks`: what bounds the GPUs that divide a model of published size: counts of its plan over the
// rates of a GPU. Nothing is computed and nothing is measured.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/sharding/layout.hpp"
#include "optimized/ptx/bound/gpu.hpp"

namespace parity::benches {

/// One call of all layers. Embedding and language head are left out: engines compute them for few tokens.
struct RankPhase {
  std::string name;  // "prefill", "decode"
  int64_t batch = 1, tokens = 1, slots = 1;

  [[nodiscard]] std::string text() const;
};

/// The counts of the busiest rank.
struct RankRow {
  Layout layout;
  RankPhase phase;
  double flops = 0;       // products and sums
  double least = 0;       // bytes of memory that no kernels avoid: parameters, keys and values
  double unfused = 0;     // bytes if every node is a kernel of its own
  double sent = 0;        // bytes over links, sums in rings
  int64_t exchanges = 0;  // collectives, one after the other
  double held = 0;        // bytes of all parameters of a rank
  std::string why{};      // why the layout is refused; empty: it is not
};

/// Seconds of a row on a GPU, and which is the largest: "compute", "memory", "links".
struct RankTimes {
  double compute = 0, least = 0, unfused = 0, links = 0;

  [[nodiscard]] const char* bound() const;
  [[nodiscard]] const char* bound_unfused() const;
};
[[nodiscard]] RankTimes times_of(const RankRow& row, const ptx::Gpu& gpu);

/// The layouts of eight GPUs of the table.
[[nodiscard]] std::vector<Layout> table_layouts();
/// Prefill of 8192 and 131072 tokens, and decode of 1 and 64 sequences on 8192 and 131072 slots.
[[nodiscard]] std::vector<RankPhase> table_phases();
/// Counts the plan of a published model for a layout and a phase, in bf16.
[[nodiscard]] RankRow count_ranks(const std::string& model, const Layout& layout, const RankPhase& phase);

[[nodiscard]] std::string rank_markdown(const std::string& model, const std::vector<RankRow>& rows,
                                        const ptx::Gpu& gpu);
[[nodiscard]] nlohmann::ordered_json rank_json(const std::string& model, const std::vector<RankRow>& rows,
                                               const ptx::Gpu& gpu);

}  // namespace parity::benches
