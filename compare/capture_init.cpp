// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/capture_init.hpp"

#include <algorithm>
#include <limits>
#include <map>

#include <fmt/ranges.h>

#include "compare/golden_plan.hpp"
#include "golden/activation_writer.hpp"
#include "golden/declaration.hpp"
#include "golden/sha256.hpp"

namespace parity::compare {
namespace {

using golden::AttributeValue;

/// What the golden says of the run, not of who made its values: attention and experts are the capture's own.
std::map<std::string, AttributeValue> root_of(const golden::Golden& golden, const CaptureRequest& request) {
  std::map<std::string, AttributeValue> root;
  for (const auto& [name, value] : golden.activations().attributes()) root[name] = value;
  for (const char* name : {"format", "attention", "experts", "oracle", "torch", "taps", "patched", "planted"})
    root.erase(name);
  root["format_version"] = "1.1";
  root[golden::kMarker] = golden::kMarked;
  root["golden"] = golden.name();
  root["golden_sha256"] = golden::sha256_of_file(golden.activations().path());
  if (!request.only.empty()) root["computed_taps"] = fmt::format("{}", fmt::join(request.only, " "));
  if (!request.without.empty()) root["not_computed_taps"] = fmt::format("{}", fmt::join(request.without, " "));
  if (!request.padding) root["not_computed_padding"] = "yes";
  return root;
}

/// A value that nobody takes for a computed one.
Tensor unwritten(const golden::DatasetInfo& info) {
  Tensor tensor(info.dtype, info.shape, info.axes);
  const int64_t bytes = size_of(info.dtype);
  for (int64_t i = 0; i < tensor.view().count(); ++i) {
    std::byte* element = tensor.view().data + i * bytes;
    if (is_float(info.dtype)) store_element(info.dtype, element, std::numeric_limits<double>::quiet_NaN());
    if (info.dtype == DType::i64) tensor.i64()[i] = std::numeric_limits<int64_t>::min();
    if (bytes == 1) *element = std::byte{0xFF};
  }
  return tensor;
}

golden::TapLabels labels_of(const golden::DatasetInfo& info) {
  return {info.axes, info.role.empty() ? "output" : info.role, info.component};
}

/// Attributes that the writer does not set itself: sizes of images, edits.
void copy_attributes(const golden::DatasetInfo& info, golden::ActivationWriter& writer) {
  for (const auto& [name, value] : info.attributes) {
    if (name != "axes" && name != "dtype" && name != "role" && name != "component")
      writer.dataset_attribute(info.path, name, value);
  }
}

class EmptyCapture {
 public:
  EmptyCapture(const golden::Golden& golden, const CaptureRequest& request, const std::filesystem::path& out)
      : file_(golden.activations()),
        plan_(plan_of(golden)),
        writer_(golden::ActivationWriter::create(out, root_of(golden, request))) {
    declared_.only = request.only;
    declared_.taps = request.without;
  }

  int64_t write() {
    for (const golden::DatasetInfo& info : file_.datasets()) {
      if (info.alias_of.empty()) take(info);
    }
    for (const auto& [group, attributes] : file_.groups()) {
      if (!group.starts_with("steps/") || group.find('/', std::string("steps/").size()) != std::string::npos) continue;
      for (const auto& [name, value] : attributes) writer_.group_attribute(group, name, value);
    }
    PARITY_CHECK(taps_ > 0, usage, "no tap that the golden records is left to fill; see parity golden ls");
    writer_.commit();
    return taps_;
  }

 private:
  void take(const golden::DatasetInfo& info) {
    const auto alias = plan_.aliases.find(info.path);
    const std::string& tap = alias == plan_.aliases.end() ? info.path : alias->second;
    const auto known = plan_.taps.find(tap);
    const bool output = known != plan_.taps.end() && known->second.producer >= 0;
    if (output) return offer(info, tap);
    const bool input = known != plan_.taps.end() || info.path.find("/tokens/") != std::string::npos ||
                       (info.path.starts_with("processor/") && info.role == "input");
    if (info.path == "config") return writer_.write_text(info.path, file_.read_text(info.path));
    if (!input) return;
    if (info.text) {
      write_texts(info);
    } else {
      writer_.write(info.path, file_.read(info.path).view(), labels_of(info));
    }
    copy_attributes(info, writer_);
  }

  void write_texts(const golden::DatasetInfo& info) {
    if (info.shape.empty()) return writer_.write_text(info.path, file_.read_text(info.path));
    writer_.write_texts(info.path, file_.read_texts(info.path));
  }

  void offer(const golden::DatasetInfo& info, const std::string& tap) {
    if (declared_.leaves_out(tap, info.path)) return;
    if (info.text) {
      writer_.write_text(info.path, "");
    } else {
      writer_.write(info.path, unwritten(info).view(), labels_of(info));
      copy_attributes(info, writer_);
    }
    writer_.dataset_attribute(info.path, golden::kComputed, "no");
    ++taps_;
  }

  const golden::ActivationFile& file_;
  const Plan plan_;
  golden::ActivationWriter writer_;
  golden::Declaration declared_;
  int64_t taps_ = 0;
};

}  // namespace

int64_t write_empty_capture(const golden::Golden& golden, const CaptureRequest& request,
                            const std::filesystem::path& out) {
  return EmptyCapture(golden, request, out).write();
}

}  // namespace parity::compare
