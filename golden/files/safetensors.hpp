// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Checkpoints: parameters under their published names, mapped into memory and never copied.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/weights.hpp"
#include "golden/files/mapped_file.hpp"
#include "golden/files/safetensors_header.hpp"

namespace parity::golden {

/// One .safetensors file, or a folder with model.safetensors or model.safetensors.index.json and its shards. Views are
/// read-only. Files are mapped, so the process ends if one shrinks while it is open.
class SafetensorsSource : public WeightSource {
 public:
  [[nodiscard]] static SafetensorsSource open(const std::filesystem::path& path);

  [[nodiscard]] std::vector<std::string> names() const override;  // in alphabetical order
  [[nodiscard]] bool contains(const std::string& name) const override { return entries_.contains(name); }
  [[nodiscard]] TensorView tensor(const std::string& name) const override;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::vector<std::filesystem::path> files() const;
  [[nodiscard]] int64_t bytes() const;  // of all tensors

 private:
  struct Shard {
    std::filesystem::path path;
    MappedFile file;
    std::map<std::string, StoredTensor> tensors;
  };
  struct Entry {
    size_t shard;
    StoredTensor stored;
  };

  size_t add_shard(const std::filesystem::path& file);
  void add_all(size_t shard);
  void add_index(const std::filesystem::path& index);

  std::filesystem::path path_;
  std::vector<Shard> shards_;
  std::map<std::string, Entry> entries_;
};

/// Writes a file that every safetensors reader accepts: data start at a multiple of 8 bytes, largest element types
/// first. Replaces `path` atomically when the file is complete.
void write_safetensors(const std::filesystem::path& path,
                       const std::vector<std::pair<std::string, TensorView>>& tensors);

}  // namespace parity::golden
