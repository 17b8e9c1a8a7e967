// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/relations/subject.hpp"

#include <algorithm>
#include <limits>

#include "compare/judging/choices.hpp"
#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"
#include "core/random.hpp"
#include "faults/computed.hpp"
#include "faults/edits/edit.hpp"
#include "replay/captures/overlay.hpp"
#include "replay/runs/free_run.hpp"
#include "replay/runs/synthesize.hpp"

namespace parity::faults {
namespace {

std::string root_of(size_t turn) { return fmt::format("steps/{:03}/", turn); }

int64_t tokens_of(const Turn& turn) { return turn.ids.empty() ? 0 : turn.ids.shape()[1]; }

/// Returns a mask of ones for the slots up to `keys`, with zeros at hidden last tokens and at holes.
Tensor mask_of(const Run& run, int64_t batch, int64_t total, int64_t keys) {
  Tensor mask(DType::i64, {batch, keys}, "B,K");
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t real = run.hidden.empty() ? total : total - run.hidden[static_cast<size_t>(b)];
    for (int64_t k = 0; k < keys; ++k) mask.i64()[b * keys + k] = k < real ? 1 : 0;
    for (const int64_t k : run.holes) {
      if (k < keys) mask.i64()[b * keys + k] = 0;
    }
  }
  return mask;
}

int64_t tokens_of(const Run& run) {
  int64_t total = 0;
  for (const Turn& turn : run.turns) total += tokens_of(turn);
  return total;
}

int64_t pages_of_a_sequence(const Run& run) { return (tokens_of(run) + run.page_size - 1) / run.page_size; }

/// Returns the page table for the slots up to `keys`.
Tensor table_of(const Run& run, size_t turn, int64_t batch, int64_t keys) {
  Tensor table(DType::i64, {batch, (keys + run.page_size - 1) / run.page_size}, "B,W");
  const auto& lie = turn > 0 && !run.later_pages.empty() ? run.later_pages : run.pages;
  for (int64_t i = 0; i < table.view().count(); ++i) {
    const int64_t page = i / table.shape()[1] * pages_of_a_sequence(run) + i % table.shape()[1];
    table.i64()[i] = lie.empty() ? page : lie[static_cast<size_t>(page)];
  }
  return table;
}

Tensor positions_of(int64_t batch, int64_t tokens, int64_t first) {
  Tensor positions(DType::i64, {batch, tokens}, "B,S");
  for (int64_t i = 0; i < batch * tokens; ++i) positions.i64()[i] = first + i % tokens;
  return positions;
}

void add_media(const std::string& at, const std::vector<Picture>& pictures, Taps& inputs) {
  if (pictures.empty()) return;
  inputs[at + "pixel_values"] = pixels_of(pictures);
  inputs[at + "grid_thw"] = grids_of(pictures);
}

std::vector<Media> media_of(const Run& run) {
  std::vector<Media> media;
  for (const auto& [kind, pictures] : {std::pair("image", &run.images), std::pair("video", &run.videos)}) {
    int64_t patches = 0;
    for (const Picture& picture : *pictures) patches += picture.pixels.shape()[0];
    if (patches > 0) media.push_back({kind, patches, static_cast<int64_t>(pictures->size())});
  }
  return media;
}

void set_inputs(const Plan& plan, const Taps& inputs, replay::FreeRun& run) {
  for (const auto& [tap, value] : inputs) {
    if (plan.taps.contains(tap)) run.set(tap, value);
  }
}

/// Returns the taps of the plan that are decisions.
std::set<std::string> discrete_taps(const Plan& plan) {
  std::set<std::string> taps;
  for (const Node& node : plan.nodes) {
    const Definition& definition = registry().component(node.component);
    for (const auto& [field, output] : node.outputs) {
      if (is_discrete(definition.outputs[static_cast<size_t>(definition.output_index(field))].judge))
        taps.insert(output.name);
    }
  }
  return taps;
}

/// Walks the reference with exact and rounded values.
void walk_reference(const Plan& plan, const Taps& inputs, const WeightSource& weights,
                    const replay::FreeRun::Visit& visit) {
  replay::FreeRun run(plan, registry(), weights, replay::Evaluator::Lanes::both);
  set_inputs(plan, inputs, run);
  run.run(std::numeric_limits<int>::max(), visit);
}

Taps reference_taps(const Plan& plan, const Taps& inputs, const WeightSource& weights,
                    const std::vector<std::string>& wanted, Lane lane) {
  Taps found;
  walk_reference(plan, inputs, weights, [&](const Node& node, const replay::Outcome& outcome) {
    for (const auto& [field, value] : outcome.outputs) {
      const std::string& tap = node.outputs.at(field).name;
      if (std::count(wanted.begin(), wanted.end(), tap) > 0)
        found[tap] = lane == Lane::exact ? value.exact : value.rounded;
    }
  });
  return found;
}

/// Returns the first choice in plan order that differs from the exact one. Returns "" if there is none, or if errors of
/// the scores do not explain it. Later choices depend on this one.
std::string first_flip(const Plan& plan, const Taps& inputs, const WeightSource& weights, const Taps& decisions) {
  std::string flip;
  bool decided = false;
  walk_reference(plan, inputs, weights, [&](const Node& node, const replay::Outcome& outcome) {
    for (const auto& [field, own] : outcome.own) {
      const std::string& tap = node.outputs.at(field).name;
      if (decided) return;
      compare::Record record;
      record.axes = plan.tap(tap).axes;
      record.shape = plan.tap(tap).shape;
      compare::judge_choices(outcome, field, plan.sizes_of(node), true, decisions.at(tap), record);
      decided = record.discrete->violations > 0 || record.discrete->flips > 0;
      if (decided && record.discrete->violations == 0) flip = tap;
    }
  });
  return flip;
}

}  // namespace

