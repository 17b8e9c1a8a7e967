// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/captures/golden_plan.hpp"

#include <algorithm>
#include <cstdlib>

#include "core/plans/config_reader.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"
#include "core/plans/text01/text01_heads.hpp"
#include "core/text.hpp"
#include "golden/sources/given_caches.hpp"
#include "replay/runs/aux_in_loss.hpp"
#include "replay/runs/processor_plan.hpp"

namespace parity::replay {
namespace {

/// Returns the runs of the vision tower in a call, images first.
std::vector<Media> media_of(const golden::Golden& golden, const golden::StepInfo& step) {
  std::vector<Media> media;
  const golden::ActivationFile& file = golden.activations();
  for (const char* kind : {"image", "video"}) {
    const std::string root = step.tap(fmt::format("vision/{}/", kind));
    const auto recorded = [&](const golden::DatasetInfo& info) { return info.path.starts_with(root); };
    if (std::none_of(file.datasets().begin(), file.datasets().end(), recorded)) continue;
    for (const char* input : {"pixel_values", "grid_thw"}) {
      PARITY_CHECK(file.contains(root + input), not_found, "required tap {}{} is missing; record the golden again",
                   root, input);
    }
    const Shape& pixels = file.at(root + "pixel_values").shape;
    const Shape& grid = file.at(root + "grid_thw").shape;
    PARITY_CHECK(pixels.size() == 2 && grid.size() == 2 && grid[1] == 3, schema,
                 "{}pixel_values has shape {}, grid_thw {}; expected [P,F] and [M,3]; record the golden again", root,
                 to_string(pixels), to_string(grid));
    media.push_back({kind, pixels[0], grid[0]});
  }
  return media;
}

/// Whether the class that ran is a separate decoder, not the multimodal class around it.
bool text_only(const golden::Golden& golden) {
  return ConfigReader(golden.config()).object("text_config") == nullptr ||
         golden.facts().model_class.ends_with("ForCausalLM");
}

/// Whether config.json asks for the router's aux loss in every call. The text-only class reads its own config. The
/// multimodal class reads its text_config, in releases in which it has that loss.
bool asks_for_aux(const golden::Golden& golden, const std::string& profile) {
  const ConfigReader top(golden.config());
  const nlohmann::json* nested = top.object("text_config");
  bool asked = false;
  (nested == nullptr ? top : ConfigReader(*nested)).boolean("output_router_logits", asked);
  return asked && (text_only(golden) || find_profile(golden.facts().system, profile).does("vl.aux_loss"));
}

/// Whether a call asked for the aux loss without the configuration: its tap is recorded, or its loss includes it.
bool holds_aux(const golden::Golden& golden, const golden::StepInfo& step, const std::string& profile) {
  if (golden.activations().contains(step.tap("aux_loss"))) return true;
  const ConfigReader top(golden.config());
  const nlohmann::json* nested = top.object("text_config");
  double coefficient = 1e-3;
  (nested == nullptr ? top : ConfigReader(*nested)).real("router_aux_loss_coef", coefficient);
  const Profile& rules = find_profile(golden.facts().system, profile);
  const bool able = !rules.does("nemo") && (text_only(golden) || rules.does("vl.aux_loss"));
  return able && step.K == step.S && coefficient > 0.0 && loss_holds_aux(golden, step, coefficient);
}

double number_of(const golden::ActivationFile& file, const std::string& attribute, double otherwise) {
  const auto found = file.attributes().find(attribute);
  return found == file.attributes().end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
}

/// Returns attribute num_items_in_batch of the call if the class that ran passes it to its loss, else 0.
double items_of(const golden::Golden& golden, const golden::StepInfo& step, const std::string& profile) {
  const golden::Attributes& attributes = golden.activations().group_attributes("steps/" + step.id);
  const auto found = attributes.find("num_items_in_batch");
  if (found == attributes.end()) return 0.0;
  const double items = std::strtod(found->second.c_str(), nullptr);
  PARITY_CHECK(items > 0.0, schema,
               "steps/{}: attribute num_items_in_batch is '{}'; expected a number of labels; record the golden again",
               step.id, found->second);
  const bool read = text_only(golden) || find_profile(golden.facts().system, profile).does("vl.num_items");
  return read ? items : 0.0;
}

/// Reads the settings of a training step (golden format, NeMo).
void read_training(const golden::Golden& golden, const golden::StepInfo& step, Call& call) {
  const golden::ActivationFile& file = golden.activations();
  const auto training = file.attributes().find("training");
  call.training = training != file.attributes().end() && training->second == "yes";
  call.mtp_factor = number_of(file, "mtp_loss_scaling_factor", call.mtp_factor);
  call.packed_factor = number_of(file, "mtp_loss_packed_scaling_factor", 0.0);
  call.balance_loss = number_of(file, "aux_loss_coeff", 0.0) > 0.0;
  call.bias_rate = number_of(file, "gate_bias_update_factor", 0.0);
  const golden::DatasetInfo* second = file.find(step.tap("tokens/second_input_ids"));
  if (second == nullptr) return;
  PARITY_CHECK(second->shape.size() == 2 && second->shape[0] > 0 && second->shape[1] > 0, schema,
               "tap {} has shape {}, expected [B,S] (sequences, tokens); record the golden again", second->path,
               to_string(second->shape));
  call.second_batch = second->shape[0];
  call.second_tokens = second->shape[1];
}

/// Reads how several processes shared the calls (golden format, NeMo).
void read_processes(const golden::Golden& golden, PlanRequest& request) {
  const golden::Attributes& attributes = golden.activations().attributes();
  const auto parallel = attributes.find("parallel");
  if (parallel == attributes.end()) return;
  const std::string& kind = parallel->second;
  PARITY_CHECK(kind == "ep" || kind == "cp", unsupported, "{}: attribute parallel is '{}'; expected ep or cp",
               golden.name(), kind);
  request.split = kind == "ep" ? Split::experts : Split::sequence;
  request.processes = static_cast<int64_t>(number_of(golden.activations(), "world_size", 0.0));
}

/// Checks that a mask is 1 for real and 0 for padding or unseen slots. Packages handle other numbers differently.
void check_mask(const golden::ActivationFile& file, const std::string& path) {
  const Tensor mask = widen(file.read(path));
  const int64_t* values = mask.i64();
  const bool flags = std::all_of(values, values + mask.view().count(), [](int64_t x) { return x == 0 || x == 1; });
  PARITY_CHECK(flags, schema, "{} holds numbers other than 0 and 1; record the golden again", path);
}

std::vector<Call> calls_of(const golden::Golden& golden, const std::string& profile) {
  std::vector<Call> calls;
  int64_t slots = 0;
  const bool asked = asks_for_aux(golden, profile);
  for (const golden::StepInfo& step : golden.steps()) {
    if (step.kind == golden::StepKind::cache) {
      slots = step.K;
      Call edits{step.id, step.B, 0, step.K};
      edits.edits =
          CacheEdits{step.cache_rows, step.reorder, step.crop, golden::given_layers(golden.activations(), step)};
      calls.push_back(std::move(edits));
      continue;
    }
    slots += step.S;
    PARITY_CHECK(
        !step.has_tokens || step.independent || step.K == slots, schema,
        "steps/{}/tokens/attention_mask has {} slots, expected {} for all tokens so far; record the golden again",
        step.id, step.K, slots);
    // With earlier slots the packages cannot compute the aux loss: their mask must have the length of the logits.
    const bool aux = (asked && step.K == step.S) || holds_aux(golden, step, profile);
    Call call{step.id, step.B, step.S, step.K, step.has_labels, aux, media_of(golden, step)};
    call.mask = golden.activations().contains(step.tap("tokens/attention_mask"));
    if (call.mask) check_mask(golden.activations(), step.tap("tokens/attention_mask"));
    call.pairs = call.mask && golden.activations().at(step.tap("tokens/attention_mask")).shape.size() == 4;
    call.padding = golden.activations().contains(step.tap("tokens/padding_mask"));
    call.positions = golden.activations().contains(step.tap("tokens/position_ids"));
    call.num_items = items_of(golden, step, profile);
    const golden::DatasetInfo* labels = golden.activations().find(step.tap("tokens/labels"));
    call.real_labels = labels != nullptr && is_float(labels->dtype);
    read_training(golden, step, call);
    calls.push_back(std::move(call));
  }
  return calls;
}

}  // namespace

Plan plan_of(const golden::Golden& golden, const std::string& profile, const std::string& attention) {
  const golden::RootFacts& facts = golden.facts();
  static_cast<void>(find_system(facts.system));  // refuses unknown systems before any further look-up
  const std::string& wanted = profile.empty() ? facts.profile : profile;
  PARITY_CHECK(facts.dtype == DType::f64 || !wanted.ends_with("-f64"), usage,
               "profile {} is for recordings in f64, but {} is {}; use the profile without the suffix -f64", wanted,
               golden.name(), to_string(facts.dtype));
  if (is_processor_golden(golden)) return processor_plan_of(golden, wanted);
  PlanRequest request{wanted, attention.empty() ? facts.attention : attention, facts.dtype, calls_of(golden, wanted),
                      false};
  read_processes(golden, request);
  request.static_slots = facts.max_cache_len;
  request.head = head_of(facts.model_class);
  request.stored_decays = stores_decays(golden.parameters());
  return build_plan(facts.system, golden.config(), request);
}

bool stores_decays(const WeightSource& weights) {
  const auto names = weights.names();
  return std::any_of(names.begin(), names.end(),
                     [](const std::string& name) { return name.ends_with(".self_attn.slope_rate"); });
}

std::string tap_of(const Plan& plan, const std::string& tap, const std::string& golden) {
  const auto alias = plan.aliases.find(tap);
  const std::string& name = alias == plan.aliases.end() ? tap : alias->second;
  std::vector<std::string> known;
  for (const auto& [other, about] : plan.taps) known.push_back(other);
  PARITY_CHECK(plan.taps.contains(name), usage, "the model of {} has no tap '{}'{}; see parity golden ls", golden, tap,
               did_you_mean(tap, known));
  return name;
}

}  // namespace parity::replay
