// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// `parity walk`: judges a model of published size layer by layer, each on the reference's hidden states.
#include <chrono>

#include <fmt/core.h>
#include <unistd.h>

#include "cli/runs/run_parts.hpp"
#include "cli/terminal/progress.hpp"
#include "cli/walks/walk_parts.hpp"
#include "core/environment.hpp"
#include "core/shell.hpp"
#include "golden/files/temporary_folder.hpp"
#include "reference/reference.hpp"
#include "replay/runs/synthesize.hpp"
#include "reports/text/format.hpp"

namespace parity::cli {
namespace {

constexpr double kGibi = 0x1p30, kHour = 3600;

/// What must be the same when a walk is continued.
nlohmann::json identity(const WalkOptions& options, const WalkedModel& model) {
  const Environment build = capture_environment();
  return {{"model", options.model},     {"checkpoint", options.checkpoint},
          {"profile", model.profile},   {"candidate", options.candidate},
          {"dtype", options.dtype},     {"batch", options.batch},
          {"tokens", options.tokens},   {"decode", options.decode},
          {"words", options.words},     {"seed", options.seed},
          {"context", options.context}, {"layout", options.layout.text()},
          {"version", build.version},   {"flags", build.flags}};
}

/// The command that judges one layer again.
std::string again(const WalkOptions& options, int layer) {
  std::vector<std::string> words{"parity", "walk", options.model, "--layers", std::to_string(layer)};
  const auto add = [&](const char* name, const std::string& value, const std::string& usual) {
    if (value != usual) words.insert(words.end(), {std::string("--") + name, value});
  };
  const WalkOptions usual;
  add("checkpoint", options.checkpoint, usual.checkpoint);
  add("candidate", options.candidate, usual.candidate);
  add("profile", options.profile, usual.profile);
  add("dtype", options.dtype, usual.dtype);
  add("batch", std::to_string(options.batch), std::to_string(usual.batch));
  add("tokens", std::to_string(options.tokens), std::to_string(usual.tokens));
  add("context", std::to_string(options.context), std::to_string(usual.context));
  add("decode", std::to_string(options.decode), std::to_string(usual.decode));
  add("words", std::to_string(options.words), std::to_string(usual.words));
  add("seed", std::to_string(options.seed), std::to_string(usual.seed));
  for (const auto& [name, count] : options.layout.dimensions()) add(name.c_str(), std::to_string(count), "1");
  add("dispatch", options.layout.dispatch, usual.layout.dispatch);
  add("rules", options.layout.rules, usual.layout.rules);
  return shell_line(words);
}

compare::GoldenReport judge_layer(const WalkOptions& options, const std::string& folder, int layer, int& damage) {
  const char* calls = options.context > 0 ? "*steps/001/" : "";  // of that before, only caches are there
  RunOptions run;
  run.goldens = {folder};
  run.candidate = options.candidate;
  run.mode = "isolated";
  run.select = fmt::format("{}*/layers/{:02}/*", calls, layer);
  run.layout = options.layout;
  run.explain = options.explain;
  run.quiet = true;
  compare::RunOptions judged = judged_options(run);
  compare::RunReport report = judge_all({folder}, run, judged, damage);
  compare::GoldenReport golden = std::move(report.goldens.front());
  golden.name = fmt::format("{} layer {:02}", options.model, layer);
  golden.path = golden.name;
  for (compare::Record& record : golden.records) record.repro = again(options, layer);
  if (golden.first_divergence) {
    std::string& text = golden.first_divergence->explanation;
    const size_t at = text.find("parity explain ");
    if (at != std::string::npos) text.replace(at, std::string::npos, again(options, layer));
  }
  return golden;
}

int64_t judged_taps(const compare::GoldenReport& golden) {
  return std::count_if(golden.records.begin(), golden.records.end(), [](const compare::Record& record) {
    return record.status == compare::Status::pass || record.status == compare::Status::fail ||
           record.status == compare::Status::mistrusted;
  });
}

std::string hours(double seconds) {
  return seconds < kHour ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / kHour);
}

/// A walk under way.
class Walk {
 public:
  Walk(const WalkOptions& options, const WalkedModel& model)
      : options_(options),
        model_(model),
        layers_(layers_of(options.layers, model.plan)),
        weights_(make_walk_checkpoint(model, options, folder_ / "checkpoint")),
        walk_(model.plan, reference::registry(), *weights_, model.first_step),
        state_(options.state, identity(options, model)),
        estimate_(model.plan, walk_.stages(), *weights_) {
    while (end_ < walk_.stages().size() && last_ < *layers_.rbegin()) last_ = walk_.stages()[end_++].layer;
    for (const int layer : layers_)
      PARITY_CHECK(state_.reports().contains(layer) || static_cast<size_t>(layer) + 1 >= state_.stage(), usage,
                   "{}: layer {} was already computed without being judged; remove this state file to begin again",
                   options.state, layer);
    if (state_.stage() == 0) {
      replay::FreeRun inputs(model.plan, reference::registry(), *weights_);
      for (const auto& [tap, value] : replay::set_drawn_inputs(model.plan, options.seed, inputs)) walk_.set(tap, value);
    }
    for (const auto& [tap, value] : state_.taps()) walk_.set(tap, value);
  }

