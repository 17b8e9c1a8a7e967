// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/plugin/arena.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace parity::cases {
namespace {

constexpr size_t kPage = 4096, kLine = Place::kAlignment;
constexpr std::byte kPattern{0xFF};

size_t pages(size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

/// The first byte in [from, to) that is not the pattern; `to` if there is none.
size_t first_changed(const std::byte* memory, size_t from, size_t to) {
  const auto* found = std::find_if(memory + from, memory + to, [](std::byte b) { return b != kPattern; });
  return static_cast<size_t>(found - memory);
}

}  // namespace

Arena::Arena(size_t shift) : end_((shift + 1) * kPage) { gaps_.emplace_back(0, end_); }

void Arena::place(std::string name, const TensorView& view) {
  PlacedView placed{std::move(name), view, view.data, 0, end_ - kPage, end_ - kPage};
  if (view.count() > 0) {
    const auto width = static_cast<size_t>(size_of(view.dtype));
    std::byte* last = view.data;
    for (size_t axis = 0; axis < view.shape.size(); ++axis) {
      const int64_t reach = (view.shape[axis] - 1) * view.strides[axis] * static_cast<int64_t>(width);
      (reach < 0 ? placed.begin : last) += reach;
    }
    placed.bytes = static_cast<size_t>(last - placed.begin) + width;
    const size_t lead = reinterpret_cast<uintptr_t>(placed.begin) % kLine;  // the alignment that the kernel is given
    const size_t room = pages(placed.bytes + kLine);
    placed.start = end_ + (room - placed.bytes - lead) / kLine * kLine + lead;
    placed.offset = placed.start + static_cast<size_t>(view.data - placed.begin);
    end_ += room;
    gaps_.emplace_back(end_, kPage);
    end_ += kPage;
  }
  views_.push_back(std::move(placed));
}

size_t Arena::bytes() const { return end_; }

void Arena::fill(std::byte* memory) const {
  std::memset(memory, static_cast<int>(kPattern), end_);
  for (const PlacedView& placed : views_) {
    if (placed.bytes > 0) std::memcpy(memory + placed.start, placed.begin, placed.bytes);
  }
}

std::optional<std::string> Arena::overrun(const std::byte* memory) const {
  size_t from = 0;
  const PlacedView* before = nullptr;
  const auto words = [&](size_t at, const PlacedView* after) {
    const bool is_behind = before != nullptr && (after == nullptr || at - from < after->start - at);
    return is_behind ? fmt::format("{} bytes after the end of '{}'", at - from + 1, before->name)
                     : fmt::format("{} bytes before the start of '{}'", after == nullptr ? 0 : after->start - at,
                                   after == nullptr ? "nothing" : after->name);
  };
  for (const PlacedView& placed : views_) {
    if (placed.bytes == 0) continue;
    if (const size_t at = first_changed(memory, from, placed.start); at < placed.start) return words(at, &placed);
    from = placed.start + placed.bytes;
    before = &placed;
  }
  const size_t at = first_changed(memory, from, end_);
  if (at < end_) return words(at, nullptr);
  return std::nullopt;
}

void Arena::take(const std::byte* memory) const {
  for (const PlacedView& placed : views_) {
    if (placed.bytes > 0) std::memcpy(placed.begin, memory + placed.start, placed.bytes);
  }
}

std::optional<std::string> Arena::changed(const std::byte* memory, const std::byte* before) const {
  for (const PlacedView& placed : views_) {
    if (std::memcmp(before + placed.start, memory + placed.start, placed.bytes) != 0) return placed.name;
  }
  return std::nullopt;
}

}  // namespace parity::cases
