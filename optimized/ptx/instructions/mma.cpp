// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// mma.sync of dense matrices. Source: PTX ISA 9.0, section 9.7.14.5.14.
#include "optimized/ptx/matrix/mma.hpp"

#include "optimized/ptx/counting/hooks.hpp"
#include "optimized/ptx/instructions/matrix.hpp"

namespace parity::ptx {
namespace {

constexpr size_t kMost = 8;  // registers of an operand

/// What Code::lists holds of an mma, before the offsets of d, a, b and c.
struct MmaWord {
  enum At : uint8_t { m, n, k, a_type, b_type, c_type, d_type, flags, rounding, count };
};
struct MmaFlag {
  enum Bit : uint8_t { saturates = 1, conjunction = 2, a_by_rows = 4, b_by_rows = 8 };
};

Mma mma_of(const uint32_t* words) {
  Mma mma;
  mma.shape = {static_cast<int>(words[MmaWord::m]), static_cast<int>(words[MmaWord::n]),
               static_cast<int>(words[MmaWord::k])};
  mma.a = static_cast<MatrixType>(words[MmaWord::a_type]);
  mma.b = static_cast<MatrixType>(words[MmaWord::b_type]);
  mma.c = static_cast<MatrixType>(words[MmaWord::c_type]);
  mma.d = static_cast<MatrixType>(words[MmaWord::d_type]);
  mma.satfinite = (words[MmaWord::flags] & MmaFlag::saturates) != 0;
  mma.logical_and = (words[MmaWord::flags] & MmaFlag::conjunction) != 0;
  mma.a_row_major = (words[MmaWord::flags] & MmaFlag::a_by_rows) != 0;
  mma.b_row_major = (words[MmaWord::flags] & MmaFlag::b_by_rows) != 0;
  mma.rounding = static_cast<RoundingMode>(words[MmaWord::rounding]);
  return mma;
}

std::vector<uint32_t> words_of(const Mma& mma) {
  const int all = (mma.satfinite ? MmaFlag::saturates : 0) | (mma.logical_and ? MmaFlag::conjunction : 0) |
                  (mma.a_row_major ? MmaFlag::a_by_rows : 0) | (mma.b_row_major ? MmaFlag::b_by_rows : 0);
  std::vector<uint32_t> words;
  for (const int word : {mma.shape.m, mma.shape.n, mma.shape.k, static_cast<int>(mma.a), static_cast<int>(mma.b),
                         static_cast<int>(mma.c), static_cast<int>(mma.d), all, static_cast<int>(mma.rounding)})
    words.push_back(static_cast<uint32_t>(word));
  return words;
}

/// Counts of registers of d, a, b and c lie in d2, mode, mode2 and count of the step.
template <class U>
void execute(Warp& warp, const Step& step) {
  if (!whole_warp(warp, step)) return;
  const uint32_t* words = warp.frame->code->lists.data() + step.list;
  const Mma mma = mma_of(words);
  words += MmaWord::count;
  count_products(warp, step,
                 {to_string(mma.a), static_cast<uint32_t>(mma.shape.m), static_cast<uint32_t>(mma.shape.n),
                  static_cast<uint32_t>(mma.shape.k), 1});
  std::array<U*, kMost> d{};
  std::array<const U*, kMost> a{}, b{}, c{};
  for (uint32_t i = 0; i < step.d2; ++i) d[i] = warp.at<U>(*words++);
  for (uint32_t i = 0; i < step.mode; ++i) a[i] = warp.at<U>(*words++);
  for (uint32_t i = 0; i < step.mode2; ++i) b[i] = warp.at<U>(*words++);
  for (uint32_t i = 0; i < step.count; ++i) c[i] = warp.at<U>(*words++);
  if constexpr (sizeof(U) == 8) {
    execute_mma_f64(mma, a.data(), b.data(), c.data(), d.data());
  } else {
    execute_mma(mma, a.data(), b.data(), c.data(), d.data(), warp.worker->machine.options.summation);
  }
}

/// The parts of the opcode that remain are the four types, in this order: d, a, b, c.
void take_types(Decoder& d, Mma& mma) {
  for (MatrixType* const type : {&mma.d, &mma.a, &mma.b, &mma.c})
    *type = with_line(d, [&] { return matrix_type_of(d.take_next()); });
}

Mma mma_from(Decoder& d) {
  Mma mma;
  take_aligned(d);
  mma.shape = take_shape(d);
  d.take("kind::f8f6f4");  // the same products: it names types that are refused below
  mma.a_row_major = d.take_next() == "row";
  mma.b_row_major = d.take_next() == "row";
  mma.satfinite = d.take("satfinite");
  mma.logical_and = d.take("and");
  d.take("xor");
  d.take("popc");
  constexpr std::array kRoundings{RoundingMode::nearest, RoundingMode::zero, RoundingMode::down, RoundingMode::up};
  if (const int mode = d.take_one({"rn", "rz", "rm", "rp"}); mode >= 0)
    mma.rounding = kRoundings.at(static_cast<size_t>(mode));
  take_types(d, mma);
  with_line(d, [&] { check_mma(mma); });
  return mma;
}

/// Registers that a lane holds of each operand. m8n8k4 of f16 has four products: its A and B are two registers.
struct Registers {
  size_t a = 0, b = 0, c = 0, d = 0;
  bool operator==(const Registers&) const = default;
};
Registers registers_of(const Mma& mma) {
  const bool quad = mma.shape == MmaShape{8, 8, 4} && mma.a == MatrixType::f16;
  const auto of_sum = [&](MatrixType type) {
    return quad ? (type == MatrixType::f16 ? 4 : 8) : fragment_c(mma.shape, type).registers;
  };
  const int a = quad ? 2 : fragment_a(mma.shape, mma.a).registers;
  const int b = quad ? 2 : fragment_b(mma.shape, mma.b).registers;
  return {static_cast<size_t>(a), static_cast<size_t>(b), static_cast<size_t>(of_sum(mma.c)),
          static_cast<size_t>(of_sum(mma.d))};
}

}  // namespace

Handler mma_group(Decoder& d, Step& step) {
  if (!d.is("mma")) return nullptr;
  const Mma mma = mma_from(d);
  const Registers wanted = registers_of(mma);
  const Type type = mma.a == MatrixType::f64 ? Type::b64 : Type::b32;
  d.need(4);
  std::vector<uint32_t> words = words_of(mma);
  Registers given{};
  given.d = matrix_destinations(d, d.operand(0), type, words);
  given.a = matrix_sources(d, d.operand(1), type, words);
  given.b = matrix_sources(d, d.operand(2), type, words);
  given.c = matrix_sources(d, d.operand(3), type, words);
  if (given != wanted)
    d.refuse(
        fmt::format("operands of {}, {}, {} and {} registers are expected", wanted.d, wanted.a, wanted.b, wanted.c));
  step.d2 = static_cast<uint32_t>(given.d);
  step.mode = static_cast<uint8_t>(given.a);
  step.mode2 = static_cast<uint8_t>(given.b);
  step.count = static_cast<uint8_t>(given.c);
  step.list = d.list(words);
  return type == Type::b64 ? &execute<uint64_t> : &execute<uint32_t>;
}

}  // namespace parity::ptx
