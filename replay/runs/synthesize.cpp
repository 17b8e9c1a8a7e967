// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/runs/synthesize.hpp"

#include <cmath>

#include "core/random.hpp"
#include "core/text.hpp"
#include "replay/execution/parameters.hpp"

namespace parity::replay {
namespace {

bool ends_with_any(const std::string& name, std::initializer_list<const char*> suffixes) {
  for (const char* suffix : suffixes) {
    if (name.ends_with(suffix)) return true;
  }
  return false;
}

/// Returns the standard deviation for the values of a parameter.
double spread_of(const std::string& name, const Shape& shape) {
  if (shape.size() == 1) return 0.2;  // gains and the correction bias
  if (name.find("embed_tokens") != std::string::npos) return 1.0;
  const double fan_in = std::sqrt(static_cast<double>(shape.back()));
  return (ends_with_any(name, {"gate_proj.weight", "up_proj.weight", "w1.weight", "w3.weight"}) ? 4.0 : 1.5) / fan_in;
}

/// Draws ids of the vocabulary (B, S) for the tap of that name.
Tensor drawn_ids(const Plan& plan, int step, const std::string& tap, uint64_t seed) {
  const AxisSizes& sizes = plan.sizes.at(step);
  Tensor ids(DType::i64, {sizes.at('B'), sizes.at('S')}, "B,S");
  const Random random(seed, tap);
  for (int64_t i = 0; i < ids.view().count(); ++i) {
    ids.i64()[i] = static_cast<int64_t>(random.below(static_cast<uint64_t>(i), static_cast<uint64_t>(sizes.at('V'))));
  }
  return ids;
}

}  // namespace

golden::SyntheticSource synthetic_checkpoint(const Plan& plan, uint64_t seed) {
  std::map<std::string, golden::SyntheticTensor> tensors;
  for (const auto& [weight, info] : plan.weights) {
    PARITY_CHECK(info.held != Held::stored, unsupported,
                 "synthetic weights are not quantised; drop 'quantization_config' from the configuration");
    Shape shape = info.shape;
    shape[0] /= static_cast<int64_t>(info.published.size());
    for (const std::string& pattern : info.published) {
      for (int64_t member = 0; member < std::max<int64_t>(info.members, 1); ++member) {
        const std::string name = member_name(pattern, member);
        const bool kept = ends_with_any(name, {"gate.weight", "e_score_correction_bias"});  // published in binary32
        tensors[name] = {kept && plan.working == DType::bf16 ? DType::f32 : plan.working, shape,
                         spread_of(name, shape)};
      }
    }
  }
  return {seed, std::move(tensors)};
}

std::map<std::string, Tensor> set_drawn_inputs(const Plan& plan, uint64_t seed, FreeRun& run) {
  std::map<std::string, Tensor> all;
  for (const auto& [step, sizes] : plan.sizes) {
    const std::string at = fmt::format("steps/{:03}/tokens/", step);
    auto inputs = run.set_tokens(step, drawn_ids(plan, step, at + "input_ids", seed));
    if (plan.taps.contains(at + "labels")) {
      inputs[at + "labels"] = drawn_ids(plan, step, at + "labels", seed);
      run.set(at + "labels", inputs[at + "labels"]);
    }
    all.merge(inputs);
  }
  return all;
}

void write_synthetic_recording(const Plan& plan, const Registry& registry, const WeightSource& weights, uint64_t seed,
                               golden::ActivationWriter& writer,
                               const std::function<void(size_t, const std::string&)>& progress) {
  FreeRun run(plan, registry, weights);
  for (const auto& [tap, value] : set_drawn_inputs(plan, seed, run))
    writer.write(tap, value.view(), {plan.tap(tap).axes, "input", "input"});
  run.run(plan.sizes.rbegin()->first, [&, done = size_t{0}](const Node& node, const Outcome& outcome) mutable {
    if (progress) progress(++done, node.prefix);
    for (const auto& [field, value] : outcome.outputs) {
      const std::string& tap = node.outputs.at(field).name;
      const TapInfo& info = plan.tap(tap);
      writer.write(tap, convert(value.rounded.view(), plan.dtype_of(info.type)).view(),
                   {info.axes, "output", node.component});
    }
  });
  for (const auto& [alias, tap] : plan.aliases) writer.link(alias, tap);
}

}  // namespace parity::replay
