// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/captures/capture_writer.hpp"

#include <fmt/ranges.h>

#include "core/sharding/rank_names.hpp"
#include "golden/files/sha256.hpp"
#include "golden/sources/declaration.hpp"

namespace parity::replay {
namespace {

using golden::DatasetInfo;

/// Returns the tap that a dataset records, under its name or an alias.
const std::string& tap_of(const Plan& plan, const std::string& path) {
  const auto alias = plan.aliases.find(path);
  return alias == plan.aliases.end() ? path : alias->second;
}

/// Writes the datasets of a golden to a file one by one.
class CaptureFile {
 public:
  CaptureFile(const golden::Golden& golden, const Plan& plan, const CaptureRoot& root, const OfferTap& offer,
              const std::filesystem::path& file)
      : file_(golden.activations()), plan_(plan), offer_(offer), out_(golden::ActivationWriter::create(file, root)) {}

  void write(const std::function<void(golden::ActivationWriter&)>& more) {
    for (const DatasetInfo& info : file_.datasets()) {
      if (info.alias_of.empty()) take(info);
    }
    for (const auto& [group, attributes] : file_.groups()) {
      if (!group.starts_with("steps/") || group.find('/', std::string("steps/").size()) != std::string::npos) continue;
      for (const auto& [name, value] : attributes) out_.group_attribute(group, name, value);
    }
    if (more) more(out_);
    out_.commit();
  }

 private:
  void take(const DatasetInfo& info) {
    const std::string& tap = tap_of(plan_, info.path);
    const auto known = plan_.taps.find(tap);
    if (known != plan_.taps.end() && known->second.producer >= 0) return offer_(info, tap, out_);
    const bool input = known != plan_.taps.end() || info.path.find("/tokens/") != std::string::npos ||
                       (info.path.starts_with("processor/") && info.role == "input");
    if (info.path == "config") return out_.write_text(info.path, file_.read_text(info.path));
    if (!input) return;
    if (info.text) {
      write_texts(info);
    } else {
      out_.write(info.path, file_.read(info.path).view(), labels_of(info));
    }
    copy_attributes(info, out_);
  }

  void write_texts(const DatasetInfo& info) {
    if (info.shape.empty()) return out_.write_text(info.path, file_.read_text(info.path));
    out_.write_texts(info.path, file_.read_texts(info.path));
  }

  const golden::ActivationFile& file_;
  const Plan& plan_;
  const OfferTap& offer_;
  golden::ActivationWriter out_;
};

/// Whether the run has the tap, and it is not text.
bool holds(const TapSource& taps, const DatasetInfo& info, const std::string& tap) {
  return !info.text && taps.has(tap);
}

std::vector<std::string> not_computed(const golden::Golden& golden, const Plan& plan, const TapSource& taps) {
  std::vector<std::string> absent;
  for (const auto& [path, tap] : recorded_outputs(golden, plan)) {
    if (!holds(taps, golden.activations().at(path), tap)) absent.push_back(path);
  }
  return absent;
}

void write_tap(const TapSource& taps, const DatasetInfo& info, const std::string& tap, golden::ActivationWriter& out) {
  const TapInfo& planned = taps.plan().tap(tap);  // of the run's plan, which may be an edited one
  golden::TapLabels labels = labels_of(info);
  labels.axes = planned.axes;
  out.write(info.path, taps.read(tap).reshaped(planned.shape, planned.axes).view(), labels);
}

/// Writes the taps of each rank that the golden has no datasets of: a recording of one process has none.
void write_ranks(const SavedRun& run, const std::map<std::string, std::string>& recorded,
                 golden::ActivationWriter& out) {
  const Plan& plan = run.taps.plan();
  for (const auto& [tap, info] : plan.taps) {
    if (rank_of_tap(tap) < 0 || info.producer < 0 || !run.taps.has(tap) || recorded.contains(tap)) continue;
    const std::string& component = plan.nodes[static_cast<size_t>(info.producer)].component;
    out.write(tap, run.taps.read(tap).reshaped(info.shape, info.axes).view(), {info.axes, "output", component});
    out.dataset_attribute(tap, golden::kComputed, run.own(tap) ? "yes" : golden::kLent);
  }
}

}  // namespace

CaptureRoot declared_root(const golden::Golden& golden) {
  CaptureRoot root;
  for (const auto& [name, value] : golden.activations().attributes()) root[name] = value;
  for (const char* name : {"format", "attention", "experts", "oracle", "torch", "taps", "patched", "planted"})
    root.erase(name);
  root["format_version"] = "1.1";
  root[golden::kMarker] = golden::kMarked;
  root["golden"] = golden.name();
  root["golden_sha256"] = golden::sha256_of_file(golden.activations().path());
  return root;
}

std::map<std::string, std::string> recorded_outputs(const golden::Golden& golden, const Plan& plan) {
  std::map<std::string, std::string> outputs;
  for (const DatasetInfo& info : golden.activations().datasets()) {
    const std::string& tap = tap_of(plan, info.path);
    const auto known = plan.taps.find(tap);
    if (info.alias_of.empty() && known != plan.taps.end() && known->second.producer >= 0) outputs[info.path] = tap;
  }
  return outputs;
}

void copy_attributes(const DatasetInfo& info, golden::ActivationWriter& out) {
  for (const auto& [name, value] : info.attributes) {
    if (name != "axes" && name != "dtype" && name != "role" && name != "component")
      out.dataset_attribute(info.path, name, value);
  }
}

golden::TapLabels labels_of(const DatasetInfo& info) {
  return {info.axes, info.role.empty() ? "output" : info.role, info.component};
}

void write_capture_file(const golden::Golden& golden, const Plan& plan, const CaptureRoot& root, const OfferTap& offer,
                        const std::filesystem::path& file,
                        const std::function<void(golden::ActivationWriter& out)>& more) {
  CaptureFile(golden, plan, root, offer, file).write(more);
}

void write_capture(const golden::Golden& golden, const Plan& plan, const SavedRun& run,
                   const std::filesystem::path& file) {
  CaptureRoot root = declared_root(golden);
  const std::vector<std::string> absent = not_computed(golden, plan, run.taps);
  if (!absent.empty()) root["not_computed_taps"] = fmt::format("{}", fmt::join(absent, " "));
  if (!run.rounding.empty()) root["rounding"] = run.rounding;
  if (!run.layout.empty()) root["layout"] = run.layout;
  const OfferTap offer = [&](const DatasetInfo& info, const std::string& tap, golden::ActivationWriter& out) {
    if (!holds(run.taps, info, tap)) return;
    write_tap(run.taps, info, tap, out);
    out.dataset_attribute(info.path, golden::kComputed, run.own(tap) ? "yes" : golden::kLent);
  };
  const auto recorded = recorded_outputs(golden, plan);
  write_capture_file(golden, plan, root, offer, file,
                     [&](golden::ActivationWriter& out) { write_ranks(run, recorded, out); });
}

void write_copy(const golden::Golden& golden, const TapSource& taps, const std::filesystem::path& file) {
  CaptureRoot root;
  for (const auto& [name, value] : golden.activations().attributes()) root[name] = value;
  root["golden"] = golden.name();
  const OfferTap offer = [&](const DatasetInfo& info, const std::string& tap, golden::ActivationWriter& out) {
    if (holds(taps, info, tap)) write_tap(taps, info, tap, out);
  };
  write_capture_file(golden, taps.plan(), root, offer, file);
}

}  // namespace parity::replay
