// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/synthesize.hpp"

#include <cmath>

#include "core/random.hpp"
#include "core/text.hpp"
#include "replay/evaluator.hpp"

namespace parity::replay {
namespace {

bool ends_with_any(const std::string& name, std::initializer_list<const char*> suffixes) {
  for (const char* suffix : suffixes) {
    if (name.ends_with(suffix)) return true;
  }
  return false;
}

/// Standard deviation of a parameter's values.
double spread_of(const std::string& name, const Shape& shape) {
  if (shape.size() == 1) return 0.2;  // gains and the correction bias
  if (name.find("embed_tokens") != std::string::npos) return 1.0;
  const double fan_in = std::sqrt(static_cast<double>(shape.back()));
  return (ends_with_any(name, {"gate_proj.weight", "up_proj.weight", "w1.weight", "w3.weight"}) ? 4.0 : 1.5) / fan_in;
}

Tensor tokens_tap(const TapInfo& info, const std::string& tap, int64_t past, int64_t vocabulary, uint64_t seed) {
  Tensor result(DType::i64, info.shape, info.axes);
  const Random random(seed, tap);
  const int64_t width = info.shape.back();
  for (int64_t i = 0; i < result.view().count(); ++i) {
    const auto drawn = static_cast<int64_t>(random.below(static_cast<uint64_t>(i), static_cast<uint64_t>(vocabulary)));
    result.i64()[i] = tap.ends_with("position_ids") ? past + i % width : tap.ends_with("attention_mask") ? 1 : drawn;
  }
  return result;
}

/// Taps whose last reader is each node.
std::vector<std::vector<std::string>> dying_taps(const Plan& plan) {
  std::map<std::string, size_t> last;
  for (size_t node = 0; node < plan.nodes.size(); ++node) {
    for (const auto& [field, output] : plan.nodes[node].outputs) last[output.name] = node;
    for (const auto& [field, operands] : plan.nodes[node].inputs) {
      for (const Operand& operand : operands) last[operand.name] = node;
    }
  }
  std::vector<std::vector<std::string>> result(plan.nodes.size());
  for (const auto& [tap, node] : last) result[node].push_back(tap);
  return result;
}

void write_inputs(const Plan& plan, uint64_t seed, golden::ActivationWriter& writer, Environment& taps) {
  for (const auto& [tap, info] : plan.taps) {
    if (info.producer >= 0) continue;
    const AxisSizes* sizes = nullptr;
    for (const auto& [step, of_step] : plan.sizes) {
      if (tap.starts_with(fmt::format("steps/{:03}/", step))) sizes = &of_step;
    }
    const Tensor value = tokens_tap(info, tap, sizes->at('K') - sizes->at('S'), sizes->at('V'), seed);
    writer.write(tap, value.view(), {info.axes, "input", "input"});
    taps[tap] = {value, value, {}, {}};
  }
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
      const size_t at = pattern.find("{}");
      for (int64_t member = 0; member < std::max<int64_t>(info.members, 1); ++member) {
        const std::string name =
            at == std::string::npos ? pattern : pattern.substr(0, at) + std::to_string(member) + pattern.substr(at + 2);
        const bool kept = ends_with_any(name, {"gate.weight", "e_score_correction_bias"});  // published in binary32
        tensors[name] = {kept && plan.working == DType::bf16 ? DType::f32 : plan.working, shape,
                         spread_of(name, shape)};
      }
    }
  }
  return {seed, std::move(tensors)};
}

void write_synthetic_recording(const Plan& plan, const Registry& registry, const WeightSource& weights, uint64_t seed,
                               golden::ActivationWriter& writer) {
  const Evaluator evaluator(registry, plan, weights);
  const auto dying = dying_taps(plan);
  Environment taps;
  write_inputs(plan, seed, writer, taps);
  for (size_t index = 0; index < plan.nodes.size(); ++index) {
    const Node& node = plan.nodes[index];
    Outcome outcome = evaluator.run(
        node, taps, [](const std::string&) { return false; }, Evaluator::Lanes::rounded);
    for (auto& [field, value] : outcome.outputs) {
      const std::string& tap = node.outputs.at(field).name;
      const TapInfo& info = plan.tap(tap);
      writer.write(tap, convert(value.rounded.view(), plan.dtype_of(info.type)).view(),
                   {info.axes, "output", node.component});
      taps[tap] = std::move(value);
    }
    for (const std::string& tap : dying[index]) taps.erase(tap);
  }
  for (const auto& [alias, tap] : plan.aliases) writer.link(alias, tap);
}

}  // namespace parity::replay