Tensor columns(const Tensor& ids, int64_t first, int64_t length) {
  return convert(slice(ids.view(), 'S', first, length), DType::i64);
}

Run whole(const Tensor& ids) { return {{{ids}}}; }

Run in_calls(const Tensor& ids, const std::vector<int64_t>& lengths) {
  Run run;
  int64_t first = 0;
  for (const int64_t length : lengths) {
    run.turns.push_back({columns(ids, first, length)});
    first += length;
  }
  return run;
}

Run one_by_one(const Tensor& ids, int64_t first) {
  std::vector<int64_t> lengths(static_cast<size_t>(ids.shape()[1] - first + 1), 1);
  lengths.front() = first;
  return in_calls(ids, lengths);
}

void Walk::join(const Walk& other) {
  components.insert(other.components.begin(), other.components.end());
  if (flip.empty()) flip = other.flip;
}

Subject::Subject(nlohmann::json config, uint64_t seed, const Tried& tried, std::string profile)
    : config_(std::move(config)),
      seed_(seed),
      tried_(tried),
      system_(system_of(config_).name),
      profile_(profile.empty() ? newest_profile(system_) : std::move(profile)) {
  const Plan plan = build_plan(system_, config_, request({{"000", 1, 2, 2}}));
  sizes_ = plan.sizes.begin()->second;
  words_ = sizes_.at('V');
}

PlanRequest Subject::request(std::vector<Call> calls) const {
  return {profile_, "eager", DType::f32, std::move(calls)};
}

PlanRequest Subject::request_of(const Run& run) const {
  std::vector<Call> calls;
  int64_t keys = 0;
  int64_t batch = 0;
  for (const Turn& turn : run.turns) {
    const bool edits = turn.ids.empty();
    if (!edits || !turn.rows.empty()) batch = edits ? static_cast<int64_t>(turn.rows.size()) : turn.ids.shape()[0];
    keys = turn.crop > 0 ? turn.crop : keys + tokens_of(turn) + turn.crop;
    Call call{fmt::format("{:03}", calls.size()), batch, tokens_of(turn), keys};
    if (calls.empty()) call.media = media_of(run);
    if (edits) call.edits = CacheEdits{!turn.rows.empty(), turn.beam, turn.crop};
    calls.push_back(call);
  }
  PlanRequest result = request(calls);
  result.static_slots = run.static_slots;
  result.page_size = run.page_size;
  if (run.page_size > 0) result.pages = batch * pages_of_a_sequence(run);
  return result;
}

Tensor Subject::tokens(int64_t batch, int64_t count, uint64_t seed, int64_t limit) const {
  Tensor ids(DType::i64, {batch, count}, "B,S");
  const Random random(seed, "relations");
  const auto words = static_cast<uint64_t>(limit > 0 ? limit : words_);
  for (int64_t i = 0; i < batch * count; ++i)
    ids.i64()[i] = static_cast<int64_t>(random.below(static_cast<uint64_t>(i), words));
  return ids;
}

