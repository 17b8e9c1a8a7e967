// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "core/plans/nemo/nemo_m3.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/plans/nemo/nemo_m3_call.hpp"
#include "core/plans/nemo/nemo_m3_names.hpp"

namespace parity {
namespace {

/// Writes a plan in two passes: every call as a single process computes it, then the parts of calls that several
/// processes computed.
class NemoPlan {
 public:
  NemoPlan(const NemoM3Config& config, const M3VisionConfig* vision, const PlanRequest& request, PlanWriter& writer)
      : config_(config), vision_(vision), request_(request), writer_(writer) {}

  void write() {
    for (const Call& call : request_.calls) alone(call);
    if (request_.split == Split::experts) share_experts();
    if (request_.split != Split::sequence) return;
    for (const Call& call : request_.calls) share_sequence(call);
  }

 private:
  NemoPass pass_of(const Call& call, const std::string& root) {
    NemoPass pass;
    pass.call = call;
    pass.step = steps_++;
    pass.root = pass.inputs = root;
    return pass;
  }

  /// The pass of process `rank`, one of several that share the call. It has no labels, so no loss is written.
  NemoPass share_of(const Call& call, size_t rank, size_t step) {
    NemoPass pass = pass_of(call, fmt::format("ranks/{:02}/steps/{}/", rank, request_.calls[step].id));
    pass.split = request_.split;
    pass.rank = rank;
    pass.call.labels = false;
    return pass;
  }

  NemoCall writer_of(const NemoPass& pass) { return {config_, vision_, request_, pass, writer_}; }

  /// Writes the passes stage by stage, so that each one finds the taps of the others that it reads.
  void together(const std::vector<NemoPass>& passes) {
    std::vector<NemoCall> calls;
    for (const NemoPass& pass : passes) calls.push_back(writer_of(pass));
    for (NemoCall& call : calls) call.open();
    if (passes.front().call.tokens == 0) return;
    for (size_t layer = 0; layer < static_cast<size_t>(config_.text.num_hidden_layers); ++layer) {
      for (NemoCall& call : calls) call.project(layer);
      for (NemoCall& call : calls) call.attend(layer);
      for (NemoCall& call : calls) call.exchange(layer);
      for (NemoCall& call : calls) call.feed(layer);
    }
    for (NemoCall& call : calls) call.close();
  }

  void alone(const Call& call) {
    const NemoPass pass = pass_of(call, fmt::format("steps/{}/", call.id));
    together({pass});
    if (call.bias_rate <= 0.0) return;
    NemoPass second;
    if (call.second_batch > 0) {
      second = pass_of({call.id, call.second_batch, call.second_tokens, call.second_tokens}, pass.root + "second/");
      second.call.mask = second.call.positions = false;
      second.inputs = pass.root;
      second.ids = "tokens/second_input_ids";
      second.loads_only = true;
      together({second});
    }
    writer_of(pass).update_bias(call.second_batch > 0 ? &second : nullptr);
  }

  void share_experts() {
    std::vector<NemoPass> passes;
    int64_t rows = 0;
    for (size_t rank = 0; rank < request_.calls.size(); ++rank) {
      const Call& call = request_.calls[rank];
      passes.push_back(share_of(call, rank, 0));
      passes.back().inputs = fmt::format("steps/{}/", call.id);
      passes.back().first_row = rows;
      rows += call.batch * call.tokens;
    }
    for (NemoPass& pass : passes) pass.all_rows = rows;
    introduce(passes);
    together(passes);
  }

  void share_sequence(const Call& call) {
    const int64_t chunk = (call.tokens + 2 * request_.processes - 1) / (2 * request_.processes);
    const auto step = static_cast<size_t>(&call - request_.calls.data());
    std::vector<NemoPass> passes;
    for (size_t rank = 0; rank < static_cast<size_t>(request_.processes); ++rank) {
      Call share = call;
      share.tokens = 2 * chunk;
      share.keys = 2 * chunk * request_.processes;
      share.mask = share.pairs = false;  // replaced by the inputs for documents and valid slots
      passes.push_back(share_of(share, rank, step));
    }
    introduce(passes);
    together(passes);
    NemoPass whole = pass_of(call, fmt::format("gathered/steps/{}/", call.id));
    whole.peers = passes.front().peers;
    writer_of(whole).gather_outputs();
  }

  static void introduce(std::vector<NemoPass>& passes) {
    std::vector<std::string> roots;
    for (const NemoPass& pass : passes) roots.push_back(pass.root);
    for (NemoPass& pass : passes) pass.peers = roots;
  }

  const NemoM3Config& config_;
  const M3VisionConfig* vision_;
  const PlanRequest& request_;
  PlanWriter& writer_;
  size_t steps_ = 0;
};

void check(const PlanRequest& request) {
  const auto& calls = request.calls;
  for (const Call& call : calls) {
    PARITY_CHECK(!call.edits, unsupported, "call {} edits the cache, but profile {} has no cache", call.id,
                 request.profile);
  }
  const auto alone = std::count_if(calls.begin(), calls.end(), [](const Call& call) { return call.tokens == 0; });
  PARITY_CHECK(alone == 0 || alone == static_cast<int64_t>(calls.size()), unsupported,
               "{} of {} calls run only the vision tower; record those in a separate golden", alone, calls.size());
  for (const Call& call : calls) {
    PARITY_CHECK(call.keys == call.tokens, unsupported,
                 "call {} has {} slots for {} tokens; profile {} has no cache: record each call on its own", call.id,
                 call.keys, call.tokens, request.profile);
    PARITY_CHECK(request.split == Split::none || (call.media.empty() && !call.training && call.tokens > 0), unsupported,
                 "call {} ran on {} processes, but images and training steps are supported only on a single process",
                 call.id, request.processes);
  }
}

void check_processes(const M3TextConfig& text, const PlanRequest& request) {
  if (request.split == Split::none) return;
  PARITY_CHECK(request.processes > 0, schema,
               "the golden states {} processes; expected 1 or more: record the golden again", request.processes);
  if (request.split != Split::experts) return;
  PARITY_CHECK(request.processes == static_cast<int64_t>(request.calls.size()), unsupported,
               "the golden has {} calls and {} processes; expected one call of each process", request.calls.size(),
               request.processes);
  PARITY_CHECK(text.num_local_experts % request.processes == 0, unsupported,
               "{} experts cannot be divided evenly among {} processes, as NeMo requires", text.num_local_experts,
               request.processes);
}

}  // namespace

Plan build_nemo_m3_plan(const nlohmann::json& json, const PlanRequest& request) {
  check(request);
  refuse_static_cache(request, "NeMo's model has no cache; record the golden again");
  const NemoM3Config config = parse_nemo_m3_config(json);
  check_processes(config.text, request);
  const auto& calls = request.calls;
  const bool tower = std::any_of(calls.begin(), calls.end(), [](const Call& call) { return !call.media.empty(); });
  const M3VisionConfig vision = tower ? parse_m3_vision_config(json) : M3VisionConfig{};
  Plan plan = start_plan(nemo::kSystem, request);
  PlanWriter writer(plan);
  NemoPlan(config, tower ? &vision : nullptr, request, writer).write();
  finish_plan(writer, nemo::kSystem, request);
  if (config.text.quantisation.present) add_dequantise_nodes(config.text.quantisation, plan);
  return plan;
}

}  // namespace parity
