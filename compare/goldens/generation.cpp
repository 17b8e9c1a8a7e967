// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/goldens/generation.hpp"

#include <nlohmann/json.hpp>

#include "core/plans/config_reader.hpp"
#include "core/plans/systems.hpp"
#include "golden/files/safetensors.hpp"
#include "golden/files/strict_json.hpp"
#include "golden/sources/decoded_source.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"
#include "replay/runs/generate.hpp"

namespace parity::compare {
namespace {

using nlohmann::json;
using TokenRows = std::vector<std::vector<int64_t>>;

constexpr int64_t kMostTokens = 65536;

std::string text_at(const json& request, const char* key, const std::string& fallback) {
  const auto found = request.find(key);
  if (found == request.end()) return fallback;
  PARITY_CHECK(found->is_string(), schema, "key '{}' is {}; expected a string", key, found->dump());
  return found->get<std::string>();
}

/// Reads one list of ids per sequence. All lists must have the same length.
TokenRows ids_at(const json& request, const char* key) {
  TokenRows result;
  const auto found = request.find(key);
  const bool lists = found != request.end() && found->is_array() && !found->empty();
  PARITY_CHECK(lists, schema, "key '{}' is missing or not a list; expected a list of ids per sequence", key);
  for (const json& row : *found) {
    const bool numbers = row.is_array() && !row.empty() &&
                         std::all_of(row.begin(), row.end(), [](const json& id) { return id.is_number_integer(); });
    PARITY_CHECK(numbers, schema, "key '{}' holds {}; expected lists of whole numbers", key, row.dump().substr(0, 80));
    result.push_back(row.get<std::vector<int64_t>>());
    PARITY_CHECK(result.back().size() == result.front().size(), schema,
                 "key '{}': sequences of {} and {} tokens; they must be of equal length", key, result.front().size(),
                 result.back().size());
  }
  return result;
}

DType dtype_at(const json& request) {
  const std::string name = text_at(request, "dtype", "f32");
  const auto dtype = parse_dtype(name);
  PARITY_CHECK(dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64, schema,
               "key 'dtype' is '{}'; expected bf16, f32 or f64", name);
  return *dtype;
}

Tensor prompt_of(const TokenRows& ids) {
  const auto width = static_cast<int64_t>(ids.front().size());
  Tensor prompt(DType::i64, {static_cast<int64_t>(ids.size()), width}, "B,S");
  int64_t* target = prompt.i64();
  for (const auto& row : ids) target = std::copy(row.begin(), row.end(), target);
  return prompt;
}

void compare_tokens(const TokenRows& recorded, GenerationReport& report) {
  report.recorded = static_cast<int64_t>(recorded.front().size());
  for (size_t b = 0; b < recorded.size(); ++b) {
    const auto [theirs, ours] = std::mismatch(recorded[b].begin(), recorded[b].end(), report.tokens[b].begin());
    if (theirs == recorded[b].end()) continue;
    report.wrong.push_back({static_cast<int64_t>(b), theirs - recorded[b].begin(), *theirs, *ours});
  }
}

GenerationReport generate_from(const json& request, const std::filesystem::path& folder) {
  const TokenRows prompt = ids_at(request, "prompt");
  const TokenRows recorded = request.contains("count") ? TokenRows() : ids_at(request, "tokens");
  int64_t count = recorded.empty() ? 0 : static_cast<int64_t>(recorded.front().size());
  ConfigReader(request).integer("count", count, 1, kMostTokens);
  PARITY_CHECK(recorded.empty() || recorded.size() == prompt.size(), schema,
               "key 'prompt' has {} sequences, but key 'tokens' has {}; both must have the same number", prompt.size(),
               recorded.size());
  const std::filesystem::path checkpoint = folder / text_at(request, "checkpoint", ".");
  const json config = golden::read_json(checkpoint / "config.json");
  const auto stored = golden::SafetensorsSource::open(checkpoint);
  const golden::DecodedSource decoded(stored);
  const ConfigReader keys(config);
  const WeightSource& weights =
      keys.present("quantization_config") == nullptr ? static_cast<const WeightSource&>(stored) : decoded;
  PlanRequest plan_request{
      text_at(request, "profile", "hf-5.12.0"), text_at(request, "attention", "eager"), dtype_at(request),
      prefill_and_decode(static_cast<int64_t>(prompt.size()), static_cast<int64_t>(prompt.front().size()), count - 1),
      replay::stores_decays(weights)};
  const System& system = system_of(config);
  const Plan plan = build_plan(system.name, config, plan_request);
  const auto generation = replay::generate(plan, reference::registry(), weights, prompt_of(prompt));
  GenerationReport report{text_at(request, "oracle", ""), plan_request.profile, {}, 0, {}, generation.smallest_lead};
  const int64_t* ids = generation.tokens.i64();
  for (size_t b = 0; b < prompt.size(); ++b, ids += count) report.tokens.emplace_back(ids, ids + count);
  if (!recorded.empty()) compare_tokens(recorded, report);
  return report;
}

}  // namespace

GenerationReport run_generation(const std::filesystem::path& file) {
  const json request = golden::read_json(file);
  return with_context(file.string(), [&] {
    PARITY_CHECK(request.is_object(), schema, "the file is not a JSON object");
    return generate_from(request, file.parent_path());
  });
}

}  // namespace parity::compare
