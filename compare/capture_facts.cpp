// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/capture_facts.hpp"

namespace parity::compare {
namespace {

constexpr const char* kEager = "eager";

std::string attribute(const golden::ActivationFile& file, const std::string& name, const std::string& otherwise) {
  const auto found = file.attributes().find(name);
  return found == file.attributes().end() || found->second.empty() ? otherwise : found->second;
}

void check_same(const golden::ActivationFile& capture, const std::string& name, const std::string& goldens) {
  const std::string own = attribute(capture, name, goldens);
  PARITY_CHECK(own == goldens, schema, "{}: {} of the capture is '{}', the golden's is '{}'; capture it so",
               capture.path().string(), name, own.substr(0, 40), goldens);
}

}  // namespace

Implementation implementation_of(const golden::Golden& golden) {
  const golden::RootFacts& facts = golden.facts();
  return {facts.attention, facts.experts.empty() ? kEager : facts.experts};
}

Implementation implementation_of(const golden::Golden& golden, const golden::ActivationFile& capture) {
  check_same(capture, "system", golden.facts().system);
  check_same(capture, "dtype", to_string(golden.facts().dtype));
  const Implementation goldens = implementation_of(golden);
  return {attribute(capture, "attention", goldens.attention), attribute(capture, "experts", goldens.experts)};
}

std::string planned_attention(const golden::Golden& golden, const Implementation& implementation) {
  const bool modelled = implementation.attention == kEager || implementation.attention == "sdpa";
  return modelled ? implementation.attention : golden.facts().attention;
}

std::vector<std::string> free_rounding(const Implementation& implementation) {
  std::vector<std::string> components;
  if (implementation.attention != kEager)
    components = {"attention_dense", "attention_block_sparse", "vision_attention"};
  if (implementation.experts != kEager) components.emplace_back("moe_experts");
  return components;
}

}  // namespace parity::compare
