// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/captures/capture_contents.hpp"

#include <algorithm>

namespace parity::faults {

std::vector<std::string> CaptureContents::outputs() const {
  std::vector<std::string> paths;
  for (const auto& [path, tap] : datasets) {
    if (tap.output) paths.push_back(path);
  }
  return paths;
}

CaptureContents contents_of(const golden::ActivationFile& file, const std::vector<std::string>& outputs) {
  CaptureContents contents;
  for (const auto& [name, value] : file.attributes()) {
    if (name != "format") contents.root[name] = value;
  }
  for (const auto& [group, attributes] : file.groups()) {
    if (group.starts_with("steps/") && !attributes.empty()) contents.groups[group] = attributes;
  }
  for (const golden::DatasetInfo& info : file.datasets()) {
    if (!info.alias_of.empty() || info.path.find("/exact/") != std::string::npos) continue;
    CapturedTap tap;
    tap.output = std::find(outputs.begin(), outputs.end(), info.path) != outputs.end();
    tap.labels = {info.axes, info.role.empty() ? "output" : info.role, info.component};
    if (info.text) tap.texts = file.read_texts(info.path);
    tap.several = info.text && !info.shape.empty();
    if (!info.text) tap.values = file.read(info.path);
    for (const auto& [name, value] : info.attributes) {
      if (name != "axes" && name != "dtype" && name != "role" && name != "component") tap.attributes[name] = value;
    }
    contents.datasets[info.path] = std::move(tap);
  }
  return contents;
}

void write_capture(const CaptureContents& contents, const std::filesystem::path& file) {
  auto writer = golden::ActivationWriter::create(file, contents.root);
  for (const auto& [path, tap] : contents.datasets) {
    if (tap.values.empty() && tap.several) {
      writer.write_texts(path, tap.texts);
    } else if (tap.values.empty()) {
      writer.write_text(path, tap.texts.front());
    } else {
      writer.write(path, tap.values.view(), tap.labels);
    }
    for (const auto& [name, value] : tap.attributes) writer.dataset_attribute(path, name, value);
  }
  for (const auto& [group, attributes] : contents.groups) {
    for (const auto& [name, value] : attributes) writer.group_attribute(group, name, value);
  }
  writer.commit();
}

}  // namespace parity::faults
