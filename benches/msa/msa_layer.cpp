// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Measures the parts of a layer around attention, at a fraction of the published widths: a projection and the experts.
// With 512 tokens it measures the rate of products, with one token the rate of bytes.
#include <algorithm>
#include <array>
#include <cmath>
#include <list>

#include "benches/msa/msa_table.hpp"
#include "benches/statistics.hpp"
#include "optimized/backends.hpp"
#include "optimized/registry.hpp"
#include "optimized/torch/torch.hpp"

namespace parity::benches {
namespace {

constexpr int64_t kTokens = 512, kRouted = 4;
constexpr int kRounds = 5;

Call projection_call(DType type, uint64_t seed, int64_t tokens) {
  Call call;
  call.component = "linear";
  call.working = type;
  call.sizes = {{'B', 1}, {'S', tokens}, {'H', 6144}, {'F', 2048}};
  call.values("x", "B,S,H", seed);
  call.values("weight", "F,H", seed, 1.0 / std::sqrt(6144.0));
  call.output("out", "B,S,F");
  return call;
}

/// Returns a call of the experts: each expert gets an equal number of tokens, each token four experts. With one token
/// the experts are wide, so that the overhead of a loop over experts weighs no more than at the published widths.
Call experts_call(DType type, uint64_t seed, int64_t tokens) {
  const int64_t experts = tokens == 1 ? kRouted : 16, hidden = tokens == 1 ? 6144 : 3072,
                width = tokens == 1 ? 768 : 512;
  Call call;
  call.component = "moe_experts";
  call.working = type;
  call.sizes = {{'B', 1}, {'S', tokens}, {'N', tokens}, {'H', hidden}, {'F', width}, {'T', kRouted}, {'E', experts}};
  call.values("x", "N,H", seed);
  call.ids("indices", "N,T", [&](int64_t i) { return i % experts; });
  call.numbers("weights", "N,T", TapType::single, [](int64_t i) { return 0.25 + 0.125 * static_cast<double>(i % 3); });
  call.bank("gate_up", "2F,H", experts, seed, 1.0 / std::sqrt(static_cast<double>(hidden)));
  call.bank("down", "H,F", experts, seed + 1, 1.0 / std::sqrt(static_cast<double>(width)));
  call.params = {{"alpha", 1.702}, {"limit", 7.0}, {"linear_offset", 1.0}};
  call.output("out", "N,H");
  return call;
}

/// Measures the work per second of both backends in turns. The rate is 0 without a kernel, or with a wrong one.
void measure(const TableOptions& options, const Call& call, bool cold, double work, double LayerRates::*rate,
             const std::array<LayerRates*, 2>& rates) {
  std::list<Prepared> prepared;
  std::vector<Timed> timed;
  std::vector<LayerRates*> of;
  std::list<JudgedOutputs> judged;
  for (LayerRates* each : rates) {
    const KernelEntry* kernel = kernels_of(options).find(
        call.component, each == rates.front() ? optimized::own_backend() : optimized::library_backend(),
        to_string(call.working));
    if (kernel == nullptr) continue;
    if (const auto wrong = why_wrong(call, kernel->run, distinct_slices(call, options.seed))) {
      each->wrong += fmt::format("{} of {} tokens: {}; ", call.component, call.sizes.at('S'), *wrong);
      continue;
    }
    const Prepared& one = prepared.emplace_back(call, kernel->run);
    judged.emplace_back(call);
    timed.push_back(one.timed());
    if (cold) timed.back().before = [&one] { one.flush(); };
    of.push_back(each);
  }
  std::vector<std::vector<double>> samples;
  {
    const torch_backend::Delivery stay(false);
    samples = interleaved(timed, kRounds, 2);
  }
  auto repeated = prepared.begin();
  auto right = judged.begin();
  for (size_t i = 0; i < of.size(); ++i) {
    of[i]->flushes += repeated->flushes();
    if (const auto changed = (right++)->why_changed(*repeated++)) {
      of[i]->wrong += *changed + "; ";
    } else {
      of[i]->*rate = work / median(samples[i]);
    }
  }
}

}  // namespace

std::vector<Slice> distinct_slices(const Call& call, uint64_t seed) {
  std::vector<Slice> slices;
  for (Slice& slice : slices_of(call, seed)) {
    if (std::find(slices.begin(), slices.end(), slice) == slices.end()) slices.push_back(std::move(slice));
  }
  return slices;
}

void measure_layer(const TableOptions& options, LayerRates& own, LayerRates& torch) {
  const DType type = options.type;
  const uint64_t seed = options.seed;
  const auto measured = [&](const Call& call, bool cold, double work, double LayerRates::*rate) {
    measure(options, call, cold, work, rate, {&own, &torch});
  };
  const auto size = static_cast<double>(size_of(type));
  const auto weights = [](const Call& call) {
    return static_cast<double>(call.sizes.at('H')) * static_cast<double>(call.sizes.at('F'));
  };
  for (const bool one : {false, true}) {
    const int64_t tokens = one ? 1 : kTokens;
    const auto count = static_cast<double>(tokens);
    const Call projection = projection_call(type, seed, tokens), experts = experts_call(type, seed, tokens);
    measured(projection, one, weights(projection) * (one ? size : 2.0 * count),
             one ? &LayerRates::product_bytes : &LayerRates::product_flops);
    measured(experts, one, 3.0 * kRouted * weights(experts) * (one ? size : 2.0 * count),
             one ? &LayerRates::expert_bytes : &LayerRates::expert_flops);
  }
}

}  // namespace parity::benches