  void say_estimate() const {
    const size_t first = state_.stage();
    fmt::print(
        stderr,
        "{} of {} layers to judge, {} to compute: about {}, {:.0f} GB of parameters to read, peak memory {:.1f} GiB\n",
        open_layers(), layers_.size(), end_ > first ? end_ - first : 0, hours(estimate_.seconds(first, end_, layers_)),
        estimate_.bytes_read(first, end_, layers_) / 1e9, estimate_.peak_bytes(first, end_) / kGibi);
  }

  compare::RunReport run(int& damage) {
    for (size_t stage = state_.stage(); stage < end_; ++stage) run_stage(stage, damage);
    compare::RunReport report;
    report.command = options_.command_line;
    report.environment = capture_environment();
    for (const auto& [layer, golden] : state_.reports()) {
      if (!layers_.contains(layer)) continue;
      report.goldens.push_back(golden);
      report.seconds += golden.seconds;
    }
    report.peak_rss_bytes = peak_resident_bytes();
    return report;
  }

 private:
  [[nodiscard]] size_t open_layers() const {
    return static_cast<size_t>(
        std::count_if(layers_.begin(), layers_.end(), [&](int layer) { return !state_.reports().contains(layer); }));
  }

  void run_stage(size_t stage, int& damage) {
    const auto started = std::chrono::steady_clock::now();
    const int layer = walk_.stages()[stage].layer;
    const bool judged = layers_.contains(layer);
    ProgressBar bar(layer < 0 ? "embedding" : fmt::format("layer {:02}", layer), options_.quiet);
    bar.note("computing");
    draw_caches(walk_, stage, model_, options_.seed);
    const auto file = folder_ / "activations.h5";
    compute_stage(walk_, stage, model_, options_, judged ? file : std::filesystem::path());
    bar.note("judging");
    if (judged) state_.add(layer, judge_layer(options_, folder_.path().string(), layer, damage));
    state_.save(stage + 1, walk_);
    bar.pause();
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
    estimate_.took(stage, judged, seconds);
    if (!options_.quiet) say(stage, layer, seconds);
  }

  void say(size_t stage, int layer, double seconds) const {
    const auto report = state_.reports().find(layer);
    const std::string what = layer < 0 ? "embedding  computed"
                             : report == state_.reports().end()
                                 ? fmt::format("layer {:02}  computed", layer)
                                 : fmt::format("layer {:02}  {}, {} taps judged", layer,
                                               to_string(report->second.verdict), judged_taps(report->second));
    fmt::print(stderr, "{}, {:.1f} s, peak {:.2f} GiB; {} stages to go, about {}\n", what, seconds,
               static_cast<double>(peak_resident_bytes()) / kGibi, end_ - stage - 1,
               hours(estimate_.seconds(stage + 1, end_, layers_)));
  }

  const WalkOptions& options_;
  const WalkedModel& model_;
  golden::TemporaryFolder folder_;
  std::set<int> layers_;
  std::unique_ptr<WeightSource> weights_;
  replay::LayerWalk walk_;
  WalkState state_;
  WalkEstimate estimate_;
  size_t end_ = 0;  // stages up to the last layer that is judged
  int last_ = -1;
};

}  // namespace

int walk(const WalkOptions& options) {
  choose_memory_policy(options.checkpoint.empty());
  const WalkedModel model = walked_model(options);
  Walk walk(options, model);
  if (!options.quiet) walk.say_estimate();
  if (options.estimate) return holds;
  int damage = holds;
  compare::RunReport report = walk.run(damage);
  RunOptions outputs;
  outputs.candidate = options.candidate;
  outputs.json = options.json;
  outputs.junit = options.junit;
  outputs.markdown = options.markdown;
  outputs.verbose = options.verbose;
  outputs.quiet = options.quiet;
  return finish(report, outputs, damage);
}

}  // namespace parity::cli
