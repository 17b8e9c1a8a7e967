// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/capture_facts.hpp"

#include <algorithm>
#include <array>
#include <set>

#include <fmt/ranges.h>

#include "core/sharding/rank_names.hpp"
#include "golden/files/sha256.hpp"
#include "golden/files/strict_json.hpp"
#include "reference/reference.hpp"

namespace parity::compare {
namespace {

constexpr const char* kEager = "eager";

std::string attribute(const golden::ActivationFile& file, const std::string& name, const std::string& otherwise) {
  const auto found = file.attributes().find(name);
  return found == file.attributes().end() || found->second.empty() ? otherwise : found->second;
}

void check_same(const golden::ActivationFile& capture, const std::string& name, const std::string& goldens) {
  const std::string own = attribute(capture, name, goldens);
  PARITY_CHECK(
      own == goldens, schema,
      "{}: attribute {} of the capture is '{}', that of the golden is '{}'; run your engine as the golden was recorded",
      capture.path().string(), name, own.substr(0, 40), goldens);
}

/// Checks that the capture's profile is the golden's or `asked`. Another profile is another model.
void check_profile(const golden::Golden& golden, const golden::ActivationFile& capture, const std::string& asked) {
  const std::string& goldens = golden.facts().profile;
  const std::string own = attribute(capture, "profile", goldens);
  PARITY_CHECK(own == goldens || own == asked, schema,
               "{}: profile of the capture is '{}', that of the golden is '{}'; run your engine by the golden's "
               "profile, or judge with --profile",
               capture.path().string(), own.substr(0, 40), goldens);
}

/// Implementation names that a capture may state. `other` is any implementation not listed; its rounding is free.
constexpr std::array kAttentions{"eager", "sdpa", "flash_attention_2", "flash_attention_3", "flex_attention", "other"};
constexpr std::array kExperts{"eager", "grouped_mm", "batched_mm", "other"};

/// Refuses an unknown implementation name: a misspelt name would lift the rules for rounding.
template <class Known>
std::string checked_implementation(const golden::ActivationFile& capture, const std::string& name,
                                   const std::string& goldens, const Known& known) {
  const std::string own = attribute(capture, name, goldens);
  PARITY_CHECK(own == goldens || std::find(known.begin(), known.end(), own) != known.end(), schema,
               "{}: {} of the capture is '{}'; use {}", capture.path().string(), name, own.substr(0, 40),
               fmt::join(known, ", "));
  return own;
}

/// Returns the configuration without the keys that only identify the program that wrote it.
nlohmann::json without_writers(nlohmann::json config) {
  if (!config.is_object()) return config;
  for (const char* key : {"transformers_version", "_name_or_path"}) config.erase(key);
  for (auto& [key, value] : config.items()) value = without_writers(std::move(value));
  return config;
}

void check_same_config(const golden::Golden& golden, const golden::ActivationFile& capture) {
  const golden::DatasetInfo* recorded = capture.find("config");
  if (recorded == nullptr || !recorded->text) return;
  const auto theirs = with_context(capture.path().string() + ": dataset config",
                                   [&] { return golden::parse_json(capture.read_text("config")); });
  const std::string difference = golden::first_difference(without_writers(golden.config()), without_writers(theirs));
  PARITY_CHECK(difference.empty(), schema,
               "{}: the dataset config differs from the golden's at {}; run your engine on the golden's model",
               capture.path().string(), difference);
}

/// Returns the call of a path: "steps/003" for "steps/003/text/embed/out".
std::string call_of(const std::string& path) {
  constexpr std::string_view kSteps = "steps/";
  return path.starts_with(kSteps) ? path.substr(0, path.find('/', kSteps.size())) : std::string();
}

}  // namespace

void check_same_run(const golden::Golden& golden, const golden::ActivationFile& capture, const std::string& profile) {
  golden::check_format(capture);
  check_profile(golden, capture, profile);
  constexpr const char* kLeft = "run your engine on this golden";
  const auto check = [&](const char* name, const std::string& wanted) {
    const std::string own = attribute(capture, name, wanted);
    PARITY_CHECK(own == wanted, schema, "{}: attribute {} of the capture is '{}', that of this golden is '{}'; {}",
                 capture.path().string(), name, own.substr(0, 64), wanted, kLeft);
  };
  check("golden", golden.name());
  check("seed", attribute(golden.activations(), "seed", attribute(capture, "seed", "")));
  if (!attribute(capture, "golden_sha256", "").empty())
    check("golden_sha256", golden::sha256_of_file(golden.activations().path()));
  check_same_config(golden, capture);
  std::set<std::string> calls;
  for (const golden::DatasetInfo& dataset : golden.activations().datasets()) calls.insert(call_of(dataset.path));
  for (const golden::DatasetInfo& dataset : capture.datasets()) {
    const std::string call = call_of(dataset.path);
    PARITY_CHECK(call.empty() || calls.contains(call), schema, "{}: the capture has {}, but the golden has no {}; {}",
                 capture.path().string(), dataset.path, call, kLeft);
  }
}

void check_same_layout(const golden::ActivationFile& capture, const Layout& layout) {
  const std::string stated = attribute(capture, "layout", "");
  if (stated.empty()) return;  // of one process, or a file without a statement
  const std::string own = with_context(capture.path().string(), [&] { return parse_layout(stated).text(); });
  std::string options;
  for (const auto& [name, ranks] : parse_layout(stated).dimensions())
    options += ranks > 1 ? fmt::format(" --{} {}", name, ranks) : "";
  if (const Layout of = parse_layout(stated); of.dispatches()) options += " --dispatch " + of.dispatch;
  PARITY_CHECK(own == layout.text(), schema, "{}: the capture's layout is '{}', but this run's is '{}'; judge it {}",
               capture.path().string(), own, layout.text(),
               options.empty() ? "without layout options such as --tp" : "with" + options);
}

Implementation implementation_of(const golden::Golden& golden) {
  const golden::RootFacts& facts = golden.facts();
  return {facts.attention, facts.experts.empty() ? kEager : facts.experts};
}

Implementation implementation_of(const golden::Golden& golden, const golden::ActivationFile& capture) {
  check_same(capture, "system", golden.facts().system);
  check_same(capture, "dtype", to_string(golden.facts().dtype));
  const Implementation goldens = implementation_of(golden);
  return {checked_implementation(capture, "attention", goldens.attention, kAttentions),
          checked_implementation(capture, "experts", goldens.experts, kExperts)};
}

std::string planned_attention(const golden::Golden& golden, const Implementation& implementation) {
  const bool modelled = implementation.attention == kEager || implementation.attention == "sdpa";
  return modelled ? implementation.attention : golden.facts().attention;
}

std::vector<std::string> free_rounding(const Implementation& implementation) {
  std::vector<std::string> components;
  for (const std::string& name : reference::registry().components()) {
    const std::string part = reference::registry().component(name).traits.part;
    const bool own = (part == "attention" && implementation.attention != kEager) ||
                     (part == "experts" && implementation.experts != kEager);
    if (own) components.push_back(name);
  }
  return components;
}

}  // namespace parity::compare
