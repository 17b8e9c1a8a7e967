// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <set>

#include "golden/checks/value_checksum.hpp"
#include "golden/checks/verify_parts.hpp"
#include "golden/files/one_line.hpp"

namespace parity::golden {
namespace {

constexpr int64_t kBlockBytes = int64_t{8} << 20;
constexpr std::string_view kLetters = "BSKHFVAGDXIJNETPOMRCQWLU";  // of the format; W: width of an image
constexpr std::array<std::string_view, 4> kRoles{"input", "output", "parameter", "state"};

struct NonFinite {
  int64_t nan = 0;
  int64_t plus = 0;
  int64_t minus = 0;
};

template <class Bits>
void count_non_finite(const TensorView& block, int mantissa_bits, NonFinite& counts) {
  constexpr Bits kSign = Bits{1} << (8 * sizeof(Bits) - 1);
  const Bits fraction = static_cast<Bits>((Bits{1} << mantissa_bits) - 1);
  const Bits exponent = static_cast<Bits>(~fraction & ~kSign);
  for (int64_t i = 0, n = block.count(); i < n; ++i) {
    Bits bits;
    std::memcpy(&bits, block.data + i * static_cast<int64_t>(sizeof bits), sizeof bits);
    if ((bits & exponent) != exponent) continue;
    if ((bits & fraction) != 0) {
      ++counts.nan;
    } else {
      ++((bits & kSign) != 0 ? counts.minus : counts.plus);
    }
  }
}

void count_non_finite(const TensorView& block, NonFinite& counts) {
  switch (block.dtype) {
    case DType::bf16:
      return count_non_finite<uint16_t>(block, 7, counts);
    case DType::f16:
      return count_non_finite<uint16_t>(block, 10, counts);
    case DType::f32:
      return count_non_finite<uint32_t>(block, 23, counts);
    case DType::f64:
      return count_non_finite<uint64_t>(block, 52, counts);
    default:
      return;  // integers are always finite
  }
}

class Check {
 public:
  Check(const ActivationFile& file, const DatasetInfo& info, const StepInfo* step, VerifyReport& report)
      : file_(file), info_(info), step_(step), report_(report) {}

  void run() {
    if (info_.path != "config") check_attributes();
    if (info_.alias_of.empty()) collect(report_, info_.path, [&] { read(); });
  }

 private:
  void error(const std::string& message) {
    report_.add(Severity::error, info_.path, message + "; record the golden again");
  }

  void check_attributes() {
    for (const char* name : {"axes", "dtype", "role", "component"}) {
      if (!info_.attributes.contains(name)) error(fmt::format("has no attribute {}", name));
    }
    const std::string stored = info_.text ? "str" : to_string(info_.dtype);
    const auto dtype = info_.attributes.find("dtype");
    if (dtype != info_.attributes.end() && dtype->second != stored) {
      error(fmt::format("attribute dtype is '{}', but the dataset stores {}", one_line(dtype->second, 40), stored));
    }
    if (!info_.role.empty() && std::find(kRoles.begin(), kRoles.end(), info_.role) == kRoles.end()) {
      error(fmt::format("attribute role is '{}', not input, output, parameter or state", one_line(info_.role, 40)));
    }
    if (info_.path.starts_with("weights/") && !info_.attributes.contains("hf_name")) error("has no attribute hf_name");
    if (info_.attributes.contains("axes")) check_axes();
  }

  void check_axes() {
    const auto axes = split_axes(info_.axes);
    if (axes.size() != info_.shape.size()) {
      return error(fmt::format("attribute axes is '{}', which does not fit the shape {}", one_line(info_.axes, 60),
                               to_string(info_.shape)));
    }
    for (size_t i = 0; i < axes.size(); ++i) check_axis(axes[i], info_.shape[i]);
  }

  /// Checks the extent of one axis, such as "B", "AD", "2F" or "3".
  void check_axis(const std::string& axis, int64_t extent) {
    const size_t digits = std::min(axis.find_first_not_of("0123456789"), axis.size());
    const std::string letters = axis.substr(digits);
    if (axis.empty() || letters.find_first_not_of(kLetters) != std::string::npos) {
      return error(
          fmt::format("axis '{}' is not one of the axis letters in docs/golden-format.md", one_line(axis, 40)));
    }
    int64_t expected = extent;
    if (letters.empty()) std::from_chars(axis.data(), axis.data() + digits, expected);
    if (step_ != nullptr && step_->has_tokens) {
      if (axis == "B") expected = step_->B;
      if (axis == "S") expected = step_->S;
      if (axis == "N") expected = step_->B * step_->S;
      if (axis == "U") expected = step_->K;
      if (axis == "K" && !step_->independent) expected = step_->slots;  // context parallelism pads its keys
    }
    if (extent != expected)
      error(fmt::format("axis {} of the attribute axes '{}' has extent {}, expected {}", axis, info_.axes, extent,
                        expected));
  }

  void read() {
    ++report_.datasets;
    if (info_.text) {
      for (const std::string& text : file_.read_texts(info_.path)) report_.bytes += static_cast<int64_t>(text.size());
      return;
    }
    NonFinite counts;
    ValueChecksum sum;
    file_.for_each_block(info_.path, kBlockBytes, [&](const TensorView& block) {
      count_non_finite(block, counts);
      sum.add(block);
    });
    const auto kept = info_.attributes.find(kChecksum);
    if (kept != info_.attributes.end() && kept->second != sum.text())
      report_.add(
          Severity::error, info_.path,
          fmt::format(
              "the values have changed since they were written (checksum {} now, {} then); copy the golden again",
              sum.text(), one_line(kept->second, 40)));
    report_.bytes += info_.bytes();
    if (counts.nan + counts.plus + counts.minus == 0) return;
    report_.add(Severity::info, info_.path,
                fmt::format("{} NaN, {} +Inf and {} -Inf among {} elements", counts.nan, counts.plus, counts.minus,
                            element_count(info_.shape)));
  }

  const ActivationFile& file_;
  const DatasetInfo& info_;
  const StepInfo* step_;
  VerifyReport& report_;
};

}  // namespace

void verify_datasets(const ActivationFile& file, const std::vector<StepInfo>& steps, VerifyReport& report) {
  for (const DatasetInfo& info : file.datasets()) {
    const auto step =
        std::find_if(steps.begin(), steps.end(), [&](const StepInfo& s) { return info.path.starts_with(s.tap("")); });
    Check(file, info, step == steps.end() ? nullptr : &*step, report).run();
  }
}

}  // namespace parity::golden
