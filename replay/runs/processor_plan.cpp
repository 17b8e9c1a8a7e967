// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/runs/processor_plan.hpp"

#include <charconv>

#include "core/plans/m3/m3_processor.hpp"
#include "golden/files/strict_json.hpp"

namespace parity::replay {
namespace {

constexpr const char* kRoot = "processor/";

/// Returns the numbers NN of the groups "processor/<folder>/NN".
std::vector<std::string> numbered(const golden::ActivationFile& file, const std::string& folder) {
  std::vector<std::string> ids;
  const std::string root = kRoot + folder + "/";
  for (const auto& [group, attributes] : file.groups()) {
    if (group.starts_with(root) && group.find('/', root.size()) == std::string::npos)
      ids.push_back(group.substr(root.size()));
  }
  return ids;
}

int64_t attribute(const golden::DatasetInfo& info, const char* name, int64_t fallback) {
  const auto found = info.attributes.find(name);
  if (found == info.attributes.end()) return fallback;
  const std::string& text = found->second;
  int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  PARITY_CHECK(error == std::errc() && end == text.data() + text.size(), schema,
               "{}: attribute {} is not a number; record the golden again", info.path, name);
  return value;
}

std::vector<RawMedium> media_of(const golden::ActivationFile& file, const std::string& folder) {
  std::vector<RawMedium> media;
  for (const std::string& id : numbered(file, folder)) {
    const golden::DatasetInfo& in = file.at(kRoot + folder + "/" + id + "/in");
    media.push_back({id, in.shape, attribute(in, "do_resize", 1) != 0, attribute(in, "max_pixels", 0)});
  }
  return media;
}

int64_t rows_of(const golden::ActivationFile& file, const std::string& path) {
  const golden::DatasetInfo* found = file.find(path);
  if (found == nullptr) return 0;
  PARITY_CHECK(!found->shape.empty(), schema, "dataset {} is a scalar, expected rows; record the golden again", path);
  return found->shape.front();
}

/// Returns the number of rows of a recorded grid, or else the number that follows from the sizes.
int64_t rows_of_grid(const golden::Golden& golden, const std::string& profile, const std::string& grid,
                     const std::string& sizes, bool resize, int64_t most_pixels) {
  const golden::ActivationFile& file = golden.activations();
  if (file.contains(grid)) return rows_of(file, grid);
  return grid_rows(golden.config(), profile, widen(file.read(sizes)).view(), resize, most_pixels);
}

std::vector<SizeTable> grids_of(const golden::Golden& golden, const std::string& profile) {
  const golden::ActivationFile& file = golden.activations();
  std::vector<SizeTable> tables;
  for (const std::string& id : numbered(file, "grids")) {
    const std::string at = kRoot + ("grids/" + id) + "/";
    const golden::DatasetInfo& sizes = file.at(at + "sizes");
    PARITY_CHECK(sizes.shape.size() == 2, schema,
                 "{} has shape {}; expected two axes, with a row of sizes for each image or video", sizes.path,
                 parity::to_string(sizes.shape));
    const bool resize = attribute(sizes, "do_resize", 1) != 0;
    const int64_t most = attribute(sizes, "max_pixels", 0);
    const int64_t rows = rows_of_grid(golden, profile, at + "grid_thw", at + "sizes", resize, most);
    tables.push_back({id, sizes.shape[1] == 3, sizes.shape[0], rows, resize, most});
  }
  return tables;
}

/// Returns the number of bytes of all texts of a dataset, with a NUL between any two.
int64_t bytes_of(const golden::ActivationFile& file, const std::string& path) {
  int64_t bytes = -1;
  for (const std::string& text : file.read_texts(path)) bytes += 1 + static_cast<int64_t>(text.size());
  return bytes;
}

RawPrompt prompt_of(const golden::Golden& golden, const std::string& profile, const std::string& id) {
  const golden::ActivationFile& file = golden.activations();
  const std::string at = kRoot + ("prompts/" + id) + "/";
  RawPrompt prompt;
  prompt.id = id;
  prompt.bytes = bytes_of(file, at + "text");
  prompt.expanded = file.contains(at + "expanded") ? bytes_of(file, at + "expanded") : -1;
  prompt.tokens = -1;
  for (const char* tap : {"mm_token_type_ids", "input_ids"}) {
    if (file.contains(at + tap)) prompt.tokens = element_count(file.at(at + tap).shape);
  }
  prompt.images = rows_of(file, at + "image_sizes");
  prompt.videos = rows_of(file, at + "video_sizes");
  if (prompt.videos > 0)
    prompt.video_rows = rows_of_grid(golden, profile, at + "video_grid_thw", at + "video_sizes", false, 0);
  prompt.types = file.contains(at + "mm_token_type_ids");
  for (int64_t v = 0; v < prompt.videos; ++v) {
    const std::string frames = fmt::format("{}video_{}_frames_indices", at, v);
    if (file.contains(frames)) prompt.frames.push_back(rows_of(file, frames));
  }
  return prompt;
}

/// Reads tokenizer ids: that of a space, which the printable characters follow in order, and the unknown token's.
void read_tokenizer(const golden::Golden& golden, ProcessorRequest& request) {
  const auto path = golden.checkpoint() / "tokenizer.json";
  const nlohmann::json tokenizer = golden::read_json(path);
  const auto vocabulary = nlohmann::json::json_pointer("/model/vocab");
  const nlohmann::json characters =
      tokenizer.contains(vocabulary) ? tokenizer.at(vocabulary) : nlohmann::json::object();
  const auto id_of = [&](const std::string& text) {
    const auto found = characters.find(text);
    return found != characters.end() && found->is_number_integer() ? found->get<int64_t>() : int64_t{-1};
  };
  request.space_id = id_of(" ");
  request.unknown_id = id_of("<unk>");
  bool simple = characters.is_object() && request.space_id >= 0 && request.unknown_id >= 0;
  for (char c = ' '; c <= '~' && simple; ++c) simple = id_of(std::string(1, c)) == request.space_id + (c - ' ');
  PARITY_CHECK(
      simple, unsupported,
      "{}: unsupported tokenizer; expected <unk> and one token for each printable ASCII character, in ASCII order",
      path.string());
}

}  // namespace

bool is_processor_golden(const golden::Golden& golden) {
  return golden.steps().empty() && golden.activations().groups().contains("processor");
}

Plan processor_plan_of(const golden::Golden& golden, const std::string& profile) {
  const golden::ActivationFile& file = golden.activations();
  PARITY_CHECK(golden.facts().system == "minimax_m3_vl", unsupported,
               "the processors of system '{}' are not supported; only those of minimax_m3_vl are",
               golden.facts().system);
  ProcessorRequest request;
  request.profile = profile;
  request.sizes = rows_of(file, "processor/smart_resize/in");
  request.grids = grids_of(golden, profile);
  request.sampled = rows_of(file, "processor/sampling/frames");
  request.most_sampled = -1;
  if (const golden::DatasetInfo* indices = file.find("processor/sampling/indices"))
    request.most_sampled = indices->shape.empty() ? 0 : indices->shape.back();
  request.images = media_of(file, "images");
  request.videos = media_of(file, "videos");
  for (const std::string& id : numbered(file, "prompts")) request.prompts.push_back(prompt_of(golden, profile, id));
  if (!request.prompts.empty()) {
    request.special_bytes = bytes_of(file, "processor/special_tokens/text");
    request.specials = rows_of(file, "processor/special_tokens/ids");
    read_tokenizer(golden, request);
  }
  return build_m3_processor_plan(golden.config(), request);
}

}  // namespace parity::replay
