// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/golden_plan.hpp"

#include <algorithm>
#include <cstring>

#include "compare/processor_plan.hpp"
#include "core/plans/config_reader.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"

namespace parity::compare {
namespace {

/// The runs of the vision tower in a step, images first.
std::vector<Media> media_of(const golden::Golden& golden, const golden::StepInfo& step) {
  std::vector<Media> media;
  const golden::ActivationFile& file = golden.activations();
  for (const char* kind : {"image", "video"}) {
    const std::string root = step.tap(fmt::format("vision/{}/", kind));
    const auto recorded = [&](const golden::DatasetInfo& info) { return info.path.starts_with(root); };
    if (std::none_of(file.datasets().begin(), file.datasets().end(), recorded)) continue;
    for (const char* input : {"pixel_values", "grid_thw"}) {
      PARITY_CHECK(file.contains(root + input), not_found, "obligatory tap {}{} is missing; re-capture", root, input);
    }
    const Shape& pixels = file.at(root + "pixel_values").shape;
    const Shape& grid = file.at(root + "grid_thw").shape;
    PARITY_CHECK(pixels.size() == 2 && grid.size() == 2 && grid[1] == 3, schema,
                 "{}pixel_values has shape {}, grid_thw {}; [P,F] and [M,3] are wanted; re-capture", root,
                 to_string(pixels), to_string(grid));
    media.push_back({kind, pixels[0], grid[0]});
  }
  return media;
}

/// Whether config.json asks for the router's aux loss in every call: the text-only class reads its own config, the
/// multimodal one its text_config, in the releases that have that loss there at all.
bool asks_for_aux(const golden::Golden& golden, const std::string& profile) {
  const ConfigReader top(golden.config());
  const nlohmann::json* nested = top.object("text_config");
  bool asked = false;
  (nested == nullptr ? top : ConfigReader(*nested)).boolean("output_router_logits", asked);
  const bool text_only = nested == nullptr || golden.facts().model_class.ends_with("ForCausalLM");
  return asked && (text_only || find_profile(golden.facts().system, profile).config.contains("vl.aux_loss"));
}

std::vector<Call> calls_of(const golden::Golden& golden, const std::string& profile) {
  std::vector<Call> calls;
  int64_t slots = 0;
  const bool asked = asks_for_aux(golden, profile);
  for (const golden::StepInfo& step : golden.steps()) {
    slots += step.S;
    PARITY_CHECK(!step.has_tokens || step.K == slots, schema,
                 "steps/{}/tokens/attention_mask has {} slots, {} tokens were seen so far; re-capture", step.id, step.K,
                 slots);
    // With slots in front of the call the packages cannot compute it: their mask must be as long as the logits.
    const bool aux = (asked && step.K == step.S) || golden.activations().contains(step.tap("aux_loss"));
    calls.push_back({step.id, step.B, step.S, step.K, step.has_labels, aux, media_of(golden, step)});
  }
  return calls;
}

/// What the processors were given, in place of tokens.
void check_same_inputs(const golden::Golden& golden, const golden::ActivationFile& capture) {
  for (const golden::DatasetInfo& info : golden.activations().datasets()) {
    if (!info.path.starts_with("processor/") || info.role != "input") continue;
    const golden::DatasetInfo& theirs = capture.at(info.path);
    bool same = info.text == theirs.text && info.shape == theirs.shape && info.dtype == theirs.dtype;
    if (same && info.text) same = golden.activations().read_texts(info.path) == capture.read_texts(info.path);
    if (same && !info.text) {
      const Tensor a = golden.activations().read(info.path);
      const Tensor b = capture.read(info.path);
      same = std::memcmp(a.view().data, b.view().data, static_cast<size_t>(a.bytes())) == 0;
    }
    PARITY_CHECK(same, schema, "{} of the capture differs from the golden's; capture the same inputs", info.path);
  }
}

}  // namespace

Plan plan_of(const golden::Golden& golden, const std::string& profile, const std::string& attention) {
  const golden::RootFacts& facts = golden.facts();
  static_cast<void>(find_system(facts.system));  // before anything is looked up in its name
  const std::string& wanted = profile.empty() ? facts.profile : profile;
  if (is_processor_golden(golden)) return processor_plan_of(golden, wanted);
  PlanRequest request{wanted, attention.empty() ? facts.attention : attention, facts.dtype, calls_of(golden, wanted),
                      false};
  const auto weights = golden.parameters().names();
  request.stored_decays = std::any_of(weights.begin(), weights.end(),
                                      [](const std::string& name) { return name.ends_with(".self_attn.slope_rate"); });
  return build_plan(facts.system, golden.config(), request);
}

void check_same_tokens(const golden::Golden& golden, const golden::ActivationFile& capture) {
  check_same_inputs(golden, capture);
  for (const golden::StepInfo& step : golden.steps()) {
    std::vector<std::string> names;
    if (step.has_tokens) names = {"tokens/input_ids", "tokens/position_ids", "tokens/attention_mask"};
    if (step.has_labels) names.push_back("tokens/labels");
    for (const Media& media : media_of(golden, step)) {
      names.push_back("vision/" + media.kind + "/pixel_values");
      names.push_back("vision/" + media.kind + "/grid_thw");
    }
    for (const std::string& name : names) {
      const std::string tap = step.tap(name);
      const Tensor ours = golden.activations().read(tap);
      const Tensor theirs = capture.read(tap);
      const bool alike = ours.shape() == theirs.shape() && ours.dtype() == theirs.dtype();
      const bool same =
          alike && std::memcmp(ours.view().data, theirs.view().data, static_cast<size_t>(ours.bytes())) == 0;
      PARITY_CHECK(same, schema, "{} of the capture differs from the golden's; capture the same calls", tap);
    }
  }
}

}  // namespace parity::compare
