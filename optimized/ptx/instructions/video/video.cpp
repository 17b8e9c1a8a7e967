// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// vadd, vsub, vabsdiff, vmin, vmax of words, and with vavrg of two half-words or four bytes at once. Selectors of bytes and
// half-words and second operations but .add are refused. Source: PTX ISA 9.0, "Video Instructions".
#include <algorithm>
#include <cstdlib>
#include <limits>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

enum class Video : uint8_t { add, sub, absdiff, min, max, avrg };
constexpr uint32_t kSignedA = 1, kSignedB = 2, kSaturates = 4, kToSigned = 8, kAccumulates = 16;  // of Step::mode

template <Video operation>
int64_t of_parts(int64_t a, int64_t b) {
  switch (operation) {
    case Video::add:
      return a + b;
    case Video::sub:
      return a - b;
    case Video::absdiff:
      return std::abs(a - b);
    case Video::min:
      return std::min(a, b);
    case Video::max:
      return std::max(a, b);
    case Video::avrg:
      return (a + b + (a + b >= 0 ? 1 : 0)) >> 1;
  }
  return 0;
}

template <uint32_t bits>
int64_t part_of(uint32_t word, uint32_t at, bool with_sign) {
  const uint32_t high = word << (32 - bits - at);
  return with_sign ? int64_t{static_cast<int32_t>(high) >> (32 - bits)} : int64_t{high >> (32 - bits)};
}

/// An unsigned result is not clamped from above: an H100 does not, though the ISA says so.
int64_t clamped(int64_t value, bool with_sign) {
  using Limits = std::numeric_limits<int32_t>;
  return with_sign ? std::clamp<int64_t>(value, Limits::min(), Limits::max()) : std::max<int64_t>(value, 0);
}

template <Video operation, uint32_t bits>
void video(Warp& warp, const Step& step) {
  const auto *a = warp.at<uint32_t>(step.a), *b = warp.at<uint32_t>(step.b), *c = warp.at<uint32_t>(step.c);
  const bool adds = (step.mode & kAccumulates) != 0;
  constexpr uint32_t kMask = ~uint32_t{0} >> (32 - bits);
  uint32_t values[kLanes];
  for (uint32_t l = 0; l < kLanes; ++l) {
    values[l] = adds ? c[l] : 0;
    for (uint32_t at = 0; at < 32; at += bits) {
      int64_t value = of_parts<operation>(part_of<bits>(a[l], at, (step.mode & kSignedA) != 0),
                                          part_of<bits>(b[l], at, (step.mode & kSignedB) != 0));
      if ((step.mode & kSaturates) != 0) value = clamped(value, (step.mode & kToSigned) != 0);
      const auto word = static_cast<uint32_t>(value);
      values[l] = adds ? values[l] + word : values[l] | (word & kMask) << at;
    }
  }
  put(warp, step.d, values);
}

template <Video operation>
Handler of_width(char last) {
  return last == '2' ? &video<operation, 16> : last == '4' ? &video<operation, 8> : &video<operation, 32>;
}

Handler named(std::string_view name) {
  const char last = name.back();
  if (last == '2' || last == '4') name.remove_suffix(1);
  if (name == "vadd") return of_width<Video::add>(last);
  if (name == "vsub") return of_width<Video::sub>(last);
  if (name == "vabsdiff") return of_width<Video::absdiff>(last);
  if (name == "vmin") return of_width<Video::min>(last);
  if (name == "vmax") return of_width<Video::max>(last);
  return name == "vavrg" && last != 'g' ? of_width<Video::avrg>(last) : nullptr;  // of parts alone
}

bool take_signed(Decoder& d) {
  const Type type = d.take_type();
  if (type != Type::u32 && type != Type::s32) d.refuse("types .u32 or .s32 are expected");
  return type == Type::s32;
}

}  // namespace

Handler video_group(Decoder& d, Step& step) {
  const Handler found = named(d.name());
  if (found == nullptr) return nullptr;
  const bool parts = d.name().ends_with('2') || d.name().ends_with('4');
  const uint32_t result = take_signed(d) ? kToSigned : 0U;
  const uint32_t first = take_signed(d) ? kSignedA : 0U, second = take_signed(d) ? kSignedB : 0U;
  const bool sat = !parts && d.take("sat"), adds = parts && d.take("add");
  step.mode = static_cast<uint8_t>(result | first | second | (sat ? kSaturates : 0U) | (adds ? kAccumulates : 0U));
  d.need(parts ? 4 : 3);
  d.same(step, Type::b32);
  if (!parts) step.c = step.a;
  return found;
}

}  // namespace parity::ptx
