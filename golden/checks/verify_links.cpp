// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <cctype>
#include <cstring>
#include <optional>

#include "golden/checks/verify_parts.hpp"

namespace parity::golden {
namespace {

constexpr std::string_view kLayers = "/layers/";

/// The layer of an input tap: stack "steps/000/text/" and layer 3 for "steps/000/text/layers/03/in".
struct LayerInput {
  std::string stack;
  int layer;
};

std::optional<LayerInput> parse_layer_input(const std::string& path) {
  constexpr size_t kEnding = 5;  // "NN/in"
  if (!path.ends_with("/in") || path.size() < kLayers.size() + kEnding) return std::nullopt;
  const std::string number = path.substr(path.size() - kEnding, 2);
  const std::string before = path.substr(0, path.size() - kEnding);
  const bool digits = std::isdigit(static_cast<unsigned char>(number[0])) != 0 &&
                      std::isdigit(static_cast<unsigned char>(number[1])) != 0;
  if (!digits || !before.ends_with(kLayers)) return std::nullopt;
  return LayerInput{before.substr(0, before.size() - kLayers.size() + 1), std::stoi(number)};
}

/// The tap whose values are the layer's input; nullptr when it is not recorded.
const DatasetInfo* producer(const ActivationFile& file, const LayerInput& input) {
  if (input.layer > 0) return file.find(fmt::format("{}layers/{:02}/out", input.stack, input.layer - 1));
  const std::string above = input.stack.substr(0, input.stack.rfind('/', input.stack.size() - 2) + 1);
  for (const std::string& path : {above + "splice/out", input.stack + "embed/out", input.stack + "pre_norm/out"}) {
    if (const DatasetInfo* found = file.find(path)) return found;
  }
  return nullptr;
}

bool same_elements(const ActivationFile& file, const DatasetInfo& a, const DatasetInfo& b) {
  if (a.shape != b.shape || a.dtype != b.dtype || a.text || b.text) return false;
  const Tensor left = file.read(a.path);
  const Tensor right = file.read(b.path);
  return std::memcmp(left.view().data, right.view().data, static_cast<size_t>(left.bytes())) == 0;
}

void verify_link(const ActivationFile& file, const DatasetInfo& in, const DatasetInfo& out, VerifyReport& report) {
  const auto object = [](const DatasetInfo& info) { return info.alias_of.empty() ? info.path : info.alias_of; };
  if (object(in) == object(out)) return;
  if (same_elements(file, in, out)) {
    report.add(Severity::warning, in.path,
               fmt::format("the tensor is stored twice; make this dataset a hard link of {}", out.path));
  } else {
    report.add(
        Severity::error, in.path,
        fmt::format(
            "the values differ from those of {}, although both are the input of this layer; record the golden again",
            out.path));
  }
}

}  // namespace

void verify_links(const ActivationFile& file, VerifyReport& report) {
  for (const DatasetInfo& info : file.datasets()) {
    const auto input = parse_layer_input(info.path);
    const DatasetInfo* out = input ? producer(file, *input) : nullptr;
    if (out != nullptr) collect(report, info.path, [&] { verify_link(file, info, *out, report); });
  }
}

}  // namespace parity::golden
