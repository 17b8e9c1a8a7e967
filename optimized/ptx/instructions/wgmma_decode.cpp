// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The operands of wgmma.mma_async. Source: PTX ISA 9.0, section 9.7.15.5.2.
#include "optimized/ptx/instructions/matrix.hpp"
#include "optimized/ptx/instructions/wgmma.hpp"
#include "optimized/ptx/matrix/warpgroup_fragment.hpp"

namespace parity::ptx {
namespace {

struct WarpgroupFlag {
  enum Bit : uint32_t { in_registers = 1, negates = 2, saturates = 4, a_is_m_major = 8, b_is_n_major = 16 };
};

uint32_t bit(bool set, WarpgroupFlag::Bit flag) { return set ? flag : 0U; }

std::vector<uint32_t> words_of(const Warpgroup& w) {
  const uint32_t flags = bit(w.a_in_registers, WarpgroupFlag::in_registers) | bit(w.negated, WarpgroupFlag::negates) |
                         bit(w.satfinite, WarpgroupFlag::saturates) |
                         bit(w.a_major == Major::mn, WarpgroupFlag::a_is_m_major) |
                         bit(w.b_major == Major::mn, WarpgroupFlag::b_is_n_major);
  const auto word = [](auto x) { return static_cast<uint32_t>(x); };
  return {word(w.shape.m), word(w.shape.n), word(w.shape.k), word(w.a), word(w.b),
          word(w.sum),     flags,           word(w.operand), 0};
}

/// The constant operand at `at`, which is one of two values.
bool constant_at(const Decoder& d, size_t at, uint64_t off, uint64_t on) {
  const Operand& operand = d.operand(at);
  if (operand.kind != Operand::Kind::integer || (operand.bits != off && operand.bits != on))
    d.refuse(
        fmt::format("operand {} is a constant, {} or {}", at + 1, static_cast<int64_t>(off), static_cast<int64_t>(on)));
  return operand.bits == on;
}

void take_types(Decoder& d, Warpgroup& w) {
  w.shape = take_shape(d);
  w.satfinite = d.take("satfinite");
  for (MatrixType* const type : {&w.sum, &w.a, &w.b})
    *type = with_line(d, [&] { return matrix_type_of(d.take_next()); });
  w.operand = w.a;
  const MmaShape real = with_line(d, [&] { return warpgroup_shape(w.shape.n, w.a); });
  if (real != w.shape) d.refuse(fmt::format(".m64n{}k{} is expected", real.n, real.k));
  const bool fp8 = w.a == MatrixType::e4m3 || w.a == MatrixType::e5m2;
  const bool same = fp8 ? w.b == MatrixType::e4m3 || w.b == MatrixType::e5m2
                        : w.a == w.b || (is_integer(w.a) && (w.b == MatrixType::s8 || w.b == MatrixType::u8));
  if (!same || w.a == MatrixType::b1) d.refuse("A and B of these types cannot be multiplied");
  const bool half = w.sum == MatrixType::f16 && (fp8 || w.a == MatrixType::f16);
  if (is_integer(w.a) ? w.sum != MatrixType::s32 : w.sum != MatrixType::f32 && !half)
    d.refuse("a sum of .f32 is expected; of .f16 and fp8 also .f16, of .s8 and .u8 .s32");
  if (w.satfinite && !is_integer(w.a)) d.refuse("'.satfinite' is only for integers");
}

/// What follows scale-d: imm-scale-a, imm-scale-b, and of f16 and bf16 imm-trans of what lies in shared memory.
void take_modifiers(const Decoder& d, Warpgroup& w) {
  if (is_integer(w.a)) return d.need(4);
  constexpr auto kMinus = ~uint64_t{0};
  w.negated = constant_at(d, 4, 1, kMinus) != constant_at(d, 5, 1, kMinus);
  if (bits_of(w.a) != 16) return d.need(6);
  d.need(w.a_in_registers ? 7 : 8);
  if (!w.a_in_registers && constant_at(d, 6, 0, 1)) w.a_major = Major::mn;
  if (constant_at(d, w.a_in_registers ? 6 : 7, 0, 1)) w.b_major = Major::mn;
}

}  // namespace

Warpgroup warpgroup_of(const uint32_t* words) {
  Warpgroup w;
  w.shape = {static_cast<int>(words[0]), static_cast<int>(words[1]), static_cast<int>(words[2])};
  w.a = static_cast<MatrixType>(words[3]);
  w.b = static_cast<MatrixType>(words[4]);
  w.sum = static_cast<MatrixType>(words[5]);
  w.a_in_registers = (words[6] & WarpgroupFlag::in_registers) != 0;
  w.negated = (words[6] & WarpgroupFlag::negates) != 0;
  w.satfinite = (words[6] & WarpgroupFlag::saturates) != 0;
  w.a_major = (words[6] & WarpgroupFlag::a_is_m_major) != 0 ? Major::mn : Major::k;
  w.b_major = (words[6] & WarpgroupFlag::b_is_n_major) != 0 ? Major::mn : Major::k;
  w.operand = static_cast<MatrixType>(words[7]);
  return w;
}

bool adds(const Warp& warp, const Step& step) {
  const Mask lanes = *warp.at<Mask>(step.c);
  return ((step.mode != 0 ? ~lanes : lanes) & 1U) != 0;
}

void decode_product(Decoder& d, Step& step) {
  Warpgroup w;
  take_aligned(d);
  take_types(d, w);
  w.a_in_registers = d.operand(1).kind == Operand::Kind::vector;
  take_modifiers(d, w);
  std::vector<uint32_t> words = words_of(w), places;
  if (w.a_in_registers) {
    for (const Operand& part : d.operand(1).parts) {
      if (d.register_bytes(part) != 4) d.refuse("A is four registers of 32 bits");
    }
    if (matrix_sources(d, d.operand(1), Type::b32, places) != 4) d.refuse("A is four registers of 32 bits");
  } else {
    step.a = d.source(1, Type::b64);
  }
  const auto wanted = static_cast<size_t>(warpgroup_fragment_d(w.shape.n, w.sum).registers);
  if (matrix_destinations(d, d.operand(0), Type::b32, places) != wanted)
    d.refuse(fmt::format("{} registers of D are expected", wanted));
  step.b = d.source(2, Type::b64);
  step.c = d.source(3, Type::pred);
  step.mode = d.operand(3).negated ? 1 : 0;
  step.count = w.a_in_registers ? 4 : 0;
  words.insert(words.end(), places.begin(), places.end());
  step.list = d.list(words);
}

}  // namespace parity::ptx
