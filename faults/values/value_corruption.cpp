// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/values/value_corruption.hpp"

#include <algorithm>

#include "faults/values/value_damage.hpp"

namespace parity::faults {
namespace {

using compare::ValueKind;
using namespace value_damage;

constexpr int64_t kFewest = 4;  // of fewer elements, one number is often twice another, or one more

bool numbers(const Target& target, const ValueMaterial&) {
  return is_float(target.dtype) && element_count(target.shape) >= kFewest;
}
bool with_axis(const Target& target, int64_t least) {
  return element_count(target.shape) >= kFewest && target.dtype != DType::boolean && !Frame(target).axes(least).empty();
}
template <int64_t Least>
bool numbers_along(const Target& target, const ValueMaterial&) {
  return is_float(target.dtype) && with_axis(target, Least);
}
template <int64_t Least>
bool anything_along(const Target& target, const ValueMaterial&) {
  return with_axis(target, Least);
}
/// Whether there are several rows of several elements.
bool numbers_in_rows(const Target& target, const ValueMaterial&) {
  if (!is_float(target.dtype) || target.shape.empty()) return false;
  const Frame frame(target);
  const int64_t length = frame.rank() == 0 ? 0 : frame.extent(frame.rank() - 1);
  return length >= kFewest && frame.count() > length;
}
bool two_axes(const Target& target, const ValueMaterial&) {
  return is_float(target.dtype) && Frame(target).axes(2).size() > 1;
}
bool with_others(const Target&, const ValueMaterial& material) { return !material.others.empty(); }
bool with_inputs(const Target& target, const ValueMaterial& material) {
  return is_float(target.dtype) && !material.inputs.empty();
}
/// Whether the tap has enough ids. A few ids can be renamed in several ways by chance.
bool ids(const Target& target, const ValueMaterial&) {
  constexpr int64_t kEnough = 32;
  return is_discrete(target.judge) && element_count(target.shape) >= kEnough;
}
}  // namespace

int64_t Choices::below(int64_t limit) {
  if (draws_) return draws_->below(limit);
  PARITY_CHECK(limit > 0, internal, "nothing to choose from");
  if (at_ == digits_.size()) digits_.emplace_back(0, limit);
  return digits_[at_++].first;
}

bool Choices::next() {
  digits_.resize(at_);
  at_ = 0;
  while (!digits_.empty()) {
    if (++digits_.back().first < digits_.back().second) return true;
    digits_.pop_back();
  }
  return false;
}

const std::vector<ValueCorruption>& value_corruptions() {
  static const std::vector<ValueCorruption> kinds{
      {"zero-tap", "zeros everywhere", ValueKind::zero, numbers, zero_tap},
      {"zero-slice", "a slice of zeros", ValueKind::zero, numbers_along<2>, zero_slice},
      {"constant", "one number in a slice or everywhere", ValueKind::constant, numbers_along<2>, constant_slice},
      {"negated-tap", "every sign flipped", ValueKind::negated, numbers, negate_tap},
      {"negated-slice", "the signs of a slice flipped", ValueKind::negated, numbers_along<2>, negate_slice},
      {"scaled-tap", "multiplied by a number", ValueKind::scaled, numbers, scale_tap},
      {"scaled-slice", "a slice multiplied by a number", ValueKind::scaled, numbers_along<2>, scale_slice},
      {"scaled-rows", "each row multiplied by a number of its own", ValueKind::scaled_rows, numbers_in_rows,
       scale_rows},
      {"offset", "plus a number, a slice or everywhere", ValueKind::offset, numbers_along<2>, offset_slice},
      {"shifted-kept", "shifted along an axis, the end unchanged", ValueKind::shifted, anything_along<4>, shift_kept},
      {"shifted-zeros", "shifted along an axis, zeros at the end", ValueKind::shifted, numbers_along<4>, shift_zeros},
      {"rotated", "shifted along an axis, with wraparound", ValueKind::shifted, anything_along<3>, rotate},
      {"reversed", "an axis reversed", ValueKind::reversed, anything_along<3>, reverse},
      {"permuted", "slices in random order", ValueKind::permuted, anything_along<4>, permute},
      {"repeated", "a slice copied over another", ValueKind::permuted, numbers_along<3>, repeat_slice},
      {"exchanged-two", "two slices, or ranges, exchanged", ValueKind::exchanged, anything_along<2>, exchange_two},
      {"exchanged-parts", "halves, thirds or quarters exchanged", ValueKind::exchanged, anything_along<4>,
       exchange_parts},
      {"exchanged-neighbours", "neighbours exchanged, or the halves of every 4 or 8", ValueKind::exchanged,
       numbers_along<4>, exchange_neighbours},
      {"transposed", "two axes exchanged in memory", ValueKind::transposed, two_axes, transpose},
      {"transposed-tile", "a tile of two axes transposed", ValueKind::transposed, two_axes, transpose_tile},
      {"interleaved", "halves interleaved, or the reverse", ValueKind::interleaved, numbers_along<6>, interleave},
      {"rounded", "rounded to a narrower type", ValueKind::rounded, numbers, round_more},
      {"truncated", "truncated to a narrower type", ValueKind::truncated, numbers, truncate},
      {"stale", "another layer's values, all or a slice", ValueKind::stale, with_others, take_other},
      {"input", "an input's values, all or a slice", ValueKind::input, with_inputs, take_input},
      {"unwritten-nan", "NaN, all or a slice", ValueKind::unwritten, numbers, leave_nan},
      {"unwritten-pattern", "an allocator's pattern, all or a slice", ValueKind::unwritten, numbers, leave_pattern},
      {"ids-offset", "ids one too high or too low", ValueKind::offset, ids, ids_up},
      {"ids-exchanged", "two ids exchanged", ValueKind::exchanged, ids, ids_exchanged},
  };
  return kinds;
}

Tensor damaged(const ValueCorruption& corruption, const Target& target, const ValueMaterial& material,
               Choices& choices) {
  Tensor result = convert(material.recorded.view(), material.recorded.dtype());
  Values values;
  for (int64_t i = 0; i < result.view().count(); ++i) values.push_back(result.view().value(i));
  corruption.damage(target, material, choices, values);
  for (size_t i = 0; i < values.size(); ++i)
    store_element(result.dtype(), result.view().data + static_cast<int64_t>(i) * size_of(result.dtype()), values[i]);
  return result;
}

}  // namespace parity::faults
