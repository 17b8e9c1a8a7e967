// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "golden/files/one_line.hpp"
#include "golden/golden.hpp"
#include "golden/sources/given_caches.hpp"

namespace parity::golden {
namespace {

constexpr std::array kKinds{StepKind::prefill, StepKind::decode, StepKind::chunk, StepKind::vision, StepKind::cache};

StepKind parse_kind(const std::string& text) {
  for (const StepKind kind : kKinds) {
    if (text == to_string(kind)) return kind;
  }
  throw Error(
      ErrorCode::schema,
      fmt::format("attribute kind is '{}', not prefill, decode, chunk, vision or cache; record the golden again",
                  one_line(text, 40)));
}

const DatasetInfo& obligatory_tap(const ActivationFile& file, const std::string& path) {
  const DatasetInfo* found = file.find(path);
  PARITY_CHECK(found != nullptr, not_found, "required tap {} is missing; record the golden again", path);
  PARITY_CHECK(!found->text && found->dtype == DType::i64, schema,
               "required tap {} is {}, expected i64; record the golden again", path,
               found->text ? "text" : to_string(found->dtype));
  return *found;
}

bool starts(const ActivationFile& file, const std::string& prefix, const std::string& ending) {
  return std::any_of(file.datasets().begin(), file.datasets().end(), [&](const DatasetInfo& info) {
    return info.path.starts_with(prefix) && info.path.ends_with(ending);
  });
}

/// Reads B and S from input_ids, and K from the mask; an independent step without a mask has K = S.
void read_tokens(const ActivationFile& file, StepInfo& step) {
  const DatasetInfo& ids = obligatory_tap(file, step.tap("tokens/input_ids"));
  PARITY_CHECK(ids.shape.size() == 2 && element_count(ids.shape) > 0, schema,
               "required tap {} has shape {}, expected [B,S] (sequences, tokens); record the golden again", ids.path,
               to_string(ids.shape));
  step.B = ids.shape[0];
  step.S = ids.shape[1];
  step.K = step.S;
  const auto expected = [&](const char* name) { return !step.independent || file.contains(step.tap(name)); };
  if (expected("tokens/position_ids")) {
    const DatasetInfo& positions = obligatory_tap(file, step.tap("tokens/position_ids"));
    PARITY_CHECK(positions.shape == ids.shape, schema,
                 "required tap {} has shape {}, input_ids has {}; record the golden again", positions.path,
                 to_string(positions.shape), to_string(ids.shape));
  }
  if (expected("tokens/attention_mask")) {
    const DatasetInfo& mask = obligatory_tap(file, step.tap("tokens/attention_mask"));
    const bool flat = mask.shape.size() == 2 || (step.independent && mask.shape.size() == 4);  // [B,K] or [B,1,S,K]
    PARITY_CHECK(
        flat && mask.shape.front() == step.B && mask.shape.back() >= step.S, schema,
        "required tap {} has shape {}, expected [B,K] with B = {} sequences and K >= {} slots; record the golden again",
        mask.path, to_string(mask.shape), step.B, step.S);
    step.K = mask.shape.back();
  }
  step.has_labels = file.contains(step.tap("tokens/labels")) || file.contains(step.tap("tokens/start_positions"));
}

/// Reads an edit: rows from their dataset, a crop from the attribute. follow_edits sets batch and slots.
void read_edits(const ActivationFile& file, const Attributes& attributes, StepInfo& step) {
  step.has_tokens = false;
  const auto edit = attributes.find("edit");
  if (edit != attributes.end() && edit->second == "given") return read_given(file, step);
  step.cache_rows = file.contains(step.tap("tokens/cache_rows"));
  if (step.cache_rows) {
    const DatasetInfo& rows = obligatory_tap(file, step.tap("tokens/cache_rows"));
    PARITY_CHECK(rows.shape.size() == 1 && rows.shape[0] > 0, schema,
                 "tap {} has shape {}, expected [B] (sequences); record the golden again", rows.path,
                 to_string(rows.shape));
    step.B = rows.shape[0];
  }
  step.reorder = edit != attributes.end() && edit->second == "reorder";
  const auto crop = attributes.find("crop");
  if (crop != attributes.end())
    std::from_chars(crop->second.data(), crop->second.data() + crop->second.size(), step.crop);
  PARITY_CHECK(
      step.cache_rows || step.crop != 0, schema,
      "a step of kind cache has neither tokens/cache_rows nor an attribute crop other than 0; record the golden again");
}

/// Sets the batch and the slots after each edit, from the steps before it.
void follow_edits(std::vector<StepInfo>& steps) {
  int64_t batch = 0;
  int64_t slots = 0;
  for (StepInfo& step : steps) {
    if (step.kind == StepKind::cache && !gives_caches(step)) {
      step.B = step.cache_rows ? step.B : batch;
      step.K = step.crop > 0 ? std::min(step.crop, slots) : slots + step.crop;
      PARITY_CHECK(
          step.B > 0 && step.K > 0, schema,
          "steps/{}: the edit removes everything from a cache of {} rows and {} slots; record the golden again",
          step.id, batch, slots);
    }
    batch = step.B;
    slots = step.K;
  }
}

StepInfo read_step(const ActivationFile& file, const std::string& id) {
  StepInfo step;
  step.id = id;
  const Attributes& attributes = file.group_attributes("steps/" + id);
  const auto kind = attributes.find("kind");
  PARITY_CHECK(kind != attributes.end(), schema, "the group has no attribute kind; record the golden again");
  step.kind = parse_kind(kind->second);
  if (step.kind == StepKind::cache) {
    read_edits(file, attributes, step);
    return step;
  }
  const auto independent = attributes.find("independent");
  step.independent = independent != attributes.end() && independent->second == "1";
  // A call without any text tap runs only the vision tower.
  const bool tower = starts(file, step.tap("vision/"), "/pixel_values") && !starts(file, step.tap("text/"), "") &&
                     !starts(file, step.tap("tokens/"), "");
  step.has_tokens = step.kind != StepKind::vision && !tower;
  if (step.has_tokens) {
    read_tokens(file, step);
  } else {
    PARITY_CHECK(tower, not_found, "required tap {} is missing; record the golden again",
                 step.tap("vision/image/pixel_values"));
  }
  return step;
}

}  // namespace

const char* to_string(StepKind kind) {
  switch (kind) {
    case StepKind::prefill:
      return "prefill";
    case StepKind::decode:
      return "decode";
    case StepKind::chunk:
      return "chunk";
    case StepKind::vision:
      return "vision";
    case StepKind::cache:
      return "cache";
  }
  return "unknown";
}

std::vector<StepInfo> read_steps(const ActivationFile& file) {
  std::vector<StepInfo> steps;
  for (const auto& [group, attributes] : file.groups()) {  // in alphabetical order
    if (!group.starts_with("steps/") || group.find('/', 6) != std::string::npos) continue;
    const std::string id = group.substr(6);
    const bool digits = std::all_of(id.begin(), id.end(), [](unsigned char c) { return std::isdigit(c) != 0; });
    PARITY_CHECK(id.size() == 3 && digits, schema, "{}: group {} is not named by three digits; record the golden again",
                 file.path().string(), group);
    steps.push_back(with_context(file.path().string() + ": " + group, [&] { return read_step(file, id); }));
  }
  const bool processor = file.groups().contains("processor");
  PARITY_CHECK(processor || !steps.empty(), not_found,
               "{}: required tap steps/000/tokens/input_ids is missing; record the golden again", file.path().string());
  with_context(file.path().string(), [&] { follow_edits(steps); });
  const int64_t length = static_length(file);
  for (StepInfo& step : steps) step.slots = length > 0 ? length : step.K;
  return steps;
}

}  // namespace parity::golden
