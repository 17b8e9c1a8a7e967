// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// cp.async.bulk.tensor and cp.reduce.async.bulk.tensor, tiled mode. Source: PTX ISA 9.0, section 9.7.9.27.
#include <bit>

#include "optimized/ptx/instructions/bulk.hpp"
#include "optimized/ptx/matrix/tensor_box.hpp"

namespace parity::ptx {
namespace {

/// Code::lists: addresses of the map, of shared memory, of the mbarrier; then the coordinates.
struct TensorWord {
  enum At : uint8_t { map = 0, shared = 3, mbarrier = 6, coordinates = 9 };
};

const uint32_t* words_of(const Warp& warp, const Step& step) { return warp.frame->code->lists.data() + step.list; }

/// The 128 bytes of a tensor map: in global or constant memory, or in a parameter of the kernel.
const uint8_t* map_bytes(Warp& warp, const Step& step, uint32_t lane) {
  constexpr uint64_t kBytes = sizeof(TensorMapBytes);
  uint64_t address = address_at(warp, words_of(warp, step) + TensorWord::map, lane);
  const auto& given = warp.worker->machine.launch.parameters.bytes();
  const bool of_launch = window_of(address) == kParamWindow;
  const Allocation* found = of_launch ? nullptr : warp.worker->machine.device.nearest(address);
  if (of_launch) address -= kParamWindow;
  if (found != nullptr) address -= found->base;
  const uint64_t size = of_launch ? given.size() : found == nullptr || found->freed ? 0 : found->bytes;
  if (address + kBytes <= size) return (of_launch ? given.data() : found->data.get()) + address;
  warp.find(Finding::Kind::out_of_bounds, step, lane, "there is no tensor map of 128 bytes at its address");
  return nullptr;
}

/// Errors of a map or its box get the line.
template <class Read>
auto with_step(const Step& step, const Read& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw Error(error.code(), fmt::format("PTX line {}: {}", step.line, error.what()));
  }
}

NumberType number_type_of(TensorElement element) {
  switch (element) {
    case TensorElement::u32:
      return NumberType::u32;
    case TensorElement::s32:
      return NumberType::s32;
    case TensorElement::u64:
      return NumberType::u64;
    case TensorElement::s64:
      return NumberType::s64;
    case TensorElement::f16:
      return NumberType::f16;
    case TensorElement::bf16:
      return NumberType::bf16;
    case TensorElement::f32:
      return NumberType::f32;
    default:
      return NumberType::f64;
  }
}

struct Box {
  TensorMap tensor;
  std::vector<BoxRun> runs;
};

Box box_of(const Warp& warp, const Step& step, uint32_t lane, const uint8_t* bytes, uint32_t address) {
  return with_step(step, [&] {
    Box box{decode_tensor_map(std::span<const std::byte, 128>(reinterpret_cast<const std::byte*>(bytes), 128)), {}};
    std::array<int32_t, kMostDimensions> at{};
    for (uint32_t i = 0; i < step.count; ++i)
      at[i] = warp.at<int32_t>(words_of(warp, step)[TensorWord::coordinates + i])[lane];
    box.runs = box_runs(box.tensor, std::span<const int32_t>(at).first(step.count), address);
    return box;
  });
}

/// Where an end in shared memory begins; null: a finding. Bytes are looked at run by run.
bool shared_start(Warp& warp, const Step& step, uint32_t lane, uint64_t address, uint32_t& offset) {
  offset = static_cast<uint32_t>(address & kSharedOffset);
  if (offset % 128 == 0) return true;
  warp.find(Finding::Kind::misaligned, step, lane,
            fmt::format("the box of a tensor lies at shared address 0x{:x}; it must be a multiple of 128", offset));
  return false;
}

void load_to(Warp& warp, const Step& step, uint32_t l, uint64_t rank, const Box& box) {
  const uint32_t* words = words_of(warp, step);
  const auto placed = [&](uint64_t address) {
    return rank == 0 ? address : (address & kSharedOffset) | rank << kRankShift;
  };
  const uint64_t start = placed(address_at(warp, words + TensorWord::shared, l)) & ~kSharedOffset;
  PendingBulk bulk = begin_bulk(warp, l);
  bulk.again = rank != 0 && (warp.at<uint16_t>(step.e)[l] & ((1U << (rank - 1)) - 1)) != 0;
  bulk.bytes = static_cast<uint32_t>(box_bytes(box.tensor));
  bulk.fill = fill_code(box.tensor);
  bulk.fill_bytes = element_bytes(box.tensor.element);
  const BulkEnd from{warp, step, l, Intent::read, 1}, to{warp, step, l, Intent::write, 1};
  for (const BoxRun& run : box.runs) {
    if (run.inside && !from.global(run.global, run.bytes)) return;
    bulk.to = to.shared(start | run.shared, run.bytes);
    if (bulk.to == nullptr) return;
    bulk.pieces.push_back({run.global, run.shared, run.bytes, !run.inside});
  }
  if (!count_bytes(warp, step, l, placed(address_at(warp, words + TensorWord::mbarrier, l)), bulk)) return;
  ask_for(warp, std::move(bulk));
}

void load_box(Warp& warp, const Step& step) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!has_lane(warp.mask, l)) continue;
    const uint8_t* bytes = map_bytes(warp, step, l);
    uint32_t offset = 0;
    if (bytes == nullptr) continue;
    if (!shared_start(warp, step, l, address_at(warp, words_of(warp, step) + TensorWord::shared, l), offset)) continue;
    const Box box = box_of(warp, step, l, bytes, offset);
    const uint32_t mask = step.e == 0 ? 0 : warp.at<uint16_t>(step.e)[l];
    if (step.e == 0) load_to(warp, step, l, 0, box);
    for (Mask rest = mask; rest != 0; rest &= rest - 1)
      load_to(warp, step, l, static_cast<uint64_t>(std::countr_zero(rest)) + 1, box);
  }
}

