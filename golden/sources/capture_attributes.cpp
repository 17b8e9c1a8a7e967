// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/sources/capture_attributes.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "core/text.hpp"
#include "golden/files/one_line.hpp"
#include "golden/sources/declaration.hpp"

namespace parity::golden {
namespace {

using Names = std::vector<std::string>;

/// Root attributes in sections 2 and 5d of the format. A capture may have others that it copied from the golden.
const Names& root_names() {
  static const Names names{"format",
                           "format_version",
                           "system",
                           "oracle",
                           "profile",
                           "attention",
                           "dtype",
                           "seed",
                           "torch",
                           "experts",
                           "taps",
                           "quantisation",
                           "max_cache_len",
                           "model_class",
                           "patched",
                           "planted",
                           "device",
                           kMarker,
                           "computed_taps",
                           "not_computed_taps",
                           "not_computed_calls",
                           "not_computed_rows",
                           "not_computed_padding",
                           "rounding",
                           "function_ulps",
                           "ids_order",
                           "nothing",
                           "golden",
                           "golden_sha256",
                           "layout"};
  return names;
}

const Names& tap_names() {
  static const Names names{"axes", "dtype", "role", "component", "hf_name", kComputed, "nothing"};
  return names;
}

bool is_foreign(const std::string& name) {
  const auto small = [](unsigned char c) { return c >= 'a' && c <= 'z'; };
  return name.starts_with("x_") || name.starts_with("_") || std::none_of(name.begin(), name.end(), small);
}

void check(const Attributes& attributes, const Attributes& goldens, const Names& known, const std::string& where) {
  for (const auto& [name, value] : attributes) {
    if (is_foreign(name) || goldens.contains(name)) continue;
    PARITY_CHECK(std::find(known.begin(), known.end(), name) != known.end(), schema,
                 "attribute {} of {} is not known{}; correct it, or start your own names with x_", one_line(name, 60),
                 where, did_you_mean(name, known));
  }
}

/// Whether the dataset is a tap or a weight. Inputs (tokens/) are neither, because they are copied from the golden.
bool is_tensor(const DatasetInfo& dataset) {
  return dataset.path != "config" && dataset.path.find("/tokens/") == std::string::npos;
}

}  // namespace

void check_attributes(const ActivationFile& capture, const ActivationFile& golden) {
  with_context(capture.path().string(), [&] {
    static const Attributes none;
    check(capture.attributes(), golden.attributes(), root_names(), "the root");
    check(capture.group_attributes("weights"), golden.group_attributes("weights"), {"own"}, "weights");
    for (const DatasetInfo& dataset : capture.datasets()) {
      if (!is_tensor(dataset)) continue;
      const DatasetInfo* goldens = golden.find(dataset.path);
      check(dataset.attributes, goldens == nullptr ? none : goldens->attributes, tap_names(), dataset.path);
    }
  });
}

}  // namespace parity::golden
