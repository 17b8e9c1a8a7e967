// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/subject.hpp"

#include <algorithm>

#include "core/plans/profile.hpp"
#include "core/plans/systems.hpp"
#include "core/random.hpp"
#include "faults/edit.hpp"
#include "replay/free_run.hpp"
#include "replay/synthesize.hpp"

namespace parity::faults {
namespace {

std::string newest_profile(const std::string& system) {
  std::string name;
  for (const Profile& profile : profiles()) {
    if (profile.system == system && profile.name.starts_with("hf-")) name = profile.name;
  }
  return name;
}

/// Columns [first, first + length) of (B, S) ids.
Tensor columns(const Tensor& ids, int64_t first, int64_t length) {
  return convert(slice(ids.view(), 'S', first, length), DType::i64);
}

/// Ones, but for the last tokens of each sequence, over the slots up to `keys`.
Tensor mask_of(const Calls& calls, int64_t batch, int64_t total, int64_t keys) {
  Tensor mask(DType::i64, {batch, keys}, "B,K");
  for (int64_t b = 0; b < batch; ++b) {
    const int64_t real = calls.hidden.empty() ? total : total - calls.hidden[static_cast<size_t>(b)];
    for (int64_t k = 0; k < keys; ++k) mask.i64()[b * keys + k] = k < real ? 1 : 0;
  }
  return mask;
}

}  // namespace

Subject::Subject(nlohmann::json config, uint64_t seed, const Fault* fault)
    : config_(std::move(config)), seed_(seed), fault_(fault), system_(system_of(config_).name) {
  profile_ = newest_profile(system_);
  const Plan plan = plan_of(Tensor(DType::i64, {1, 2}, "B,S"), {2});
  sizes_ = plan.sizes.begin()->second;
  words_ = sizes_.at('V');
}

Plan Subject::plan_of(const Tensor& ids, const std::vector<int64_t>& lengths) const {
  std::vector<Call> calls;
  int64_t keys = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    keys += lengths[i];
    calls.push_back({fmt::format("{:03}", i), ids.shape()[0], lengths[i], keys});
  }
  return build_plan(system_, config_, {profile_, "eager", DType::f32, calls});
}

bool Subject::concerned() const {
  return fault_ == nullptr || applied(*fault_, plan_of(Tensor(DType::i64, {1, 4}, "B,S"), {3, 1})).has_value();
}

Tensor Subject::tokens(int64_t batch, int64_t count, uint64_t seed) const {
  Tensor ids(DType::i64, {batch, count}, "B,S");
  const Random random(seed, "relations");
  for (int64_t i = 0; i < batch * count; ++i)
    ids.i64()[i] = static_cast<int64_t>(random.below(static_cast<uint64_t>(i), static_cast<uint64_t>(words_)));
  return ids;
}

Tensor Subject::logits(const Calls& calls) const {
  const int64_t batch = calls.ids.shape()[0];
  const int64_t total = calls.ids.shape()[1];
  const std::vector<int64_t> lengths = calls.lengths.empty() ? std::vector<int64_t>{total} : calls.lengths;
  const Plan plan = plan_of(calls.ids, lengths);
  const auto drawn = replay::synthetic_checkpoint(plan, seed_);
  const auto edited = fault_ == nullptr ? std::nullopt : applied(*fault_, plan);
  const EditedWeights read_otherwise(drawn, calls.weights);
  const EditedWeights misread(read_otherwise, edited ? edited->weights : std::vector<MapWeight>{});
  replay::FreeRun run(edited ? edited->plan : plan, edited ? *edited->registry : registry(), misread);
  std::vector<Tensor> parts;
  int64_t first = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    const int step = static_cast<int>(i);
    const std::string at = fmt::format("steps/{:03}/", step);
    static_cast<void>(run.set_tokens(step, columns(calls.ids, first, lengths[i])));
    Tensor positions(DType::i64, {batch, lengths[i]}, "B,S");
    for (int64_t p = 0; p < batch * lengths[i]; ++p) positions.i64()[p] = calls.first_position + first + p % lengths[i];
    if (plan.taps.contains(at + "tokens/position_ids")) run.set(at + "tokens/position_ids", positions);
    first += lengths[i];
    if (plan.taps.contains(at + "tokens/attention_mask"))
      run.set(at + "tokens/attention_mask", mask_of(calls, batch, total, first));
    run.run(step, [&](const Node& node, const replay::Outcome& outcome) {
      for (const auto& [field, value] : outcome.outputs) {
        if (node.outputs.at(field).name == at + "text/lm_head/out") parts.push_back(value.rounded);
      }
    });
  }
  std::vector<TensorView> views;
  for (const Tensor& part : parts) views.push_back(part.view());
  PARITY_CHECK(!views.empty(), internal, "the model has no logits");
  return concatenate(views, 'S');
}

}  // namespace parity::faults
