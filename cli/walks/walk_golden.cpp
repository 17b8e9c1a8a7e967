// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The golden of one layer: the model's checkpoint, and a recording that has that layer alone.
#include <charconv>

#include <fmt/core.h>

#include "cli/walks/walk_parts.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"
#include "core/plans/tiny/published_configs.hpp"
#include "core/random.hpp"
#include "golden/files/activation_writer.hpp"
#include "golden/files/safetensors.hpp"
#include "golden/files/strict_json.hpp"
#include "golden/sources/decoded_source.hpp"
#include "replay/runs/synthesize.hpp"
#include "reports/files/files.hpp"

namespace parity::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSingle = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";
constexpr const char* kWords = "first-words.safetensors";

nlohmann::json config_of(const WalkOptions& options) {
  if (options.checkpoint.empty()) {
    const nlohmann::json config = published_config(options.model);
    const auto& text = config.contains("text_config") ? config["text_config"] : config;
    std::vector<int64_t> all(text.at("num_hidden_layers").get<size_t>());
    for (size_t i = 0; i < all.size(); ++i) all[i] = static_cast<int64_t>(i);
    return some_layers(config, all, options.words);
  }
  nlohmann::json config = golden::read_json(fs::path(options.checkpoint) / "config.json");
  PARITY_CHECK(config.is_object(), schema, "{}/config.json is not a JSON object", options.checkpoint);
  nlohmann::json& text = config.contains("text_config") ? config["text_config"] : config;
  const auto words = text.is_object() ? text.find("vocab_size") : text.end();
  PARITY_CHECK(text.is_object() && words != text.end() && words->is_number_integer(), schema,
               "{}/config.json has no number 'vocab_size'", options.checkpoint);
  *words = std::min(words->get<int64_t>(), options.words);
  config.erase("vision_config");  // the text decoder is walked
  return config;
}

bool has_words(const std::string& name) {
  return name.ends_with("embed_tokens.weight") || name.ends_with("lm_head.weight");
}

/// The shard of every tensor, by the names that the links have.
nlohmann::json weight_map(const golden::SafetensorsSource& source, const fs::path& checkpoint) {
  if (fs::exists(checkpoint / kIndex) && !fs::exists(checkpoint / kSingle))
    return golden::read_json(checkpoint / kIndex).at("weight_map");
  nlohmann::json map;
  for (const std::string& name : source.names()) map[name] = std::string("whole-") + kSingle;
  return map;
}

void link_checkpoint(const fs::path& checkpoint, int64_t words, const fs::path& folder) {
  const auto source = golden::SafetensorsSource::open(checkpoint);
  nlohmann::json map = weight_map(source, checkpoint);
  for (const fs::path& shard : source.files()) {
    const std::string name = shard.filename() == kSingle ? std::string("whole-") + kSingle : shard.filename().string();
    fs::create_symlink(fs::absolute(shard), folder / name);
  }
  std::vector<std::pair<std::string, TensorView>> first;
  for (const std::string& name : source.names()) {
    TensorView view = source.tensor(name);
    if (!has_words(name) || view.shape.empty() || view.shape.front() <= words) continue;
    view.shape.front() = words;
    first.emplace_back(name, view);
    map[name] = kWords;
  }
  if (!first.empty()) golden::write_safetensors(folder / kWords, first);
  reports::write_text_atomically((folder / kIndex).string(), nlohmann::json{{"weight_map", map}}.dump() + "\n");
}

std::map<std::string, golden::AttributeValue> root_of(const WalkedModel& model, const WalkOptions& options) {
  const std::string suffix = model.plan.working == DType::f64 ? "-f64" : "";
  return {{"system", model.plan.system},
          {"oracle", std::string("parity reference (walk)")},
          {"profile", model.profile + suffix},
          {"attention", std::string("eager")},
          {"experts", std::string("eager")},
          {"dtype", std::string(to_string(model.plan.working))},
          {"seed", static_cast<int64_t>(options.seed)},
          {"torch", std::string("none")}};
}

}  // namespace

WalkedModel walked_model(const WalkOptions& options) {
  PARITY_CHECK(options.batch > 0 && options.tokens > 0 && options.decode >= 0, usage,
               "--batch and --tokens must be at least 1, --decode at least 0");
  const auto dtype = parse_dtype(options.dtype);
  PARITY_CHECK(dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64, usage,
               "--dtype '{}' is not known; use bf16, f32 or f64", options.dtype);
  WalkedModel model;
  model.config = config_of(options);
  const System& system = system_of(model.config);
  model.profile = options.profile.empty() ? newest_profile(system.name) : options.profile;
  std::vector<Call> calls = prefill_and_decode(options.batch, options.tokens, options.decode);
  if (options.context > 0) {
    calls = prefill_and_decode(options.batch, options.context, 0);
    calls.push_back({"001", options.batch, options.tokens, options.context + options.tokens});
  }
  model.first_step = options.context > 0 ? 1 : 0;
  model.plan = system.build(model.config, {model.profile, "eager", *dtype, calls});
  return model;
}

