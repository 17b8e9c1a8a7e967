// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// wgmma: asked for by the four warps of a warpgroup, carried out when one of them waits. Source: PTX ISA 9.0, section
// 9.7.15.
#include "optimized/ptx/instructions/wgmma.hpp"

#include <algorithm>

#include "optimized/ptx/instructions/matrix.hpp"
#include "optimized/ptx/machine/access.hpp"
#include "optimized/ptx/matrix/descriptor.hpp"
#include "optimized/ptx/matrix/product.hpp"
#include "optimized/ptx/matrix/warpgroup_fragment.hpp"
#include "optimized/ptx/number/environment.hpp"

namespace parity::ptx {
namespace {

constexpr uint32_t kWarps = 4;  // of a warpgroup

/// visit(address of 16 bytes, mn, k) of the first element in them, for rows [from, to) of an operand.
template <class Visit>
void each_chunk(const MatrixDescriptor& at, Major major, const Warpgroup& what, int from, int to, const Visit& visit) {
  const int wide = 128 / bits_of(what.operand);
  const int k_step = major == Major::k ? wide : 1, mn_step = major == Major::k ? 1 : wide;
  for (int mn = from; mn < to; mn += mn_step) {
    for (int k = 0; k < what.shape.k; k += k_step) visit(operand_address(at, major, what.operand, mn, k), mn, k);
  }
}

struct Side {
  MatrixDescriptor at;
  Major major;
  int from, to;  // rows of A or columns of B that the warp multiplies
};

Side side_b(const PendingMatrix& pending, const Warpgroup& what) {
  return {decode_descriptor(pending.b), what.b_major, 0, what.shape.n};
}
Side side_a(const Warp& warp, const PendingMatrix& pending, const Warpgroup& what) {
  const int first = static_cast<int>(warp.index % kWarps) * 16;
  return {decode_descriptor(pending.a), what.a_major, first, first + 16};
}

bool inside(const Warp& warp, uint32_t address) {
  return address >= kSharedStart && address + 16 <= warp.block->shared.size();
}

/// With checks, when it is asked for: what the operand's bytes are, and that they are being read from now on.
void begin_reading(Warp& warp, const Step& step, const Side& side, const Warpgroup& what) {
  Lanes lanes;
  lanes.shared = 1;
  lanes.home[0] = warp.block;
  bool reported = false;
  each_chunk(side.at, side.major, what, side.from, side.to, [&](uint32_t address, int, int) {
    if (!inside(warp, address)) {
      if (!reported)
        warp.find(Finding::Kind::out_of_bounds, step, 0,
                  fmt::format("an operand of the product lies at shared offset {} of {}",
                              static_cast<int64_t>(address) - kSharedStart, warp.block->shared.size() - kSharedStart));
      reported = true;
      return;
    }
    if (!warp.checks) return;
    lanes.address[0] = address;
    observe_read(warp, step, lanes, 0, 16);
    check_proxy(warp, step, lanes, 0, 16);
    ++warp.block->readers[address / Block::kReadUnit];
  });
}

void end_reading(const Warp& warp, const Side& side, const Warpgroup& what) {
  each_chunk(side.at, side.major, what, side.from, side.to, [&](uint32_t address, int, int) {
    if (inside(warp, address)) --warp.block->readers[address / Block::kReadUnit];
  });
}

void ask(Warp& warp, const Step& step) {
  if (!whole_warp(warp, step)) return;
  const uint32_t* words = warp.frame->code->lists.data() + step.list;
  const Warpgroup what = warpgroup_of(words);
  if (warp.block->warps.size() < warp.index / kWarps * kWarps + kWarps)
    warp.find(Finding::Kind::warp_divergence, step, 0, "the block has no four warps here; a warpgroup is four warps");
  PendingMatrix pending;
  pending.frame = warp.frame;
  pending.step = &step;
  pending.adds = adds(warp, step);
  pending.group = warp.matrix_group;
  pending.b = warp.at<uint64_t>(step.b)[0];
  if (!what.a_in_registers) pending.a = warp.at<uint64_t>(step.a)[0];
  try {
    const Side b = side_b(pending, what);
    check_operand(b.at, b.major, what.operand, what.shape.n);
    begin_reading(warp, step, b, what);
    if (!what.a_in_registers) {
      const Side a = side_a(warp, pending, what);
      check_operand(a.at, a.major, what.operand, what.shape.m);
      begin_reading(warp, step, a, what);
    }
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("PTX line {}: {}", step.line, error.what()));
  }
  if (warp.checks) {
    warp.hold(pending);
    pending.time = warp.order->clock[0]++;
  }
  warp.matrices.push_back(pending);
}

/// f(number of a code), for codes of this type.
template <class T, class F>
void with_numbers(MatrixType type, const F& f) {
  if constexpr (std::is_same_v<T, int32_t>) {
    return type == MatrixType::s8 ? f(&integer_of<MatrixType::s8>, uint8_t{})
                                  : f(&integer_of<MatrixType::u8>, uint8_t{});
  } else {
    switch (type) {
      case MatrixType::f16:
        return f([](uint32_t code) { return widened<MatrixType::f16>(code); }, uint16_t{});
      case MatrixType::bf16:
        return f([](uint32_t code) { return widened<MatrixType::bf16>(code); }, uint16_t{});
      case MatrixType::tf32:
        return f([](uint32_t code) { return widened<MatrixType::tf32>(code); }, uint32_t{});
      case MatrixType::e4m3:
        return f([](uint32_t code) { return widened<MatrixType::e4m3>(code); }, uint8_t{});
      default:
        return f([](uint32_t code) { return widened<MatrixType::e5m2>(code); }, uint8_t{});
    }
  }
}

/// put(mn, k, number) for each element of a side.
template <class T, class Put>
void gather(const Warp& warp, const Side& side, const Warpgroup& what, MatrixType type, const Put& put_at) {
  with_numbers<T>(type, [&](auto number, auto code_of) {
    using Code_ = decltype(code_of);
    constexpr int kWide = 16 / sizeof(Code_);
    each_chunk(side.at, side.major, what, side.from, side.to, [&](uint32_t address, int mn, int k) {
      std::array<Code_, kWide> codes{};
      if (inside(warp, address)) std::memcpy(codes.data(), warp.block->shared.data() + address, 16);
      const bool along_k = side.major == Major::k;
      for (int x = 0; x < kWide; ++x)
        put_at(mn - side.from + (along_k ? 0 : x), k + (along_k ? x : 0), number(codes[static_cast<size_t>(x)]));
    });
  });
}

template <class T>
void gather_registers(const PendingMatrix& pending, const Warpgroup& what, const uint32_t* registers, T* dense) {
  with_numbers<T>(what.a, [&](auto number, auto code_of) {
    constexpr int kElements = 4 / sizeof(code_of);
    for (int place = 0; place < 4; ++place) {
      const auto* words = reinterpret_cast<const uint32_t*>(pending.frame->file.get() + registers[place]);
      for (int lane = 0; lane < 32; ++lane) {
        for (int e = 0; e < kElements; ++e) {
          const MatrixPosition at = warpgroup_position_a(what.a, lane, place, e);
          const auto code = static_cast<decltype(code_of)>(words[lane] >> (32 / kElements * e % 32));
          dense[at.row * what.shape.k + at.column] = number(code);
        }
      }
    }
  });
}

/// B is the same for the four warps of a warpgroup, as long as they are carried out in one wait.
template <class T>
struct GatheredB {
  uint64_t wait = 0, descriptor = 0;
  const Step* step = nullptr;
  std::array<T, 32 * 256> numbers;
};
thread_local uint64_t waits = 0;

template <class T>
const T* numbers_of_b(const Warp& warp, const PendingMatrix& pending, const Warpgroup& what) {
  thread_local GatheredB<T> last;
  if (last.wait == waits && last.descriptor == pending.b && last.step == pending.step) return last.numbers.data();
  last.wait = waits;
  last.descriptor = pending.b;
  last.step = pending.step;
  gather<T>(warp, side_b(pending, what), what, what.b,
            [&, n = what.shape.n](int mn, int k, T x) { last.numbers[static_cast<size_t>(k * n + mn)] = x; });
  return last.numbers.data();
}

/// visit(word of a register, shift of the element in it, index in the 16 rows of the warp)
template <class Visit>
void each_sum(const PendingMatrix& pending, const Warpgroup& what, const uint32_t* registers, const Visit& visit) {
  const MatrixFragment fragment = warpgroup_fragment_d(what.shape.n, what.sum);
  for (int number = 0; number < fragment.registers; ++number) {
    auto* words = reinterpret_cast<uint32_t*>(pending.frame->file.get() + registers[number]);
    for (int e = 0; e < fragment.elements; ++e) {
      const MatrixPosition first = warpgroup_position_d(what.sum, 0, number, e);
      const int start = first.row * what.shape.n + first.column;
      for (int lane = 0; lane < 32; ++lane)
        visit(words[lane], 16 * e, static_cast<size_t>(start + lane / 4 * what.shape.n + lane % 4 * 2));
    }
  }
}

template <class T>
void multiply_and_add(const Warp& warp, const PendingMatrix& pending, const Warpgroup& what, const uint32_t* words) {
  const T* b = numbers_of_b<T>(warp, pending, what);
  std::array<T, 16 * 32> a;
  std::array<T, size_t{16} * 256> sums{};
  if (what.a_in_registers) {
    gather_registers(pending, what, words, a.data());
  } else {
    gather<T>(warp, side_a(warp, pending, what), what, what.a,
              [&, k_all = what.shape.k](int mn, int k, T x) { a[static_cast<size_t>(mn * k_all + k)] = x; });
  }
  if (what.negated) {
    for (T& x : a) x = -x;
  }
  const uint32_t* registers = words + (what.a_in_registers ? 4 : 0);
  const bool half = what.sum == MatrixType::f16;
  if (pending.adds) {
    each_sum(pending, what, registers, [&](uint32_t word, int shift, size_t at) {
      sums[at] =
          half ? static_cast<T>(native::f32_of_f16(static_cast<uint16_t>(word >> shift))) : std::bit_cast<T>(word);
    });
  }
  if constexpr (std::is_same_v<T, int32_t>) {
    multiply_integer(16, what.shape.n, what.shape.k, a.data(), b, sums.data(), sums.data(), what.satfinite);
  } else {
    multiply(16, what.shape.n, what.shape.k, a.data(), b, sums.data(), sums.data(),
             warp.worker->machine.options.summation);
  }
  each_sum(pending, what, registers, [&](uint32_t& word, int shift, size_t at) {
    if (half) {
      const uint32_t code = native::f16_of_f32(static_cast<float>(sums[at]));
      word = (word & ~(0xFFFFU << shift)) | code << shift;
    } else {
      word = std::bit_cast<uint32_t>(sums[at]);
    }
  });
}

void carry_out(Warp& warp, PendingMatrix& pending) {
  const NearestEnvironment nearest;
  const uint32_t* words = pending.frame->code->lists.data() + pending.step->list;
  const Warpgroup what = warpgroup_of(words);
  words += Warpgroup::kWords;
  is_integer(what.a) ? multiply_and_add<int32_t>(warp, pending, what, words)
                     : multiply_and_add<float>(warp, pending, what, words);
  pending.done = true;
  if (!warp.checks) return;
  end_reading(warp, side_b(pending, what), what);
  if (!what.a_in_registers) end_reading(warp, side_a(warp, pending, what), what);
}

/// The warps of the warpgroup have asked for groups below `end`. False: one of them has still to come.
bool all_asked(Warp& warp, const Step& step, uint32_t end) {
  const auto& warps = warp.block->warps;
  const size_t first = warp.index / kWarps * kWarps;
  for (size_t w = first; w < std::min<size_t>(first + kWarps, warps.size()); ++w) {
    if (warps[w]->matrix_group >= end) continue;
    if (warps[w]->live != 0) return false;
    warp.find(Finding::Kind::warp_divergence, step, 0,
              fmt::format("warp {} of the warpgroup has exited without the products that are waited for", w));
  }
  return true;
}

/// One warp may signal for the warpgroup that an operand can be overwritten: it has to know when the others' reads were.
void learn_reads(Warp& warp, const Warp& other, uint32_t end) {
  Gathering gathering(warp.block->number, warp.worker->machine.warps_per_block * kLanes);
  for (const PendingMatrix& pending : other.matrices) {
    if (pending.group < end) gathering.add(other.thread_of(0), pending.time);
  }
  const Known times = gathering.take();
  for (uint32_t lane = 0; lane < kLanes; ++lane) warp.acquire(lane, times);
}

/// Groups but the `immediate` newest are complete.
void wait_group(Warp& warp, const Step& step) {
  if (!whole_warp(warp, step)) return;
  const auto newest = static_cast<uint32_t>(step.immediate);
  const uint32_t end = warp.matrix_group < newest ? 0 : warp.matrix_group - newest;
  if (!all_asked(warp, step, end)) {
    warp.next = warp.pc;
    warp.poll_in_vain();
    return;
  }
  warp.spinning = 0;
  const auto& warps = warp.block->warps;
  const size_t first = warp.index / kWarps * kWarps, last = std::min<size_t>(first + kWarps, warps.size());
  ++waits;
  bool more = true;
  for (size_t i = 0; more; ++i) {
    more = false;
    for (size_t w = first; w < last; ++w) {
      if (i >= warps[w]->matrices.size()) continue;
      more = true;
      PendingMatrix& pending = warps[w]->matrices[i];
      if (pending.group < end && !pending.done) carry_out(*warps[w], pending);
    }
  }
  for (size_t w = first; warp.checks && w < last; ++w) {
    if (!warps[w]->matrices.empty()) learn_reads(warp, *warps[w], end);
  }
  std::erase_if(warp.matrices, [&](const PendingMatrix& pending) { return pending.group < end; });
  if (warp.checks) warp.hold_again();
}

void commit(Warp& warp, const Step& step) {
  if (whole_warp(warp, step)) ++warp.matrix_group;
}
void fence(Warp& warp, const Step& step) {
  if (whole_warp(warp, step)) ++warp.fence_epoch;
}

}  // namespace

Handler wgmma_group(Decoder& d, Step& step) {
  if (d.is("setmaxnreg")) {
    for (const std::string_view part : d.parts()) d.take(part);
    return [](Warp&, const Step&) {};  // registers are not shared out here
  }
  if (!d.is("wgmma")) return nullptr;
  step.holds = true;
  if (d.take("mma_async")) {
    decode_product(d, step);
    return &ask;
  }
  take_aligned(d);
  if (d.take("fence")) return d.need(0), &fence;
  if (d.take("commit_group")) return d.need(0), &commit;
  if (!d.take("wait_group")) d.refuse("this operation is not known");
  d.need(1);
  if (d.operand(0).kind != Operand::Kind::integer) d.refuse("a number of groups is expected");
  step.immediate = static_cast<int64_t>(d.operand(0).bits);
  return &wait_group;
}

}  // namespace parity::ptx
