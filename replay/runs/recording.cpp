// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "replay/runs/recording.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "replay/captures/stored_part.hpp"
#include "replay/execution/uncomputed.hpp"

namespace parity::replay {

namespace {

/// Returns the shape of a tap that is recorded once for all sequences.
Shape shared_shape(const TapInfo& info) {
  Shape shape = info.shape;
  shape.front() = 1;
  return shape;
}

std::string joined(const std::vector<std::string>& texts) {
  std::string result;
  for (size_t i = 0; i < texts.size(); ++i) result += (i > 0 ? std::string(1, '\0') : "") + texts[i];
  return result;
}

Tensor bytes_of(const std::string& text, const std::string& axes) {
  Tensor result(DType::u8, {static_cast<int64_t>(text.size())}, axes);
  std::memcpy(result.view().data, text.data(), text.size());
  return result;
}

std::string without_blanks(std::string text) {
  std::erase(text, ' ');
  return text;
}

/// Whether the tap is scores of key blocks, in which a block without visible slots is -inf.
bool holds_nothing(const Plan& plan, const std::string& tap) {
  const int producer = plan.tap(tap).producer;
  return producer >= 0 && plan.nodes[static_cast<size_t>(producer)].component == "index_block_scores";
}

}  // namespace

Recording::Recording(const golden::ActivationFile& file, const Plan& plan) : TapSource(plan), file_(file) {
  find_datasets();
}

Recording::Recording(const golden::ActivationFile& capture, const Recording& golden, golden::Declaration declared)
    : TapSource(golden.plan()), file_(capture), golden_(&golden), declared_(std::move(declared)) {
  find_datasets();
}

void Recording::find_datasets() {
  for (const auto& [tap, info] : plan().taps) {
    if (file_.contains(tap)) {
      take(tap, tap);
    } else if (info.part && !info.part->partial && file_.contains(info.part->tap)) {
      take(tap, info.part->tap);
    }
  }
  for (const auto& [alias, tap] : plan().aliases) {
    if (file_.contains(alias) && !datasets_.contains(tap)) take(tap, alias);
  }
  for (const auto& [tap, dataset] : std::map<std::string, std::string>(datasets_)) {
    auto found = mismatch(dataset, recorded_info(tap));
    if (!found) found = contradicting_axes(tap, dataset);
    if (!found) continue;
    PARITY_CHECK(plan().tap(tap).producer >= 0, schema, "{}", found->reason);
    mismatches_[tap] = *found;
    datasets_.erase(tap);
  }
}

bool Recording::is_cut(const std::string& tap) const {
  const TapInfo& info = plan().tap(tap);
  const auto found = datasets_.find(tap);
  return info.part && found != datasets_.end() && found->second == info.part->tap;
}

TapInfo Recording::recorded_info(const std::string& tap) const {
  TapInfo info = plan().tap(tap);
  if (!is_cut(tap)) return info;
  info.axes = info.part->axes;
  info.shape = info.part->shape;
  return info;
}

void Recording::take(const std::string& tap, const std::string& dataset) {
  const bool input = plan().tap(tap).producer < 0;
  const bool computed = golden::is_computed(file_.at(dataset));
  if (input && golden_ != nullptr) {  // the golden's inputs are equal, but for what calls outside of the plan computed
    if (computed && tap.find("/layers/") != std::string::npos) datasets_[tap] = dataset;
    return;
  }
  const bool absent = declared_.leaves_out(tap, dataset);
  if (computed && !absent) {
    datasets_[tap] = dataset;
    if (golden::is_lent(file_.at(dataset))) lent_.insert(tap);
    return;
  }
  left_out_.insert(dataset);
  if (!absent) unfilled_.insert(tap);
  if (absent && computed) contradicted_.insert(tap);
}

bool Recording::has(const std::string& tap) const {
  if (datasets_.contains(tap)) return true;
  if (golden_ == nullptr) return false;
  const auto known = plan().taps.find(tap);
  return known != plan().taps.end() && known->second.producer < 0 && golden_->has(tap);
}

std::vector<bool> Recording::uncomputed(const std::string& tap) const {
  return golden_ == nullptr ? std::vector<bool>() : uncomputed_elements(plan(), tap, declared_, golden_->file());
}

std::optional<Mismatch> Recording::mismatch(const std::string& dataset, const TapInfo& info) const {
  const golden::DatasetInfo& found = file_.at(dataset);
  const DType wanted = plan().dtype_of(info.type);
  if (found.text && info.type == TapType::text) return mismatch_of_text(dataset, info);
  const bool same = golden_ == nullptr ? found.dtype == wanted : readable_as(found.dtype, wanted);
  if (found.text || !same || info.type == TapType::text) {
    return Mismatch{true,
                    fmt::format("dataset {} is {}, expected {}; store it as {}", dataset,
                                found.text ? "text" : to_string(found.dtype), to_string(wanted), to_string(wanted))};
  }
  if (found.shape == info.shape) return std::nullopt;
  if (info.one_for_all_rows && found.shape == shared_shape(info)) return std::nullopt;
  if (golden_ != nullptr && axes_read(found, info) != info.axes) return std::nullopt;
  return Mismatch{false, shape_reason(dataset, info)};
}

/// Reports a tap whose shape fits although its axis letters do not: the order of its values is unknown.
std::optional<Mismatch> Recording::contradicting_axes(const std::string& tap, const std::string& dataset) const {
  if (golden_ == nullptr || !golden_->datasets_.contains(tap)) return std::nullopt;
  const TapInfo info = recorded_info(tap);
  const golden::DatasetInfo& found = file_.at(dataset);
  const std::string own = without_blanks(found.axes);
  const std::string goldens = without_blanks(golden_->file_.at(golden_->datasets_.at(tap)).axes);
  const bool moved = axes_read(found, info) != info.axes;  // in another order of axes, and of the shape of that order
  if (own.empty() || goldens.empty() || own == goldens || own == without_blanks(info.axes) || moved)
    return std::nullopt;
  return Mismatch{true, fmt::format("dataset {0} has axes \"{1}\", but its shape {3} fits the golden's axes \"{2}\"; "
                                    "write the axes that the values have",
                                    dataset, found.axes, goldens, to_string(found.shape))};
}

std::string Recording::shape_reason(const std::string& dataset, const TapInfo& info) const {
  const golden::DatasetInfo& found = file_.at(dataset);
  const std::string reason = fmt::format("dataset {} has shape {}, expected {} ({})", dataset, to_string(found.shape),
                                         to_string(info.shape), info.axes);
  const std::string exchanged = exchanged_axes(found.shape, info);
  if (exchanged.empty()) return reason + "; check config.json and the profile";
  return fmt::format(
      "{}: the shape fits axes {}; if the dataset has them in that order, give it the attribute axes = \"{}\"", reason,
      exchanged, exchanged);
}

std::optional<Mismatch> Recording::mismatch_of_text(const std::string& dataset, const TapInfo& info) const {
  const auto length = static_cast<int64_t>(joined(file_.read_texts(dataset)).size());
  if (info.shape == Shape{length}) return std::nullopt;
  return Mismatch{false, fmt::format("dataset {} has {} bytes of text, expected {} bytes; store the text again",
                                     dataset, length, element_count(info.shape))};
}

Tensor Recording::read_dataset(const std::string& dataset, const TapInfo& info) const {
  if (info.type == TapType::text) return bytes_of(joined(file_.read_texts(dataset)), info.axes);
  const Tensor stored = file_.read(dataset);
  if (golden_ != nullptr && axes_read(file_.at(dataset), info) != info.axes)
    return in_planned_order(stored, file_.at(dataset).axes, info);
  if (stored.shape() == info.shape || !info.one_for_all_rows) return stored.reshaped(info.shape, info.axes);
  const Tensor row = stored.reshaped(shared_shape(info), info.axes);
  return concatenate(std::vector(static_cast<size_t>(info.shape.front()), row.view()), info.axes.front());
}

Tensor Recording::held(const std::string& tap) const {
  const auto found = datasets_.find(tap);
  if (found == datasets_.end()) return golden_->held(tap);  // an input
  const TapInfo info = recorded_info(tap);
  const TapInfo& own = plan().tap(tap);
  const bool cut = is_cut(tap), as_planned = golden_ == nullptr && file_.at(found->second).shape == info.shape;
  if (cut && as_planned) return read_stored_part(file_, found->second, own);
  Tensor values = read_dataset(found->second, info);
  if (cut) values = read_box(values.view(), own.part->box, own.shape, own.axes);
  if (golden_ == nullptr) return values;
  restore(tap, values);
  return in_planned_type(std::move(values), plan().dtype_of(info.type));
}

void Recording::restore(const std::string& tap, Tensor& values) const {
  const auto nothing = nothing_of(file_.at(datasets_.at(tap)), declared_);
  const bool scores = nothing && is_float(values.dtype()) && holds_nothing(plan(), tap);
  const std::vector<bool> absent = uncomputed(tap);
  if (!scores && absent.empty()) return;
  const Tensor goldens = !absent.empty() && golden_->has(tap) ? golden_->held(tap) : Tensor();
  values = convert(values.view(), values.dtype());  // a separate buffer
  const int64_t bytes = size_of(values.dtype());
  for (int64_t i = 0; i < values.view().count(); ++i) {
    std::byte* element = values.view().data + i * bytes;
    if (!absent.empty() && absent[static_cast<size_t>(i)]) {
      store_element(values.dtype(), element, goldens.empty() ? 0.0 : goldens.view().value(i));
    } else if (scores && load_element(values.dtype(), element) <= round_to(values.dtype(), *nothing)) {
      store_element(values.dtype(), element, -std::numeric_limits<double>::infinity());
    }
  }
}

}  // namespace parity::replay
