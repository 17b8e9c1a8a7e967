// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/ranks/unsharded.hpp"

#include <algorithm>
#include <cstring>
#include <map>

#include "core/sharding/rank_names.hpp"
#include "golden/files/activation_writer.hpp"

namespace parity::replay {
namespace {

/// A tap of one process, to be assembled from parts.
class Assembly {
 public:
  Assembly(const Part& part, DType type)
      : values_(type, part.shape, part.axes), numbers_(DType::i64, part.shape), filled_(size()) {
    for (size_t i = 0; i < filled_.size(); ++i) numbers_.i64()[i] = static_cast<int64_t>(i);
  }

  /// Adds a rank's part. Returns false where it contradicts that of another rank.
  bool add(const TapInfo& info, const Tensor& part) {
    const Tensor places = read_box(numbers_.view(), info.part->box, info.shape, info.axes);
    const auto width = static_cast<size_t>(size_of(values_.dtype()));
    bool agrees = true;
    for (int64_t i = 0; i < places.view().count(); ++i) {
      const auto at = static_cast<size_t>(places.i64()[i]);
      std::byte* target = values_.view().data + at * width;
      const std::byte* source = part.view().data + static_cast<size_t>(i) * width;
      if (filled_[at]) {
        agrees = agrees && std::memcmp(target, source, width) == 0;
      } else {
        std::memcpy(target, source, width);
      }
      filled_[at] = true;
    }
    return agrees;
  }

  [[nodiscard]] bool complete() const {
    return std::all_of(filled_.begin(), filled_.end(), [](bool filled) { return filled; });
  }
  [[nodiscard]] const TensorView& view() const { return values_.view(); }

 private:
  [[nodiscard]] size_t size() const { return static_cast<size_t>(values_.view().count()); }

  Tensor values_, numbers_;
  std::vector<bool> filled_;
};

/// Datasets of ranks by the tap of one process that they are parts of: not those that ranks have beside these.
std::map<std::string, std::vector<std::string>> parts_in(const golden::ActivationFile& ranks, const Plan& sharded) {
  std::map<std::string, std::vector<std::string>> parts;
  for (const auto& [tap, info] : sharded.taps) {
    const bool own = rank_of_tap(tap) >= 0 && info.part && !info.part->partial && without_rank(tap) == info.part->tap;
    if (own && ranks.contains(tap) && ranks.at(tap).shape == info.shape) parts[info.part->tap].push_back(tap);
  }
  return parts;
}

void copy_others(const golden::ActivationFile& ranks, golden::ActivationWriter& out) {
  for (const golden::DatasetInfo& info : ranks.datasets()) {
    if (rank_of_tap(info.path) >= 0 || !info.alias_of.empty()) continue;
    if (info.text && info.shape.empty()) out.write_text(info.path, ranks.read_text(info.path));
    if (info.text && !info.shape.empty()) out.write_texts(info.path, ranks.read_texts(info.path));
    if (!info.text) out.write(info.path, ranks.read(info.path).view(), {info.axes, info.role, info.component});
  }
}

}  // namespace

std::vector<std::string> write_unsharded(const golden::ActivationFile& ranks, const Plan& sharded,
                                         const std::filesystem::path& file) {
  std::map<std::string, golden::AttributeValue> root;
  for (const auto& [name, value] : ranks.attributes()) root[name] = value;
  root.erase("format");
  auto out = golden::ActivationWriter::create(file, root);
  copy_others(ranks, out);
  std::vector<std::string> contradicting;
  for (const auto& [tap, parts] : parts_in(ranks, sharded)) {
    const golden::DatasetInfo& first = ranks.at(parts.front());
    Assembly whole(*sharded.tap(parts.front()).part, first.dtype);
    bool agree = true, alike = true;
    for (const std::string& part : parts) {
      alike = alike && ranks.at(part).dtype == first.dtype;
      if (alike) agree = whole.add(sharded.tap(part), ranks.read(part)) && agree;
    }
    if (!agree) contradicting.push_back(tap);
    if (alike && whole.complete())
      out.write(tap, whole.view(), {sharded.tap(parts.front()).part->axes, "output", first.component});
  }
  out.commit();
  return contradicting;
}

}  // namespace parity::replay
