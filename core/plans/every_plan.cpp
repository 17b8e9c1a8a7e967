// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/every_plan.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/plans/m3/m3_processor.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"
#include "core/plans/tiny/tiny_m3.hpp"

namespace parity {
namespace {

/// The config of a checkpoint that has codes and scales instead of matrices, by the published method of its model.
nlohmann::json quantised(nlohmann::json config) {
  const bool m3 = config.contains("text_config");
  config["quantization_config"] = {{"quant_method", m3 ? "mxfp8" : "fp8"},
                                   {"modules_to_not_convert", {"lm_head", "gate"}}};
  return config;
}

/// Adds the plans of two processes that share the experts, or sequences with packed documents.
void add_shared_plans(const std::string& profile, std::vector<Plan>& plans) {
  PlanRequest request = two_calls(profile);
  nlohmann::json config = tiny_config("minimax_m3_vl");
  for (Call& call : request.calls) call.keys = call.tokens;
  request.processes = 2;
  request.split = Split::experts;
  plans.push_back(build_plan("minimax_m3_vl", config, request));
  request.split = Split::sequence;
  for (Call& call : request.calls) call.pairs = call.padding = true;
  for (auto& type : config["text_config"]["layer_types"]) type = "minimax_m3_sparse";
  plans.push_back(build_plan("minimax_m3_vl", config, request));
}

/// Adds Text-01 plans with each head other than the language model's.
void add_heads(const Profile& profile, std::vector<Plan>& plans) {
  PlanRequest request = two_calls(profile.name);
  request.calls.resize(1);
  for (const Head head : {Head::sequence, Head::token, Head::question}) {
    request.head = head;
    plans.push_back(build_plan(profile.system, tiny_config(profile.system), request));
  }
  request.head = Head::sequence;
  request.calls[0].real_labels = true;
  for (const char* problem : {"regression", "multi_label_classification"}) {
    nlohmann::json config = tiny_config(profile.system);
    config["problem_type"] = problem;
    plans.push_back(build_plan(profile.system, config, request));
  }
}

/// A plan on a cache of fixed length with unused slots, which is reordered after the calls.
Plan static_plan(const Profile& profile, const char* attention) {
  PlanRequest request = two_calls(profile.name);
  request.attention = attention;
  request.static_slots = 9;
  request.calls.push_back({"002", 2, 0, 6});
  request.calls.back().edits = CacheEdits{true, true, 0};
  return build_plan(profile.system, tiny_config(profile.system), request);
}

/// A plan on caches in pages of four slots.
Plan paged_plan(const Profile& profile) {
  PlanRequest request = two_calls(profile.name);
  request.page_size = 4;
  request.pages = 5;
  return build_plan(profile.system, tiny_config(profile.system), request);
}

/// A plan of the processors: the size rule, grids, sampling, an image, a video, and a prompt with both.
Plan processor_plan(const std::string& profile) {
  ProcessorRequest request;
  request.profile = profile;
  request.sizes = 2;
  request.sampled = 3;
  request.most_sampled = 5;
  request.grids = {{"00", false, 4, 4, true, 0}, {"01", true, 2, 2, false, 0}};
  request.special_bytes = 7;
  request.specials = 4;
  request.images = {{"00", {3, 20, 30}, true, 6272}};
  request.videos = {{"00", {3, 3, 28, 56}, false, 0}};
  request.prompts = {{"00", 5, 9, 8, 1, 1, {3}, true}};
  return build_m3_processor_plan(nlohmann::json::object(), request);
}

}  // namespace

std::vector<Plan> every_plan() {
  std::vector<Plan> plans;
  for (const Profile& profile : profiles()) {
    for (const char* attention : {"eager", "sdpa"}) {
      PlanRequest request =
          profile.system == "minimax_m3_vl" ? two_calls_with_media(profile.name) : two_calls(profile.name);
      request.attention = attention;
      if (!profile.does("nemo")) {
        request.calls.push_back({"002", 3, 0, 6});
        request.calls.back().edits = CacheEdits{true, false, 0};
      }
      for (Call& call : request.calls) {
        if (!profile.does("nemo")) continue;
        call.keys = call.tokens;  // NeMo has no cache
        call.training = call.balance_loss = true;
        call.bias_rate = call.packed_factor = 0.5;
        call.second_batch = call.batch;
        call.second_tokens = call.tokens;
      }
      nlohmann::json config = tiny_config(profile.system);
      if (profile.does("nemo")) config["text_config"]["num_mtp_modules"] = 2;
      plans.push_back(build_plan(profile.system, config, request));
      if (profile.system != "minimax_text_01" && !profile.does("nemo"))
        plans.push_back(static_plan(profile, attention));
      if (profile.system == "minimax_text_01") add_heads(profile, plans);
      if (profile.system == "minimax_text_01") continue;  // Text-01 was never published quantised
      plans.push_back(build_plan(profile.system, quantised(tiny_config(profile.system)), request));
      if (profile.does("nemo")) add_shared_plans(profile.name, plans);
    }
  }
  plans.push_back(paged_plan(find_profile("minimax_m3_vl", newest_profile("minimax_m3_vl"))));
  for (const Profile& profile : processor_profiles()) plans.push_back(processor_plan(profile.name));
  return plans;
}

}  // namespace parity
