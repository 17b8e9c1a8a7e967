// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Experts of one of several processes, sums over processes, and products computed in two parts.

#include <algorithm>
#include <numeric>

#include "cases/drawn/gated.hpp"
#include "cases/drawn/kernels.hpp"
#include "core/components/collective/all_reduce.hpp"
#include "core/components/experts/moe_combine.hpp"
#include "core/components/experts/moe_experts_preweighted.hpp"
#include "core/components/linear/joined_linear.hpp"

namespace parity::cases {
namespace {

/// Multiplies each half of the input by its half of the weight.
void joined_linear(const JoinedLinear::Inputs& in, const JoinedLinear::Params&, const JoinedLinear::Outputs& out,
                   const JoinedLinear::Points& round, const Arithmetic& math) {
  const auto first = rows_of(in.first.as<double, 2>()), second = rows_of(in.second.as<double, 2>());
  const auto weight = rows_of(in.weight.as<double, 2>());
  const auto y = out.out.as<double, 2>();                                                                      // (N, F)
  for (size_t f = 0; f < weight.size(); ++f) {
    const auto middle = weight[f].begin() + static_cast<int64_t>(weight[f].size() / 2);
    const Row left(weight[f].begin(), middle), right(middle, weight[f].end());
    for (size_t n = 0; n < first.size(); ++n) {
      const float sum = math.dot(second[n], right) + math.dot(first[n], left);
      y(n, f) = at(round.out, at(round.sum, sum));
    }
  }
}

/// Whether an expert of this process computes the slot.
bool is_taken(const MoeExpertsPreweighted::Inputs& in, const MoeExpertsPreweighted::Params& params, int64_t n,
              int64_t e) {
  if (!in.token_mask.empty() && in.token_mask.as<int64_t, 1>()(n) == 0) return false;
  const int64_t most = params.experts == 0 ? in.gate_up->size() - params.first_expert : params.experts;
  return e >= params.first_expert && e - params.first_expert < most && e < in.gate_up->size();
}

/// Returns w swiglu(gate_up x) of one slot.
Row weighted_activation(const Row& x, const std::vector<Row>& gate_up, float weight,
                        const MoeExpertsPreweighted::Params& params, const MoeExpertsPreweighted::Points& round,
                        const Arithmetic& math) {
  Row hidden, result;
  for (const Row& row : gate_up) hidden.push_back(at(round.gate_up, at(round.sum, math.dot(x, row))));
  const size_t width = gate_up.size() / 2;
  for (size_t f = 0; f < width; ++f)
    result.push_back(at(round.activation, gated(hidden[f], hidden[width + f], params, round, math) * weight));
  return result;
}

void clear(const TensorView& output) {
  if (output.empty()) return;
  const auto y = output.as<double, 2>();
  for (int64_t i = 0; i < y.extent[0]; ++i) {
    for (int64_t j = 0; j < y.extent[1]; ++j) y(i, j) = 0.0;
  }
}

void write(const TensorView& output, int64_t n, int64_t t, const Row& row) {
  if (output.empty()) return;
  for (size_t i = 0; i < row.size(); ++i) output.as<double, 3>()(n, t, i) = row[i];
}

void moe_experts_preweighted(const MoeExpertsPreweighted::Inputs& in, const MoeExpertsPreweighted::Params& params,
                             const MoeExpertsPreweighted::Outputs& out, const MoeExpertsPreweighted::Points& round,
                             const Arithmetic& math) {
  const auto x = rows_of(in.x.as<double, 2>());
  const auto indices = in.indices.as<int64_t, 2>();                                                            // (N, T)
  const auto weights = in.weights.as<double, 2>();                                                             // (N, T)
  const auto y = out.sum.as<double, 2>();                                                                      // (N, H)
  clear(out.slot_activation);
  clear(out.slot_weighted);
  for (int64_t n = 0; n < y.extent[0]; ++n) {
    std::vector<Row> terms(static_cast<size_t>(y.extent[1]));
    for (const int64_t t : math.visits(indices.extent[1])) {
      const int64_t e = indices(n, t);
      if (!is_taken(in, params, n, e)) continue;
      const Tensor first = in.gate_up->member(e), second = in.down->member(e);
      const Row active = weighted_activation(x[static_cast<size_t>(n)], rows_of(first.view().as<double, 2>()),
                                             static_cast<float>(weights(n, t)), params, round, math);
      Row result;
      for (const Row& row : rows_of(second.view().as<double, 2>()))
        result.push_back(at(round.down, at(round.sum, math.dot(active, row))));
      for (size_t h = 0; h < result.size(); ++h) terms[h].push_back(result[h]);
      write(out.slot_activation, n, t, active);
      write(out.slot_weighted, n, t, result);
    }
    for (size_t h = 0; h < terms.size(); ++h) y(n, h) = math.sum(terms[h]);
  }
}

/// Adds in the order that the call prescribes.
float sum_of_ranks(std::vector<float> terms, int64_t order, int64_t chunk, const Round& round) {
  const auto ranks = static_cast<int64_t>(terms.size());
  if (order == 1) std::rotate(terms.begin(), terms.begin() + (chunk + 1) % ranks, terms.end());
  if (order == 3) {  // from the rank before the chunk's down to the chunk's
    std::rotate(terms.begin(), terms.begin() + chunk % ranks, terms.end());
    std::reverse(terms.begin(), terms.end());
  }
  for (size_t step = 1; order == 2 && step < terms.size(); step *= 2) {
    for (size_t i = 0; i + step < terms.size(); i += 2 * step) terms[i] = at(round, terms[i] + terms[i + step]);
  }
  if (order == 2) return terms.front();
  return std::accumulate(terms.begin() + 1, terms.end(), terms.front(),
                         [&](float sum, float term) { return static_cast<float>(at(round, sum + term)); });
}

void all_reduce(const AllReduce::Inputs& in, const AllReduce::Params& params, const AllReduce::Outputs& out,
                const AllReduce::Points& round, const Arithmetic&) {
  const auto y = out.out.as<double, 2>();                                                                      // (N, H)
  const int64_t count = y.extent[0] * y.extent[1], ranks = static_cast<int64_t>(in.parts.size());
  const int64_t whole = params.order == 3 ? 8 / size_of(round.sum.target()) : 1;  // chunks are of 8 bytes, 16, …
  const int64_t length = ((count + ranks - 1) / ranks + whole - 1) / whole * whole;
  for (int64_t i = 0; i < count; ++i) {
    std::vector<float> terms;
    for (const TensorView& part : in.parts) terms.push_back(static_cast<float>(part.value(i)));
    y(i / y.extent[1], i % y.extent[1]) = sum_of_ranks(terms, params.order, i / length, round.sum);
  }
}

void moe_combine(const MoeCombine::Inputs& in, const MoeCombine::Params& params, const MoeCombine::Outputs& out,
                 const MoeCombine::Points& round, const Arithmetic& math) {
  const auto y = out.out.as<double, 2>();                                                                      // (N, H)
  const auto factor = static_cast<float>(params.scaling);
  const bool rounds = round.scaled.precision == Precision::working && round.scaled.working != DType::f32;
  for (int64_t i = 0; i < y.extent[0] * y.extent[1]; ++i) {
    double& result = y(i / y.extent[1], i % y.extent[1]);
    const auto routed = static_cast<float>(in.routed.value(i));
    const float scaled = at(round.scaled, routed * factor);
    result = scaled;
    if (in.shared.empty()) continue;
    const auto shared = static_cast<float>(in.shared.value(i));
    result = at(round.out, rounds ? shared + scaled : math.multiply_add(routed, factor, shared));
  }
}

}  // namespace

void add_process_kernels(CorrectKernels& kernels) {
  kernels["joined_linear"] = correct_kernel<JoinedLinear>(joined_linear);
  kernels["moe_experts_preweighted"] = correct_kernel<MoeExpertsPreweighted>(moe_experts_preweighted);
  kernels["all_reduce"] = correct_kernel<AllReduce>(all_reduce);
  kernels["moe_combine"] = correct_kernel<MoeCombine>(moe_combine);
}

}  // namespace parity::cases