std::set<int> layers_of(const std::string& text, const Plan& plan) {
  int last = -1;
  for (const Node& node : plan.nodes) last = std::max(last, node.layer);
  std::set<int> layers;
  const std::string given = text.empty() ? fmt::format("0-{}", last) : text;
  const char* at = given.data();
  const char* end = at + given.size();
  while (at != end) {
    int from = -1, to = -1;
    auto read = std::from_chars(at, end, from);
    to = from;
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == '-') read = std::from_chars(read.ptr + 1, end, to);
    const bool fits = read.ec == std::errc() && (read.ptr == end || (*read.ptr == ',' && read.ptr + 1 != end));
    PARITY_CHECK(fits && from >= 0 && from <= to, usage,
                 "--layers '{}' is not a list of layers; write for example 0-4,7", given);
    PARITY_CHECK(to <= last, usage, "layer {} does not exist; use 0-{}", to, last);
    for (int layer = from; layer <= to; ++layer) layers.insert(layer);
    at = read.ptr == end ? end : read.ptr + 1;
  }
  return layers;
}

std::unique_ptr<WeightSource> make_walk_checkpoint(const WalkedModel& model, const WalkOptions& options,
                                                   const fs::path& folder) {
  fs::create_directories(folder);
  reports::write_text_atomically((folder / "config.json").string(), model.config.dump(2) + "\n");
  if (!options.checkpoint.empty()) {
    link_checkpoint(options.checkpoint, options.words, folder);
    return std::make_unique<golden::SafetensorsSource>(golden::SafetensorsSource::open(folder));
  }
  auto drawn = std::make_unique<golden::SyntheticSource>(replay::synthetic_checkpoint(model.plan, options.seed));
  reports::write_text_atomically((folder / "synthetic.json").string(), drawn->json());
  return drawn;
}

void draw_caches(replay::LayerWalk& walk, size_t stage, const WalkedModel& model, uint64_t seed) {
  for (const std::string& tap : walk.lacking(stage)) {
    const TapInfo& info = model.plan.tap(tap);
    PARITY_CHECK(info.type == TapType::working, unsupported,
                 "--context cannot fill {} with random values; remove --context", tap);
    Tensor values(DType::f64, info.shape, info.axes);
    const Random random(seed, tap);
    const int64_t count = values.view().count();
    for (int64_t i = 0; i < count; ++i)
      values.f64()[i] = round_to(model.plan.working, random.normal(static_cast<uint64_t>(i)));
    walk.set(tap, values);
  }
}

void compute_stage(replay::LayerWalk& walk, size_t stage, const WalkedModel& model, const WalkOptions& options,
                   const fs::path& record) {
  if (record.empty()) return walk.run(stage, [](const Node&, const replay::Outcome&) {});
  auto writer = golden::ActivationWriter::create(record, root_of(model, options));
  writer.write_text("config", model.config.dump(2));
  const auto write = [&](const std::string& tap, const Tensor& value, const std::string& component) {
    const TapInfo& info = model.plan.tap(tap);
    writer.write(tap, convert(value.view(), model.plan.dtype_of(info.type)).view(),
                 {info.axes, info.producer < 0 ? "input" : "output", component});
  };
  const replay::Stage& own = walk.stages()[stage];
  for (const auto& [tap, value] : walk.kept()) {
    const int producer = model.plan.tap(tap).producer;
    if (producer < 0 || own.reads.contains(tap))
      write(tap, value, producer < 0 ? "input" : model.plan.nodes[static_cast<size_t>(producer)].component);
  }
  walk.run(stage, [&](const Node& node, const replay::Outcome& outcome) {
    for (const auto& [field, value] : outcome.outputs)
      write(node.outputs.at(field).name, value.rounded, node.component);
  });
  for (const auto& [step, sizes] : model.plan.sizes)
    writer.group_attribute(fmt::format("steps/{:03}", step), "kind",
                           std::string(step == 0            ? "prefill"
                                       : sizes.at('S') == 1 ? "decode"
                                                            : "chunk"));
  writer.commit();
}

}  // namespace parity::cli
