// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// wmma.mma. Source: PTX ISA 9.0, section 9.7.14.4.5.
#include "optimized/ptx/instructions/wmma.hpp"

#include <algorithm>
#include <cctype>

#include "optimized/ptx/counting/hooks.hpp"
#include "optimized/ptx/instructions/matrix.hpp"
#include "optimized/ptx/matrix/product.hpp"
#include "optimized/ptx/number/environment.hpp"

namespace parity::ptx {
namespace {

constexpr size_t kMostFactor = 32 * 16, kMostSum = 16 * 16;  // elements; those of m8n32 and m32n8 are as many

/// What Code::lists holds, before the offsets of the registers of d, a, b and c.
struct WmmaWord {
  enum At : uint8_t { m, n, k, a_type, c_type, d_type, satfinite, rounding, words };
};

struct WmmaProduct {
  MmaShape shape;
  MatrixType factors = MatrixType::f16, c = MatrixType::f32, d = MatrixType::f32;
  const uint32_t* offsets = nullptr;
};

WmmaProduct product_of(const Warp& warp, const Step& step) {
  const uint32_t* list = warp.frame->code->lists.data() + step.list;
  return {
      {static_cast<int>(list[WmmaWord::m]), static_cast<int>(list[WmmaWord::n]), static_cast<int>(list[WmmaWord::k])},
      static_cast<MatrixType>(list[WmmaWord::a_type]),
      static_cast<MatrixType>(list[WmmaWord::c_type]),
      static_cast<MatrixType>(list[WmmaWord::d_type]),
      list + WmmaWord::words};
}

/// visit(word of a register and lane, index of its first element in the matrix)
template <class U, class Visit>
void each_word(const Warp& warp, const WmmaMatrix& matrix, const uint32_t* offsets, const Visit& visit) {
  const int width = elements_per_register(matrix.type);
  for (int number = 0; number < matrix.distinct(); ++number) {
    U* lanes = warp.at<U>(offsets[number]);
    for (int lane = 0; lane < 32; ++lane)
      visit(lanes[lane], static_cast<size_t>(lane * matrix.elements() + number * width));
  }
}

template <MatrixType type, class T>
void read(const Warp& warp, const WmmaMatrix& matrix, const uint32_t* offsets, T* dense) {
  constexpr unsigned kBits = bits_of(type), kWidth = elements_per_register(type);
  constexpr uint32_t kCode = kBits == 32 ? ~uint32_t{0} : (uint32_t{1} << kBits % 32) - 1;
  each_word<uint32_t>(warp, matrix, offsets, [&](uint32_t word, size_t at) {
    for (unsigned i = 0; i < kWidth; ++i) {
      const uint32_t code = word >> i * kBits & kCode;
      if constexpr (std::is_same_v<T, float>) {
        dense[at + i] = widened<type>(code);
      } else {
        dense[at + i] = integer_of<type>(code);
      }
    }
  });
}

void read_real(const Warp& warp, const WmmaMatrix& matrix, const uint32_t* offsets, float* dense) {
  switch (matrix.type) {
    case MatrixType::f16:
      return read<MatrixType::f16>(warp, matrix, offsets, dense);
    case MatrixType::bf16:
      return read<MatrixType::bf16>(warp, matrix, offsets, dense);
    case MatrixType::tf32:
      return read<MatrixType::tf32>(warp, matrix, offsets, dense);
    case MatrixType::f32:
      return read<MatrixType::f32>(warp, matrix, offsets, dense);
    default:
      throw Error(ErrorCode::internal, "wmma of a type that check_wmma refuses; check the instruction first");
  }
}

void read_integer(const Warp& warp, const WmmaMatrix& matrix, const uint32_t* offsets, int32_t* dense) {
  if (matrix.type == MatrixType::s8) return read<MatrixType::s8>(warp, matrix, offsets, dense);
  if (matrix.type == MatrixType::u8) return read<MatrixType::u8>(warp, matrix, offsets, dense);
  read<MatrixType::s32>(warp, matrix, offsets, dense);
}

/// The operands of a product, in the order in which their registers lie in the list.
struct Matrices {
  explicit Matrices(const WmmaProduct& of)
      : d(wmma_matrix(of.shape, WmmaOperand::d, of.d)),
        a(wmma_matrix(of.shape, WmmaOperand::a, of.factors)),
        b(wmma_matrix(of.shape, WmmaOperand::b, of.factors)),
        c(wmma_matrix(of.shape, WmmaOperand::c, of.c)),
        at_d(of.offsets),
        at_a(at_d + wmma_registers(d, WmmaOperand::d)),
        at_b(at_a + wmma_registers(a, WmmaOperand::a)),
        at_c(at_b + wmma_registers(b, WmmaOperand::b)) {}
  WmmaMatrix d, a, b, c;
  const uint32_t *at_d, *at_a, *at_b, *at_c;
};

void multiply_reals(const Warp& warp, const WmmaProduct& product) {
  const Matrices x(product);
  const NearestEnvironment nearest;
  std::array<float, kMostFactor> a, b;
  std::array<float, kMostSum> sums;
  read_real(warp, x.a, x.at_a, a.data());
  read_real(warp, x.b, x.at_b, b.data());
  read_real(warp, x.c, x.at_c, sums.data());
  const MmaShape& s = product.shape;
  multiply(s.m, s.n, s.k, a.data(), b.data(), sums.data(), sums.data(), {product.factors, product.factors, product.d},
           warp.worker->machine.options.summation);
  each_word<uint32_t>(warp, x.d, x.at_d, [&](uint32_t& word, size_t at) {
    word = product.d == MatrixType::f32
               ? std::bit_cast<uint32_t>(sums[at])
               : native::f16_of_f32(sums[at]) | static_cast<uint32_t>(native::f16_of_f32(sums[at + 1])) << 16U;
  });
}

void multiply_integers(const Warp& warp, const WmmaProduct& product, bool clamps) {
  const Matrices x(product);
  std::array<int32_t, kMostFactor> a, b;
  std::array<int32_t, kMostSum> sums;
  read_integer(warp, x.a, x.at_a, a.data());
  read_integer(warp, x.b, x.at_b, b.data());
  read_integer(warp, x.c, x.at_c, sums.data());
  const MmaShape& s = product.shape;
  multiply_integer(s.m, s.n, s.k, a.data(), b.data(), sums.data(), sums.data(), clamps);
  each_word<uint32_t>(warp, x.d, x.at_d, [&](uint32_t& word, size_t at) { word = static_cast<uint32_t>(sums[at]); });
}

void multiply_doubles(const Warp& warp, const WmmaProduct& product, RoundingMode mode) {
  const Matrices x(product);
  std::array<double, kMostFactor> a, b;
  std::array<double, kMostSum> sums;
  const auto read_doubles = [&](const WmmaMatrix& matrix, const uint32_t* offsets, double* dense) {
    each_word<uint64_t>(warp, matrix, offsets,
                        [&](uint64_t word, size_t at) { dense[at] = std::bit_cast<double>(word); });
  };
  read_doubles(x.a, x.at_a, a.data());
  read_doubles(x.b, x.at_b, b.data());
  read_doubles(x.c, x.at_c, sums.data());
  const MmaShape& s = product.shape;
  multiply_f64(s.m, s.n, s.k, a.data(), b.data(), sums.data(), sums.data(), mode);
  each_word<uint64_t>(warp, x.d, x.at_d, [&](uint64_t& word, size_t at) { word = std::bit_cast<uint64_t>(sums[at]); });
}

void execute_wmma(Warp& warp, const Step& step) {
  if (!whole_warp(warp, step)) return;
  const WmmaProduct product = product_of(warp, step);
  count_products(warp, step,
                 {to_string(product.factors), static_cast<uint32_t>(product.shape.m),
                  static_cast<uint32_t>(product.shape.n), static_cast<uint32_t>(product.shape.k), 1});
  const uint32_t* list = product.offsets - WmmaWord::words;
  if (product.factors == MatrixType::f64)
    return multiply_doubles(warp, product, static_cast<RoundingMode>(list[WmmaWord::rounding]));
  if (is_integer(product.factors)) return multiply_integers(warp, product, list[WmmaWord::satfinite] != 0);
  multiply_reals(warp, product);
}

/// Of f16 factors ".f32.f16" names D and C; of others ".s32.s8.s8.s32" names all four.
std::vector<MatrixType> take_wmma_types(Decoder& d) {
  const auto is_type = [](std::string_view part) {
    return std::isdigit(static_cast<unsigned char>(part.back())) != 0 && part.front() != 'm';
  };
  const auto count = std::count_if(d.parts().begin(), d.parts().end(), is_type);
  std::vector<MatrixType> types;
  for (ptrdiff_t i = 0; i < count; ++i) types.push_back(with_line(d, [&] { return matrix_type_of(d.take_next()); }));
  if (count == 2) types.insert(types.begin() + 1, 2, MatrixType::f16);
  if (types.size() != 4) d.refuse("two types, of D and C, or four, of D, A, B and C, are expected");
  return types;
}

Handler product(Decoder& d, Step& step) {
  take_aligned(d);
  const MmaShape shape = take_shape(d);
  for (int i = 0; i < 2; ++i) {
    if (const auto layout = d.take_next(); layout != "row" && layout != "col") d.refuse("'.row' or '.col' is expected");
  }
  const bool clamps = d.take("satfinite");
  constexpr std::array kModes{RoundingMode::nearest, RoundingMode::zero, RoundingMode::down, RoundingMode::up};
  const int mode = std::max(d.take_one({"rn", "rz", "rm", "rp"}), 0);
  const std::vector<MatrixType> types = take_wmma_types(d);
  with_line(d, [&] { check_wmma(shape, types[1], types[2], types[3], types[0]); });
  if (clamps && !is_integer(types[1])) d.refuse("'.satfinite' is only for integers here");
  std::vector<uint32_t> list;
  for (const int word :
       {shape.m, shape.n, shape.k, static_cast<int>(types[1]), static_cast<int>(types[3]), static_cast<int>(types[0]),
        clamps ? 1 : 0, static_cast<int>(kModes.at(static_cast<size_t>(mode)))})
    list.push_back(static_cast<uint32_t>(word));
  d.need(4);
  const Type type = types[1] == MatrixType::f64 ? Type::b64 : Type::b32;
  constexpr std::array kOrder{WmmaOperand::d, WmmaOperand::a, WmmaOperand::b, WmmaOperand::c};
  for (size_t i = 0; i < kOrder.size(); ++i) {
    const size_t given =
        i == 0 ? matrix_destinations(d, d.operand(i), type, list) : matrix_sources(d, d.operand(i), type, list);
    const size_t wanted = wmma_registers(wmma_matrix(shape, kOrder[i], types[i]), kOrder[i]);
    if (given != wanted) d.refuse(fmt::format("operand {} has {} registers, {} are expected", i, given, wanted));
  }
  step.list = d.list(list);
  return &execute_wmma;
}

}  // namespace

Handler wmma_group(Decoder& d, Step& step) {
  if (!d.is("wmma")) return nullptr;
  if (d.take("load")) return wmma_memory(d, step, false);
  if (d.take("store")) return wmma_memory(d, step, true);
  if (!d.take("mma")) d.refuse("'.load', '.store' or '.mma' is expected");
  return product(d, step);
}

}  // namespace parity::ptx
