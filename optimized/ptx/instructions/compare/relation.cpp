// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/ptx/instructions/compare/relation.hpp"

namespace parity::ptx::comparing {
namespace {

enum class Join : uint8_t { alone, conjunction, disjunction, difference };
constexpr uint8_t kJoinsNegated = 4;  // of Step::mode2: the predicate that is joined with

}  // namespace

Mask joined(const Warp& warp, const Step& step, Mask value) {
  const Mask other = *warp.at<Mask>(step.c) ^ ((step.mode2 & kJoinsNegated) != 0 ? kAllLanes : 0);
  switch (static_cast<Join>(step.mode2 & 3U)) {
    case Join::conjunction:
      return value & other;
    case Join::disjunction:
      return value | other;
    case Join::difference:
      return value ^ other;
    default:
      return value;
  }
}

Relation take_relation(Decoder& d) {
  static constexpr std::array kNames{"eq",  "ne",  "lt",  "le",  "gt",  "ge", "equ", "neu", "ltu",
                                     "leu", "gtu", "geu", "num", "nan", "lo", "ls",  "hi",  "hs"};
  static constexpr std::array kRelations{eq,  ne,  lt,  le,  gt,   ge, equ, neu, ltu,
                                         leu, gtu, geu, num, nan_, lt, le,  gt,  ge};
  for (size_t i = 0; i < kNames.size(); ++i) {
    if (d.take(kNames.at(i))) return kRelations.at(i);
  }
  d.refuse("a comparison is expected");
}

void take_join(Decoder& d, Step& step, size_t operand) {
  const int join = d.take_one({"and", "or", "xor"});
  d.need(join < 0 ? operand : operand + 1);
  if (join < 0) return;
  step.c = d.source(operand, Type::pred);
  step.mode2 = static_cast<uint8_t>(join + 1 + (d.operand(operand).negated ? kJoinsNegated : 0));
}

bool take_flush(Decoder& d, Type type) {
  if (!d.take("ftz")) return false;
  if (type != Type::f32 && type != Type::f16 && type != Type::f16x2) d.refuse("'.ftz' is only for .f16 and .f32");
  return true;
}

}  // namespace parity::ptx::comparing
