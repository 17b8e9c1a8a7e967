// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The parts of `parity walk`: the golden of one layer, the state between layers, and the estimate.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "compare/judging/record.hpp"
#include "core/plan.hpp"
#include "core/weights.hpp"
#include "replay/spans/layer_walk.hpp"

namespace parity::cli {

/// The model that is walked: its configuration with the vocabulary cut to --words, and its plan.
struct WalkedModel {
  nlohmann::json config;
  std::string profile;
  Plan plan;
  int first_step = 0;  // calls before it are not computed: their caches are drawn
};
[[nodiscard]] WalkedModel walked_model(const WalkOptions& options);
/// Reads "0-4,7" as layers of the plan. Throws Error{usage} for other texts and for layers that do not exist.
[[nodiscard]] std::set<int> layers_of(const std::string& text, const Plan& plan);

/// Makes the checkpoint of the walk: config.json, and a synthetic.json or links to the shards of --checkpoint, with a
/// small copy of the first rows of embedding and head. Returns its weights.
[[nodiscard]] std::unique_ptr<WeightSource> make_walk_checkpoint(const WalkedModel& model, const WalkOptions& options,
                                                                 const std::filesystem::path& folder);
/// Sets the caches that a stage reads and no call has filled to drawn numbers of the working type.
void draw_caches(replay::LayerWalk& walk, size_t stage, const WalkedModel& model, uint64_t seed);
/// Computes one stage of the walk. If `record` is not empty, writes a golden's activations.h5 there that has the taps
/// the stage reads and those it makes.
void compute_stage(replay::LayerWalk& walk, size_t stage, const WalkedModel& model, const WalkOptions& options,
                   const std::filesystem::path& record);

/// What is done so far, in the file of --state: reports of judged layers, and the taps that later layers need.
class WalkState {
 public:
  /// Reads the file if there is one. Throws Error{usage} if it belongs to another walk.
  WalkState(std::string file, nlohmann::json walk);

  [[nodiscard]] size_t stage() const { return stage_; }  // the next one to compute
  [[nodiscard]] const std::map<std::string, Tensor>& taps() const { return taps_; }
  [[nodiscard]] const std::map<int, compare::GoldenReport>& reports() const { return reports_; }  // by layer
  void add(int layer, compare::GoldenReport report) { reports_[layer] = std::move(report); }
  /// Writes the state beside the file and then exchanges both. Without a file, only remembers it.
  void save(size_t next_stage, const replay::LayerWalk& walk);

 private:
  std::string file_;
  nlohmann::json walk_;
  size_t stage_ = 0;
  std::map<std::string, Tensor> taps_;
  std::map<int, compare::GoldenReport> reports_;
};

/// What stages will take, from counts of their nodes and rates of this machine; corrected by what stages took.
class WalkEstimate {
 public:
  WalkEstimate(const Plan& plan, const std::vector<replay::Stage>& stages, const WeightSource& weights);

  /// Seconds of stages [first, end), of which those of `judged` layers are judged.
  [[nodiscard]] double seconds(size_t first, size_t end, const std::set<int>& judged) const;
  [[nodiscard]] double bytes_read(size_t first, size_t end, const std::set<int>& judged) const;
  /// Memory of the largest node of these stages.
  [[nodiscard]] double peak_bytes(size_t first, size_t end) const;
  void took(size_t stage, bool judged, double seconds);

 private:
  struct Cost {
    int layer = -1;
    double flops = 0, elements = 0, bytes = 0, peak = 0;  // elements and bytes of parameters
  };
  [[nodiscard]] double raw(const Cost& cost, bool judged) const;

  std::vector<Cost> costs_;
  double flops_per_second_ = 1e9, elements_per_second_ = 1e8;
  double expected_ = 0, measured_ = 0;
};

}  // namespace parity::cli