void store_one(Warp& warp, const Step& step, uint32_t l) {
  const uint8_t* bytes = map_bytes(warp, step, l);
  const uint64_t address = address_at(warp, words_of(warp, step) + TensorWord::shared, l);
  uint32_t offset = 0;
  if (bytes == nullptr || !shared_start(warp, step, l, address, offset)) return;
  const Box box = box_of(warp, step, l, bytes, offset);
  PendingBulk bulk = begin_bulk(warp, l);
  if (step.mode2 != 0) {
    bulk.combine = combine_of(static_cast<Reduction>(step.mode2 - 1), number_type_of(box.tensor.element));
    if (bulk.combine == nullptr || element_bytes(box.tensor.element) < 2)
      throw Error(ErrorCode::unsupported,
                  fmt::format("PTX line {}: there is no such reduction of the tensor's elements", step.line));
  }
  const BulkEnd from{warp, step, l, Intent::read, 1};
  const BulkEnd to{warp, step, l, bulk.combine == nullptr ? Intent::write : Intent::update, 1};
  for (const BoxRun& run : box.runs) {
    if (!run.inside) continue;
    bulk.from = from.shared((address & ~kSharedOffset) | run.shared, run.bytes);
    if (bulk.from == nullptr || !to.global(run.global, run.bytes)) return;
    bulk.pieces.push_back({run.shared, run.global, run.bytes, false});
    bulk.bytes += run.bytes;
  }
  ask_for(warp, std::move(bulk));
}

void store_box(Warp& warp, const Step& step) {
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (has_lane(warp.mask, l)) store_one(warp, step, l);
  }
}

/// "[map, {x, y}]"
void append_map(Decoder& d, Step& step, const Operand& operand, std::vector<uint32_t>& places) {
  if (operand.kind != Operand::Kind::address || operand.parts.size() != 2) d.refuse("[map, {coordinates}] is expected");
  std::vector<uint32_t> words;
  Operand address = operand;
  address.parts.resize(1);
  append_address(d, address, words);
  std::copy(words.begin(), words.end(), places.begin() + TensorWord::map);
  const Operand& at = operand.parts[1];
  for (const Operand& part : at.parts) places.push_back(d.source(part, Type::s32));
  if (at.kind != Operand::Kind::vector || at.parts.size() != step.count)
    d.refuse(fmt::format("{} coordinates are expected", step.count));
}

}  // namespace

Handler tensor_copies(Decoder& d, Step& step, bool reduces) {
  const int rank = d.take_one({"1d", "2d", "3d", "4d", "5d"});
  if (rank < 0) d.refuse("'.1d' to '.5d' is expected");
  step.count = static_cast<uint8_t>(rank + 1);
  d.take("global");
  d.take("tile");
  const bool loads = d.take("mbarrier::complete_tx::bytes");
  if (loads == d.take("bulk_group")) d.refuse("this way to wait for a copy is not known");
  if (!d.take("shared::cluster")) d.take("shared::cta");
  const bool policy = d.take("L2::cache_hint"), many = loads && d.take("multicast::cluster");
  d.take("cta_group::1");
  if (reduces && loads) d.refuse("a reduction goes to global memory");
  if (reduces) {
    step.mode2 = static_cast<uint8_t>(static_cast<int>(take_reduction(d)) + 1);
    step.strength = Strength::relaxed;
  }
  d.need((loads ? 3U : 2U) + (many ? 1U : 0U) + (policy ? 1U : 0U));
  std::vector<uint32_t> places(TensorWord::coordinates, 0), words;
  append_map(d, step, d.operand(loads ? 1 : 0), places);
  append_address(d, d.operand(loads ? 0 : 1), words);
  if (loads) append_address(d, d.operand(2), words);
  std::copy(words.begin(), words.end(), places.begin() + TensorWord::shared);
  step.e = many ? d.source(3, Type::b16) : 0;
  step.list = d.list(places);
  return loads ? &load_box : &store_box;
}

}  // namespace parity::ptx
