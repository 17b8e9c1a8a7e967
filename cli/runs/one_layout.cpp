// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cli/runs/one_layout.hpp"

#include <filesystem>

#include "core/sharding/rank_names.hpp"
#include "core/sharding/sharded_plan.hpp"
#include "core/shipped.hpp"
#include "golden/golden.hpp"
#include "reference/reference.hpp"
#include "replay/captures/golden_plan.hpp"
#include "replay/ranks/unsharded.hpp"

namespace parity::cli {

namespace {

/// A text of the recording; empty if it has none of that name.
std::string attribute_of(const golden::ActivationFile& file, const std::string& name) {
  const auto found = file.attributes().find(name);
  return found == file.attributes().end() ? std::string() : found->second;
}

/// The golden whose calls a capture has: its checkpoint says how the model is divided.
golden::Golden golden_of_calls(const golden::ActivationFile& capture, const std::string& other) {
  const std::string name = attribute_of(capture, "golden");
  for (const std::string& path : {other, "golden/data/" + name}) {
    const std::filesystem::path folder = shipped(path);
    if (std::filesystem::is_directory(folder / "checkpoint")) return golden::Golden::open(folder);
  }
  throw Error(
      ErrorCode::not_found,
      fmt::format("{}: its golden '{}' is not in golden/data; give that golden's folder as the other file to compare",
                  capture.path().string(), name));
}

}  // namespace

OneLayout::OneLayout(const std::string& path, const std::string& other) {
  file_.emplace(golden::ActivationFile::open(golden::activations_of(path)));
  const std::string own = attribute_of(*file_, "layout");
  if (own.empty()) return;
  if (own == attribute_of(golden::ActivationFile::open(golden::activations_of(other)), "layout")) return;
  layout_ = own;
  folder_.emplace();
  const auto golden = golden_of_calls(*file_, other);
  const Plan plan = with_context(fmt::format("{}: assembled from {}", path, own), [&] {
    return sharded_plan(replay::plan_of(golden), parse_layout(own), reference::registry());
  });
  const auto whole = *folder_ / "whole.h5";
  contradicting_ = replay::write_unsharded(*file_, plan, whole);
  file_.emplace(golden::ActivationFile::open(whole));
}

}  // namespace parity::cli
