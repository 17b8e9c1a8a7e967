// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "compare/captures/capture_init.hpp"

#include <limits>

#include <fmt/ranges.h>

#include "golden/sources/declaration.hpp"
#include "replay/captures/capture_writer.hpp"
#include "replay/captures/golden_plan.hpp"

namespace parity::compare {
namespace {

replay::CaptureRoot root_of(const golden::Golden& golden, const CaptureRequest& request) {
  replay::CaptureRoot root = replay::declared_root(golden);
  if (!request.only.empty()) root["computed_taps"] = fmt::format("{}", fmt::join(request.only, " "));
  if (!request.without.empty()) root["not_computed_taps"] = fmt::format("{}", fmt::join(request.without, " "));
  if (!request.padding) root["not_computed_padding"] = "yes";
  return root;
}

/// Returns a tensor filled with values that no kernel computes (NaN, the smallest integer, or bytes of 255).
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

}  // namespace

int64_t write_empty_capture(const golden::Golden& golden, const CaptureRequest& request,
                            const std::filesystem::path& out) {
  golden::Declaration declared;
  declared.only = request.only;
  declared.taps = request.without;
  const Plan plan = replay::plan_of(golden);
  auto outputs = replay::recorded_outputs(golden, plan);
  std::erase_if(outputs, [&](const auto& output) { return declared.leaves_out(output.second, output.first); });
  PARITY_CHECK(!outputs.empty(), usage,
               "--only and --without leave no recorded tap to fill; parity golden ls lists the taps");
  const auto offer = [&](const golden::DatasetInfo& info, const std::string&, golden::ActivationWriter& writer) {
    if (!outputs.contains(info.path)) return;
    if (info.text) {
      writer.write_text(info.path, "");
    } else {
      writer.write(info.path, unwritten(info).view(), replay::labels_of(info));
      replay::copy_attributes(info, writer);
    }
    writer.dataset_attribute(info.path, golden::kComputed, "no");
  };
  replay::write_capture_file(golden, plan, root_of(golden, request), offer, out);
  return static_cast<int64_t>(outputs.size());
}

}  // namespace parity::compare
