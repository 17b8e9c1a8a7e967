// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/safetensors.hpp"

#include <algorithm>

#include "core/text.hpp"
#include "golden/files/one_line.hpp"
#include "golden/files/strict_json.hpp"

namespace parity::golden {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSingle = "model.safetensors";
constexpr const char* kIndex = "model.safetensors.index.json";

Shape row_major(const Shape& shape) {
  Shape strides(shape.size(), 1);
  for (size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * std::max<int64_t>(shape[axis], 1);
  return strides;
}

/// Throws unless the shard is a file in the folder itself: an index must not point elsewhere.
void check_shard_name(const std::string& name) {
  const bool plain = !name.empty() && name != "." && name != ".." && name.find_first_of("/\\") == std::string::npos;
  PARITY_CHECK(plain && one_line(name) == name, schema,
               "weight_map names shard '{}'; expected a file name in the same folder", one_line(name));
}

}  // namespace

SafetensorsSource SafetensorsSource::open(const fs::path& path) {
  SafetensorsSource source;
  source.path_ = path;
  std::error_code error;
  if (!fs::is_directory(path, error)) {
    source.add_all(source.add_shard(path));
  } else if (fs::exists(path / kSingle, error)) {
    source.add_all(source.add_shard(path / kSingle));
  } else if (fs::exists(path / kIndex, error)) {
    with_context((path / kIndex).string(), [&] { source.add_index(path / kIndex); });
  } else {
    throw Error(ErrorCode::not_found, fmt::format("{}: contains neither {} nor {}; copy the checkpoint there",
                                                  path.string(), kSingle, kIndex));
  }
  return source;
}

size_t SafetensorsSource::add_shard(const fs::path& file) {
  MappedFile mapped(file);
  auto tensors = with_context(file.string(), [&] { return parse_safetensors_header(mapped.bytes()); });
  shards_.push_back({file, std::move(mapped), std::move(tensors)});
  return shards_.size() - 1;
}

void SafetensorsSource::add_all(size_t shard) {
  for (auto& [name, stored] : shards_[shard].tensors) entries_[name] = {shard, stored};
}

void SafetensorsSource::add_index(const fs::path& index) {
  const nlohmann::json document = read_json(index);
  const bool shaped = document.is_object() && document.contains("weight_map") && document["weight_map"].is_object();
  PARITY_CHECK(shaped, schema, "the index has no object 'weight_map'; copy the index again");
  std::map<std::string, size_t> opened;
  for (const auto& [name, file] : document["weight_map"].items()) {
    PARITY_CHECK(file.is_string(), schema, "weight_map/{} is not a string; expected the file name of a shard",
                 one_line(name));
    const auto file_name = file.get<std::string>();
    check_shard_name(file_name);
    if (!opened.contains(file_name)) opened[file_name] = add_shard(path_ / file_name);
    const size_t shard = opened[file_name];
    const auto found = shards_[shard].tensors.find(name);
    PARITY_CHECK(found != shards_[shard].tensors.end(), schema,
                 "tensor {} is not in its shard {}; copy the shard again", one_line(name), file_name);
    entries_[name] = {shard, found->second};
  }
}

std::vector<std::string> SafetensorsSource::names() const {
  std::vector<std::string> result;
  for (const auto& [name, entry] : entries_) result.push_back(name);
  return result;
}

TensorView SafetensorsSource::tensor(const std::string& name) const {
  const auto found = entries_.find(name);
  if (found == entries_.end()) {
    throw Error(ErrorCode::not_found, fmt::format("{}: no tensor {} among its {} tensors{}", path_.string(),
                                                  one_line(name), entries_.size(), did_you_mean(name, names())));
  }
  const auto& [shard, stored] = found->second;
  return {shards_[shard].file.bytes().data() + stored.offset, stored.dtype, stored.shape, row_major(stored.shape), ""};
}

std::vector<fs::path> SafetensorsSource::files() const {
  std::vector<fs::path> result;
  for (const Shard& shard : shards_) result.push_back(shard.path);
  return result;
}

int64_t SafetensorsSource::bytes() const {
  int64_t total = 0;
  for (const auto& [name, entry] : entries_) total += entry.stored.bytes;
  return total;
}

}  // namespace parity::golden
