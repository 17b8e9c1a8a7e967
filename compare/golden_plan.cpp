// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/golden_plan.hpp"

#include <cstring>

#include "core/plans/config_reader.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"

namespace parity::compare {
namespace {

/// Whether config.json asks for the router's aux loss in every call: the text-only class reads its own config, the
/// multimodal one its text_config, in the releases that have that loss there at all.
bool asks_for_aux(const golden::Golden& golden, const std::string& profile) {
  const ConfigReader top(golden.config());
  const nlohmann::json* nested = top.object("text_config");
  bool asked = false;
  (nested == nullptr ? top : ConfigReader(*nested)).boolean("output_router_logits", asked);
  const bool text_only = nested == nullptr || golden.facts().model_class.ends_with("ForCausalLM");
  return asked && (text_only || find_profile(golden.facts().system, profile).traits.contains("vl.aux_loss"));
}

std::vector<Call> calls_of(const golden::Golden& golden, const std::string& profile) {
  std::vector<Call> calls;
  int64_t slots = 0;
  const bool asked = asks_for_aux(golden, profile);
  for (const golden::StepInfo& step : golden.steps()) {
    PARITY_CHECK(step.has_tokens, unsupported, "step {} has no tokens; only the text decoder is implemented", step.id);
    slots += step.S;
    PARITY_CHECK(step.K == slots, schema,
                 "steps/{}/tokens/attention_mask has {} slots, {} tokens were seen so far; re-capture", step.id, step.K,
                 slots);
    // With slots in front of the call the packages cannot compute it: their mask must be as long as the logits.
    const bool aux = (asked && step.K == step.S) || golden.activations().contains(step.tap("aux_loss"));
    calls.push_back({step.id, step.B, step.S, step.K, step.has_labels, aux});
  }
  return calls;
}

}  // namespace

Plan plan_of(const golden::Golden& golden, const std::string& profile, const std::string& attention) {
  const golden::RootFacts& facts = golden.facts();
  PARITY_CHECK(facts.quantisation.empty(), unsupported, "quantised checkpoints ({}) are not implemented yet",
               facts.quantisation);
  for (const golden::DatasetInfo& dataset : golden.activations().datasets()) {
    PARITY_CHECK(dataset.path.find("/vision/") == std::string::npos, unsupported,
                 "dataset {}: the vision tower is not implemented yet", dataset.path);
  }
  const std::string& wanted = profile.empty() ? facts.profile : profile;
  PlanRequest request{wanted, attention.empty() ? facts.attention : attention, facts.dtype, calls_of(golden, wanted)};
  return build_plan(facts.system, golden.config(), request);
}

void check_same_tokens(const golden::Golden& golden, const golden::ActivationFile& capture) {
  for (const golden::StepInfo& step : golden.steps()) {
    std::vector<const char*> names{"tokens/input_ids", "tokens/position_ids", "tokens/attention_mask"};
    if (step.has_labels) names.push_back("tokens/labels");
    for (const char* name : names) {
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