Taps Subject::candidate(const Plan& plan, const Taps& inputs, const std::vector<std::string>& wanted,
                        const WeightSource& weights, Taps* decisions) const {
  const auto edited = tried_.fault == nullptr ? std::nullopt : applied(*tried_.fault, plan);
  planted_ = planted_ || edited.has_value();
  auto computation = std::make_shared<replay::Computation>(
      computation_of(edited ? *edited : unedited(plan), {}, weights, replay::Overlay(plan, nullptr, {})));
  if (tried_.native) computation->kernels = *tried_.native;
  std::set<std::string> asked(wanted.begin(), wanted.end());
  const std::set<std::string> chosen = decisions == nullptr ? std::set<std::string>{} : discrete_taps(plan);
  asked.insert(chosen.begin(), chosen.end());
  const replay::Overlay given(plan, nullptr, inputs);
  const replay::Execution run(computation, given, replay::Execution::Mode::chained,
                              [&](const std::string& tap) { return asked.contains(tap); });
  Taps found;
  for (const std::string& tap : wanted) {
    if (run.has(tap)) found[tap] = widen(run.read(tap));
  }
  for (const std::string& tap : chosen) (*decisions)[tap] = widen(run.read(tap));
  if (!run.refused().empty()) throw Error(ErrorCode::unsupported, run.refused().begin()->second);
  return found;
}

Taps Subject::taps(const PlanRequest& request, const Taps& inputs, const std::vector<std::string>& wanted, Walk& walk,
                   const WeightEdits& weights) const {
  const Plan plan = build_plan(system_, config_, request);
  for (const Node& node : plan.nodes) walk.components.insert(node.component);
  components_.insert(walk.components.begin(), walk.components.end());
  const auto drawn = replay::synthetic_checkpoint(plan, seed_);
  const ReorderedWeights laid_out(drawn, weights.orders);
  const EditedWeights read(laid_out, weights.maps);
  Taps found;
  if (walk.lane != Lane::candidate) {
    found = reference_taps(plan, inputs, read, wanted, walk.lane);
  } else if (!tried_.native) {
    found = candidate(plan, inputs, wanted, read, nullptr);
  } else {
    Taps decisions;
    found = candidate(plan, inputs, wanted, read, &decisions);
    if (walk.flip.empty()) walk.flip = first_flip(plan, inputs, read, decisions);
  }
  for (const std::string& tap : wanted) PARITY_CHECK(found.contains(tap), internal, "the model has no tap {}", tap);
  return found;
}

std::vector<Tensor> Subject::turns(const Run& run, Walk& walk) const {
  const PlanRequest request = request_of(run);
  const int64_t total = tokens_of(run);
  Taps inputs;
  std::vector<std::string> wanted;
  for (size_t i = 0; i < run.turns.size(); ++i) {
    const Call& call = request.calls[i];
    const std::string at = root_of(i) + "tokens/";
    if (call.edits) {
      const auto& rows = run.turns[i].rows;
      Tensor chosen(DType::i64, {static_cast<int64_t>(rows.size())}, "B");
      std::copy(rows.begin(), rows.end(), chosen.i64());
      inputs[at + "cache_rows"] = chosen;
      continue;
    }
    inputs[at + "input_ids"] = run.turns[i].ids;
    inputs[at + "position_ids"] = positions_of(call.batch, call.tokens, run.first_position + call.keys - call.tokens);
    inputs[at + "attention_mask"] = mask_of(run, call.batch, total, call.keys);
    if (run.page_size > 0) inputs[at + "page_table"] = table_of(run, i, call.batch, call.keys);
    wanted.push_back(root_of(i) + "text/lm_head/out");
  }
  add_media(root_of(0) + "vision/image/", run.images, inputs);
  add_media(root_of(0) + "vision/video/", run.videos, inputs);
  Taps found = taps(request, inputs, wanted, walk, run.weights);
  std::vector<Tensor> logits;
  for (const std::string& tap : wanted) logits.push_back(found.at(tap));
  return logits;
}

Tensor Subject::logits(const Run& run, Walk& walk) const {
  const auto parts = turns(run, walk);
  std::vector<TensorView> views;
  for (const Tensor& part : parts) views.push_back(part.view());
  return concatenate(views, 'S');
}

}  // namespace parity::faults
