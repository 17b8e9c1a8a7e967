// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// For tests: copies of goldens with changes.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/error.hpp"
#include "core/text.hpp"
#include "golden/files/activation_file.hpp"
#include "golden/files/activation_writer.hpp"

namespace parity::replay::tests {

namespace fs = std::filesystem;

/// Returns a copy of the tensor with one element changed.
inline Tensor with_element(const Tensor& source, int64_t flat, double value) {
  Tensor result = convert(source.view(), source.dtype());
  store_element(result.dtype(), result.view().data + flat * size_of(result.dtype()), value);
  return result;
}

/// Differences of a copy from its source.
struct Changes {
  std::set<std::string> dropped;                        // globs over datasets, and over groups with attributes
  std::map<std::string, Tensor> values;                 // by dataset: replaces the recorded elements, or adds a dataset
  std::map<std::string, std::string> texts;             // by dataset
  std::map<std::string, std::string> attributes;        // attributes of the root
  bool links = true;                                    // false: aliases become separate datasets
  std::map<std::string, std::string> tap_attributes{};  // for every dataset that has the attribute
  std::set<std::string> unfilled{};                     // globs: datasets that keep tap_attributes
  std::map<std::string, std::string> axes{};            // by dataset: the value of its attribute axes
  std::map<std::string, golden::AttributeValue> weights_attributes{};            // attributes of the group weights
  std::map<std::string, std::map<std::string, std::string>> added_attributes{};  // by dataset, written last

  [[nodiscard]] bool drops(const std::string& path) const {
    for (const std::string& glob : dropped) {
      if (glob_match(glob, path)) return true;
    }
    return false;
  }
};

class Copy {
 public:
  Copy(const golden::ActivationFile& source, const fs::path& target, const Changes& changes)
      : source_(source), changes_(changes), writer_(golden::ActivationWriter::create(target, root())) {
    for (const golden::DatasetInfo& info : source.datasets()) {
      if (info.alias_of.empty()) take(info);
    }
    for (const golden::DatasetInfo& info : source.datasets()) {
      if (!info.alias_of.empty()) take(info);
    }
    for (const auto& [path, value] : changes.values) {
      if (!written_.contains(path)) write(path, value, {value.view().axes, "output", "added"});
    }
    for (const auto& [path, text] : changes.texts) {
      if (written_.insert(path).second) writer_.write_text(path, text);
    }
    for (const auto& [group, attributes] : source.groups()) {
      if (group.empty() || changes.drops(group)) continue;
      for (const auto& [name, value] : attributes) writer_.group_attribute(group, name, value);
    }
    for (const auto& [name, value] : changes.weights_attributes) writer_.group_attribute("weights", name, value);
    for (const auto& [path, attributes] : changes.added_attributes) {
      for (const auto& [name, value] : attributes) writer_.dataset_attribute(path, name, value);
    }
    writer_.commit();
  }

 private:
  [[nodiscard]] std::map<std::string, golden::AttributeValue> root() const {
    std::map<std::string, golden::AttributeValue> result;
    for (const auto& [name, value] : source_.attributes()) result[name] = value;
    for (const auto& [name, value] : changes_.attributes) result[name] = value;
    return result;
  }

  void write(const std::string& path, const Tensor& value, const golden::TapLabels& labels) {
    writer_.write(path, value.view(), labels);
    written_.insert(path);
  }

  void take(const golden::DatasetInfo& info) {
    if (changes_.drops(info.path)) return;
    const auto value = changes_.values.find(info.path);
    if (info.text) {
      const auto text = changes_.texts.find(info.path);
      writer_.write_text(info.path, text == changes_.texts.end() ? source_.read_text(info.path) : text->second);
      written_.insert(info.path);
    } else if (value != changes_.values.end()) {
      const bool same_rank = value->second.shape().size() == info.shape.size();
      const auto axes = changes_.axes.find(info.path);
      write(info.path, value->second,
            {axes != changes_.axes.end() ? axes->second
             : same_rank                 ? info.axes
                                         : value->second.view().axes,
             info.role, info.component});
      take_attributes(info);
    } else if (changes_.links && written_.contains(info.alias_of)) {
      writer_.link(info.path, info.alias_of);
    } else {
      write(info.path, source_.read(info.path), {info.axes, info.role, info.component});
      take_attributes(info);
    }
  }

  /// Copies attributes that `write` does not set: max_pixels, do_resize, hf_name, …
  void take_attributes(const golden::DatasetInfo& info) {
    const std::set<std::string> written{"axes", "component", "dtype", "role"};
    for (const auto& [name, value] : info.attributes) {
      const auto other = changes_.tap_attributes.find(name);
      const bool kept = std::any_of(changes_.unfilled.begin(), changes_.unfilled.end(),
                                    [&](const std::string& glob) { return glob_match(glob, info.path); });
      const std::string& text = kept || other == changes_.tap_attributes.end() ? value : other->second;
      if (!written.contains(name)) writer_.dataset_attribute(info.path, name, text);
    }
  }

  const golden::ActivationFile& source_;
  const Changes& changes_;
  golden::ActivationWriter writer_;
  std::set<std::string> written_;
};

/// Writes `target`/activations.h5 with `changes`, and a copy of `source`'s checkpoint. Returns `target`.
inline fs::path copy_golden(const fs::path& source, const fs::path& target, const Changes& changes) {
  fs::create_directories(target);
  fs::copy(source / "checkpoint", target / "checkpoint", fs::copy_options::recursive);
  const auto file = golden::ActivationFile::open(source / "activations.h5");
  (void)Copy(file, target / "activations.h5", changes);
  return target;
}

}  // namespace parity::replay::tests
