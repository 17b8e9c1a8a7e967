// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/altered_golden.hpp"

#include <map>

#include "golden/activation_writer.hpp"

namespace parity::faults {
namespace {

namespace fs = std::filesystem;

/// Attributes beside those that the writer makes itself.
void copy_attributes(const golden::DatasetInfo& info, golden::ActivationWriter& writer) {
  for (const auto& [name, value] : info.attributes) {
    const bool own = !info.text && (name == "axes" || name == "dtype" || name == "role" || name == "component");
    if (!own) writer.dataset_attribute(info.path, name, value);
  }
}

void copy_dataset(const golden::ActivationFile& file, const golden::DatasetInfo& info, const Tensor* values,
                  golden::ActivationWriter& writer) {
  if (info.text) {
    writer.write_text(info.path, file.read_text(info.path));
  } else {
    writer.write(info.path, (values != nullptr ? *values : file.read(info.path)).view(),
                 {info.axes, info.role, info.component});
  }
  copy_attributes(info, writer);
}

std::map<std::string, golden::AttributeValue> root_of(const golden::ActivationFile& file) {
  return {file.attributes().begin(), file.attributes().end()};
}

}  // namespace

AlteredGolden::AlteredGolden(const golden::Golden& original, const std::string& dataset, const Tensor& values) {
  const golden::ActivationFile& file = original.activations();
  fs::create_directory_symlink(fs::absolute(original.checkpoint()), path() / "checkpoint");
  auto writer = golden::ActivationWriter::create(path() / "activations.h5", root_of(file));
  const std::string& alias_of = dataset.empty() ? dataset : file.at(dataset).alias_of;
  const std::string& altered = alias_of.empty() ? dataset : alias_of;
  for (const golden::DatasetInfo& info : file.datasets()) {
    if (info.alias_of.empty()) copy_dataset(file, info, info.path == altered ? &values : nullptr, writer);
  }
  for (const golden::DatasetInfo& info : file.datasets()) {
    if (!info.alias_of.empty()) writer.link(info.path, info.alias_of);
  }
  for (const auto& [group, attributes] : file.groups()) {
    for (const auto& [name, value] : attributes) {
      if (!group.empty()) writer.group_attribute(group, name, value);
    }
  }
  writer.commit();
}

}  // namespace parity::faults
