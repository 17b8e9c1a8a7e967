// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/runs/synthesize.hpp"

#include <algorithm>
#include <filesystem>

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/terminal/progress.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"
#include "core/plans/tiny/published_configs.hpp"
#include "faults/catalogue.hpp"
#include "faults/edits/edit.hpp"
#include "golden/checks/value_checksum.hpp"
#include "golden/files/one_line.hpp"
#include "golden/files/replaced_folder.hpp"
#include "golden/files/safetensors.hpp"
#include "golden/files/sha256.hpp"
#include "golden/files/strict_json.hpp"
#include "reference/reference.hpp"
#include "reports/files/files.hpp"

namespace parity::cli {
namespace {

constexpr const char* kSmallConfig = R"({"model_type": "minimax_m3_vl", "text_config": {
  "vocab_size": 512, "hidden_size": 128, "intermediate_size": 96, "dense_intermediate_size": 256, "shared_intermediate_size": 96,
  "num_hidden_layers": 3, "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 32, "partial_rotary_factor": 0.5,
  "num_local_experts": 8, "num_experts_per_tok": 2, "moe_layer_freq": [0, 1, 1],
  "sparse_attention_config": {"sparse_attention_freq": [0, 1, 1], "sparse_num_index_heads": 2, "sparse_index_dim": 32,
    "sparse_block_size": 16, "sparse_topk_blocks": 4, "sparse_local_block": 1}}})";

nlohmann::json config_of(const SynthesizeOptions& options) {
  if (!options.published.empty()) {
    PARITY_CHECK(options.config.empty(), usage, "--published and --config cannot be used together; remove one");
    return some_layers(published_config(options.published), options.layers, options.words);
  }
  if (options.config.empty()) return nlohmann::json::parse(kSmallConfig);
  return golden::read_json(options.config);
}

PlanRequest request_of(const SynthesizeOptions& options, const std::string& profile) {
  const auto dtype = parse_dtype(options.dtype);
  const bool known = dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64;
  PARITY_CHECK(known, usage, "--dtype '{}' is not known; use bf16, f32 or f64", options.dtype);
  PARITY_CHECK(options.batch > 0 && options.tokens > 0 && options.decode >= 0, usage,
               "--batch and --tokens must be at least 1, --decode at least 0");
  return {profile, "eager", *dtype, prefill_and_decode(options.batch, options.tokens, options.decode, true)};
}

/// Writes synthetic.json, from which the tensors are drawn, if `drawn` is set; else writes the tensors themselves.
void write_checkpoint(const std::filesystem::path& folder, const golden::SyntheticSource& weights, bool drawn) {
  if (drawn) return reports::write_text_atomically((folder / "synthetic.json").string(), weights.json());
  std::vector<std::pair<std::string, TensorView>> tensors;
  for (const std::string& name : weights.names()) tensors.emplace_back(name, weights.tensor(name));
  golden::write_safetensors(folder / "model.safetensors", tensors);
}

/// Returns the attributes of the recording. Checksums of the checkpoint's files detect a recording with other weights.
std::map<std::string, golden::AttributeValue> root_attributes(const Plan& plan, const std::string& profile,
                                                              uint64_t seed, const std::filesystem::path& checkpoint) {
  const std::string suffix = plan.working == DType::f64 ? "-f64" : "";
  std::map<std::string, golden::AttributeValue> root{{"system", plan.system},
                                                     {"oracle", "parity reference (synthetic)"},
                                                     {"profile", profile + suffix},
                                                     {"attention", "eager"},
                                                     {"experts", "eager"},
                                                     {"dtype", std::string(to_string(plan.working))},
                                                     {"seed", static_cast<int64_t>(seed)},
                                                     {"torch", "none"}};
  for (const auto& file : std::filesystem::directory_iterator(checkpoint)) {
    root[golden::kFileSum + ("checkpoint/" + file.path().filename().string())] = golden::sha256_of_file(file.path());
  }
  return root;
}

}  // namespace

bool has_place(const SynthesizeOptions& options, const std::string& candidate) {
  constexpr std::string_view kFault = "fault:";
  const size_t at = candidate.find(kFault);  // also finds the fault in "cpu+fault:ID"
  if (at == std::string::npos) return true;
  const faults::Fault& fault = faults::find_fault(candidate.substr(at + kFault.size()));
  return faults::applied(fault, synthetic_plan(options)).has_value();
}

Plan synthetic_plan(const SynthesizeOptions& options) {
  const nlohmann::json config = config_of(options);
  const System& system = system_of(config);
  const std::string profile = options.profile.empty() ? newest_profile(system.name) : options.profile;
  return system.build(config, request_of(options, profile));
}

void refuse_without_place(const SynthesizeOptions& options, const std::string& candidate) {
  if (has_place(options, candidate)) return;
  const std::string id = candidate.substr(candidate.find(':') + 1);
  throw Error(ErrorCode::usage, fmt::format("--candidate '{}' is a fault of {}, which the chosen layers of {} do not "
                                            "contain; choose another fault or other --layers (see parity show {})",
                                            candidate, faults::find_fault(id).component, options.published, id));
}

std::string synthetic_arguments(const SynthesizeOptions& options) {
  const SynthesizeOptions usual;
  std::string text;
  const auto add = [&](const char* name, const auto& value, const auto& otherwise) {
    if (value != otherwise) text += fmt::format(" --{} {}", name, value);
  };
  if (options.layers != usual.layers) text += fmt::format(" --layers {}", fmt::join(options.layers, " "));
  add("words", options.words, usual.words);
  add("dtype", options.dtype, usual.dtype);
  add("batch", options.batch, usual.batch);
  add("tokens", options.tokens, usual.tokens);
  add("decode", options.decode, usual.decode);
  add("seed", options.seed, usual.seed);
  return text;
}

int golden_synthesize(const SynthesizeOptions& options) {
  const nlohmann::json config = config_of(options);
  const System& system = system_of(config);
  const std::string profile = options.profile.empty() ? newest_profile(system.name) : options.profile;
  const PlanRequest request = request_of(options, profile);
  const Plan plan = system.build(config, request);
  ProgressBar bar(options.published.empty()
                      ? "making " + options.out
                      : fmt::format("computing {} tokens of {} (published size)", options.tokens, options.published),
                  options.quiet && !options.announce);
  golden::ReplacedFolder folder(options.out);
  const std::filesystem::path checkpoint = folder.path() / "checkpoint";
  std::filesystem::create_directories(checkpoint);
  const golden::SyntheticSource weights = replay::synthetic_checkpoint(plan, options.seed);
  write_checkpoint(checkpoint, weights, options.drawn || !options.published.empty());
  reports::write_text_atomically((checkpoint / "config.json").string(), config.dump(2) + "\n");
  auto writer = golden::ActivationWriter::create(folder.path() / "activations.h5",
                                                 root_attributes(plan, profile, options.seed, checkpoint));
  writer.keep_checksums();
  writer.write_text("config", config.dump(2));
  for (size_t call = 0; call < request.calls.size(); ++call) {
    writer.group_attribute("steps/" + request.calls[call].id, "kind", std::string(call == 0 ? "prefill" : "decode"));
  }
  replay::write_synthetic_recording(
      plan, reference::registry(), weights, options.seed, writer,
      [&](size_t done, const std::string& tap) { bar.update(done, plan.nodes.size(), tap); });
  writer.commit();
  folder.commit();
  bar.pause();
  if (!options.quiet)
    fmt::print(stderr, "{}: wrote {} taps of {} calls\n", golden::one_line(options.out), plan.taps.size(),
               request.calls.size());
  return holds;
}

}  // namespace parity::cli
