// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// TensorView::view_as: re-reading the same elements under other axis letters.
#include <algorithm>
#include <optional>

#include "core/tensor.hpp"

namespace parity {
namespace {

/// One indivisible axis of the source: a single letter, or a token the target keeps whole ("2F").
struct Atom {
  std::string name;
  int64_t extent;
  int64_t stride;
};

/// The letters of a token: "N" is B and S, and S has what B leaves; "1" has none; a token with a digit ("2F") and a single letter stay whole.
std::vector<std::string> letters_of(const std::string& token) {
  if (token == "N") return {"B", "S"};
  if (token == "1") return {};
  if (token.size() <= 1 || token.front() < 'A') return {token};
  std::vector<std::string> letters;
  for (const char letter : token) letters.emplace_back(1, letter);
  return letters;
}

int64_t letter_size(const std::string& letter, const AxisSizes& sizes) {
  const auto found = letter.size() == 1 ? sizes.find(letter.front()) : sizes.end();
  PARITY_CHECK(found != sizes.end(), internal, "the size of axis {} is not known here", letter);
  return found->second;
}

std::vector<Atom> atoms_of(const TensorView& source, const std::vector<std::string>& kept, const AxisSizes& sizes) {
  std::vector<Atom> atoms;
  const auto tokens = split_axes(source.axes);
  PARITY_CHECK(tokens.size() == source.shape.size(), internal, "axes '{}' do not describe {}", source.axes,
               to_string(source.shape));
  for (size_t axis = 0; axis < tokens.size(); ++axis) {
    const bool whole = std::find(kept.begin(), kept.end(), tokens[axis]) != kept.end();
    const auto letters = whole ? std::vector<std::string>{tokens[axis]} : letters_of(tokens[axis]);
    if (letters.size() == 1) {
      atoms.push_back({letters.front(), source.shape[axis], source.strides[axis]});
      continue;
    }
    int64_t rest = source.shape[axis];
    int64_t stride = source.strides[axis] * rest;
    for (const std::string& letter : letters) {
      const bool tokens_left = tokens[axis] == "N" && letter == "S";
      const int64_t extent = tokens_left ? rest : letter_size(letter, sizes);
      rest /= std::max<int64_t>(extent, 1);
      stride /= std::max<int64_t>(extent, 1);
      atoms.push_back({letter, extent, stride});
    }
  }
  return atoms;
}

/// The atoms of one target axis merged into one; nothing when they are not contiguous in memory.
std::optional<Atom> fold(const std::vector<std::string>& letters, const std::vector<Atom>& atoms) {
  Atom result{"", 1, 1};
  bool behind_each_other = true;
  for (size_t i = letters.size(); i-- > 0;) {
    const auto found = std::find_if(atoms.begin(), atoms.end(), [&](const Atom& a) { return a.name == letters[i]; });
    PARITY_CHECK(found != atoms.end(), internal, "axis {} is not in the source", letters[i]);
    const bool first = i + 1 == letters.size();
    const bool adjacent =
        first || found->extent == 1 || result.extent == 1 || found->stride == result.stride * result.extent;
    behind_each_other = behind_each_other && adjacent;
    if (first || result.extent == 1) result.stride = found->stride;
    result.extent *= found->extent;
  }
  if (!behind_each_other && result.extent > 0) return std::nullopt;  // without elements every layout is valid
  return result;
}

/// The axes with every token split: "B,S,AD" -> "B,S,A,D".
std::string split_letters(std::string_view axes) {
  std::vector<std::string> result;
  for (const std::string& token : split_axes(axes)) {
    for (const std::string& letter : letters_of(token)) result.push_back(letter);
  }
  return fmt::format("{}", fmt::join(result, ","));
}

}  // namespace

bool TensorView::viewable_as(std::string_view target_axes, const AxisSizes& sizes) const {
  if (target_axes == axes) return true;
  const auto targets = split_axes(target_axes);
  const auto atoms = atoms_of(*this, targets, sizes);
  return std::all_of(targets.begin(), targets.end(), [&](const std::string& token) {
    const bool whole = std::any_of(atoms.begin(), atoms.end(), [&](const Atom& a) { return a.name == token; });
    return whole || fold(letters_of(token), atoms).has_value();
  });
}

Tensor copied_as(const TensorView& source, const std::string& target_axes, const AxisSizes& sizes) {
  const Tensor copy = convert(source.view_as(split_letters(target_axes), sizes), source.dtype);
  const Shape shape = copy.view().view_as(target_axes, sizes).shape;  // a contiguous copy folds
  return copy.reshaped(shape, target_axes);
}

TensorView TensorView::view_as(std::string_view target_axes, const AxisSizes& sizes) const {
  if (target_axes == axes) return *this;
  const auto targets = split_axes(target_axes);
  const auto atoms = atoms_of(*this, targets, sizes);
  TensorView result{data, dtype, {}, {}, std::string(target_axes)};
  for (const std::string& token : targets) {
    const bool whole = std::any_of(atoms.begin(), atoms.end(), [&](const Atom& a) { return a.name == token; });
    const auto axis = fold(whole ? std::vector<std::string>{token} : letters_of(token), atoms);
    PARITY_CHECK(axis, internal, "axis {} of '{}' cannot be folded without a copy", token, axes);
    result.shape.push_back(axis->extent);
    result.strides.push_back(axis->stride);
  }
  PARITY_CHECK(result.count() == count(), internal, "'{}' viewed as '{}' changes the number of elements", axes,
               target_axes);
  return result;
}

}  // namespace parity
