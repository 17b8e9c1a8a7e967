// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/capture_inputs.hpp"

#include <algorithm>
#include <cstring>

namespace parity::compare {
namespace {

bool same_dataset(const golden::ActivationFile& a, const golden::ActivationFile& b, const std::string& path) {
  if (a.at(path).text != b.at(path).text) return false;
  if (a.at(path).text) return a.read_texts(path) == b.read_texts(path);
  const Tensor ours = a.read(path);
  Tensor theirs = b.read(path);
  if (ours.dtype() == DType::i64 && theirs.dtype() == DType::i32) theirs = convert(theirs.view(), DType::i64);
  return ours.shape() == theirs.shape() && ours.dtype() == theirs.dtype() &&
         std::memcmp(ours.view().data, theirs.view().data, static_cast<size_t>(ours.bytes())) == 0;
}

/// Checks that the processors had the golden's inputs, which replace tokens in such a recording.
void check_same_inputs(const golden::Golden& golden, const golden::ActivationFile& capture) {
  for (const golden::DatasetInfo& info : golden.activations().datasets()) {
    if (!info.path.starts_with("processor/") || info.role != "input") continue;
    PARITY_CHECK(same_dataset(golden.activations(), capture, info.path), schema,
                 "{} of the capture differs from the golden's; run your engine on the golden's inputs", info.path);
  }
}

}  // namespace

void check_same_tokens(const golden::Golden& golden, const golden::ActivationFile& capture,
                       const std::vector<std::string>& without) {
  check_same_inputs(golden, capture);
  std::vector<std::string> taps;
  for (const golden::StepInfo& step : golden.steps()) {
    if (std::find(without.begin(), without.end(), step.id) != without.end()) continue;
    if (step.has_tokens) taps.push_back(step.tap("tokens/input_ids"));
    for (const char* name :
         {"tokens/position_ids", "tokens/attention_mask", "tokens/padding_mask", "tokens/seq_idx",
          "tokens/second_input_ids", "tokens/labels", "tokens/start_positions", "tokens/end_positions"}) {
      if (step.has_tokens && golden.activations().contains(step.tap(name))) taps.push_back(step.tap(name));
    }
    for (const char* name :
         {"vision/image/pixel_values", "vision/image/grid_thw", "vision/video/pixel_values", "vision/video/grid_thw"}) {
      if (golden.activations().contains(step.tap(name))) taps.push_back(step.tap(name));
    }
    if (step.cache_rows) taps.push_back(step.tap("tokens/cache_rows"));
  }
  for (const golden::DatasetInfo& dataset : golden.activations().datasets()) {
    if (dataset.path.starts_with("ranks/") && dataset.path.find("/tokens/") != std::string::npos)
      taps.push_back(dataset.path);
  }
  for (const std::string& tap : taps) {
    PARITY_CHECK(capture.contains(tap), not_found,
                 "{}: {} is missing: a capture must contain the inputs of every call that not_computed_calls does not "
                 "list; start from `parity capture init`",
                 capture.path().string(), tap);
    PARITY_CHECK(same_dataset(golden.activations(), capture, tap), schema,
                 "{} of the capture differs from the golden's; run your engine on the golden's calls", tap);
  }
}

}  // namespace parity::compare
