// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// ld, ldu, st, and hints about caches. Source: PTX ISA 9.0, section 9.7.9.
#include "optimized/ptx/instructions/memory.hpp"

#include <atomic>
#include <bit>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/instructions/lanes.hpp"

namespace parity::ptx {
namespace {

/// Whether lane l reads or writes right after lane l - 1.
bool contiguous(const Lanes& lanes, uint32_t stride) {
  uint64_t difference = 0;
  PARITY_LANES difference |= lanes.address[l] ^ (lanes.address[0] + uint64_t{l} * stride);
  return difference == 0;
}

template <class M>
M value_at(const uint8_t* from, bool strong) {
  M value;
  if (strong) return std::atomic_ref<M>(*reinterpret_cast<M*>(const_cast<uint8_t*>(from))).load();
  std::memcpy(&value, from, sizeof value);
  return value;
}

template <class M, class D, uint32_t stride>
void take_row(const uint8_t* from, D* to) {
  M values[kLanes * stride];
  std::memcpy(values, from, sizeof values);
  PARITY_LANES to[l] = static_cast<D>(values[l * stride]);
}

template <class M, class D>
bool load_row(const Warp& warp, const Step& step, const Lanes& lanes) {
  if (!contiguous(lanes, static_cast<uint32_t>(sizeof(M)) * step.count)) return false;
  const uint32_t* to = warp.frame->code->lists.data() + step.list;
  if (step.count == 1) {
    take_row<M, D, 1>(lanes.host[0], warp.at<D>(to[0]));
    return true;
  }
  M values[kLanes * 8];
  std::memcpy(values, lanes.host[0], sizeof(M) * kLanes * step.count);
  for (uint32_t i = 0; i < step.count; ++i) {
    D* row = warp.at<D>(to[i]);
    for (uint32_t l = 0; l < kLanes; ++l) row[l] = static_cast<D>(values[l * step.count + i]);
  }
  return true;
}

/// Lanes that may not read get zeros.
template <class M, class D>
void load(Warp& warp, const Step& step) {
  Lanes lanes;
  const uint32_t bytes = sizeof(M) * step.count;
  const Mask ok = reach(warp, step, lanes, bytes, Intent::read);
  const bool strong = step.strength != Strength::weak;
  if (ok == kAllLanes && !strong && (lanes.global == kAllLanes || lanes.shared == kAllLanes) &&
      load_row<M, D>(warp, step, lanes))
    return;
  const uint32_t* to = warp.frame->code->lists.data() + step.list;
  uint64_t seen = 0;
  for (uint32_t i = 0; i < step.count; ++i) {
    D* row = warp.at<D>(to[i]);
    for (uint32_t l = 0; l < kLanes; ++l) {
      if (!has_lane(warp.mask, l)) continue;
      row[l] = has_lane(ok, l) ? static_cast<D>(value_at<M>(lanes.host[l] + i * sizeof(M), strong)) : D{0};
      if (strong) seen = seen * 31 + static_cast<uint64_t>(row[l]);
    }
  }
  if (!strong) return;
  warp.poll(step, seen);
  for (uint32_t l = 0; warp.checks && l < kLanes; ++l) {
    if (has_lane(ok, l)) learn(warp, step, lanes, l);
  }
}

/// Parameters of the launch are the same for all lanes.
template <class M, class D>
void load_launched(Warp& warp, const Step& step) {
  const uint32_t* to = warp.frame->code->lists.data() + step.list;
  const uint8_t* from = warp.worker->machine.launch.parameters.bytes().data() + step.immediate;
  for (uint32_t i = 0; i < step.count; ++i) {
    M value;
    std::memcpy(&value, from + i * sizeof(M), sizeof value);
    put_all<D>(warp, to[i], static_cast<D>(value));
  }
}

template <class M, class S>
void store(Warp& warp, const Step& step) {
  Lanes lanes;
  const uint32_t bytes = sizeof(M) * step.count;
  const Mask ok = reach(warp, step, lanes, bytes, Intent::write);
  warp.spinning &= ~(lanes.global | lanes.shared);
  const uint32_t* from = warp.frame->code->lists.data() + step.list;
  if (!warp.checks && step.strength == Strength::weak) {
    if (ok == kAllLanes && step.count == 1 && (lanes.global == kAllLanes || lanes.shared == kAllLanes) &&
        contiguous(lanes, sizeof(M))) {
      M values[kLanes];
      const S* row = warp.at<S>(from[0]);
      PARITY_LANES values[l] = static_cast<M>(row[l]);
      std::memcpy(lanes.host[0], values, sizeof values);
      return;
    }
    for (uint32_t i = 0; i < step.count; ++i) {
      const S* row = warp.at<S>(from[i]);
      for (uint32_t l = 0; l < kLanes; ++l) {
        const M value = static_cast<M>(row[l]);
        if (has_lane(ok, l)) std::memcpy(lanes.host[l] + i * sizeof(M), &value, sizeof value);
      }
    }
    return;
  }
  M values[kLanes][8];
  for (uint32_t i = 0; i < step.count; ++i) {
    for (uint32_t l = 0; l < kLanes; ++l) values[l][i] = static_cast<M>(warp.at<S>(from[i])[l]);
  }
  for (uint32_t l = 0; l < kLanes; ++l) {
    if (!has_lane(ok, l)) continue;
    if (warp.checks) observe_write(warp, step, lanes, l, bytes, std::memcmp(lanes.host[l], values[l], bytes) == 0);
    if (step.strength == Strength::weak) {
      std::memcpy(lanes.host[l], values[l], bytes);
      continue;
    }
    publish(warp, step, lanes, l, true);
    for (uint32_t i = 0; i < step.count; ++i)
      std::atomic_ref<M>(*reinterpret_cast<M*>(lanes.host[l] + i * sizeof(M))).store(values[l][i]);
  }
}

template <class M>
Handler load_of(Decoder& d, uint32_t bytes, bool launched) {
  if constexpr (sizeof(M) <= 2) {
    if (bytes == 2) return launched ? &load_launched<M, uint16_t> : &load<M, uint16_t>;
  }
  if constexpr (sizeof(M) <= 4) {
    if (bytes == 4) return launched ? &load_launched<M, uint32_t> : &load<M, uint32_t>;
  }
  if (bytes == 8) return launched ? &load_launched<M, uint64_t> : &load<M, uint64_t>;
  d.refuse("the register is narrower than what is loaded");
}

template <class M>
Handler store_of(Decoder& d, uint32_t bytes) {
  if (bytes == 2 && sizeof(M) <= 2) return &store<M, uint16_t>;
  if (bytes == 4 && sizeof(M) <= 4) return &store<M, uint32_t>;
  if (bytes == 8) return &store<M, uint64_t>;
  d.refuse("the register is narrower than what is stored");
}

Handler handler_of(Decoder& d, const Step& step, Type type, uint32_t bytes, bool stores) {
  const bool sign = is_signed(type) && !stores;
  const bool launched = step.space == Space::param && step.mode2 == 1 && step.a == d.constant(0, 8);
  if (launched && step.immediate < 0) d.refuse("an offset within the parameters is expected");
  if (stores && step.space == Space::param && step.mode2 == 1) d.refuse("parameters of a kernel are not written");
  switch (bytes_of(type)) {
    case 1:
      return stores ? store_of<uint8_t>(d, bytes)
             : sign ? load_of<int8_t>(d, bytes, launched)
                    : load_of<uint8_t>(d, bytes, launched);
    case 2:
      return stores ? store_of<uint16_t>(d, bytes)
             : sign ? load_of<int16_t>(d, bytes, launched)
                    : load_of<uint16_t>(d, bytes, launched);
    case 4:
      return stores ? store_of<uint32_t>(d, bytes)
             : sign ? load_of<int32_t>(d, bytes, launched)
                    : load_of<uint32_t>(d, bytes, launched);
    case 8:
      return stores ? store_of<uint64_t>(d, bytes) : load_of<uint64_t>(d, bytes, launched);
    default:
      d.refuse("a type of 8 to 64 bits is expected");
  }
}

/// Registers of "{%r1, %r2}" or of one operand, all of the same size, at least that of the type.
std::vector<uint32_t> registers_of(Decoder& d, const Operand& operand, Type type, bool stores, uint32_t& bytes) {
  const std::vector<Operand> alone{operand};
  const auto& all = operand.kind == Operand::Kind::vector ? operand.parts : alone;
  bytes = std::max(bytes_of(type), 2U);
  for (const Operand& each : all) bytes = std::max(bytes, d.register_bytes(each));
  std::vector<uint32_t> result;
  for (const Operand& each : all)
    result.push_back(stores ? d.source(each, type, bytes) : d.destination(each, type, bytes));
  return result;
}

/// Takes the parts that say how long a line stays in a cache; they change no value.
void take_cache_hints(Decoder& d, Step& step, size_t operands) {
  for (const std::string_view part : d.parts()) {
    if (part.starts_with("L1::") || (part.starts_with("L2::") && part != "L2::cache_hint")) d.take(part);
  }
  d.take_one({"ca", "cg", "cs", "lu", "cv", "wb", "wt"});
  d.take("nc");
  const bool policy = d.take("L2::cache_hint");
  d.need(operands + (policy ? 1 : 0));
  if (policy) static_cast<void>(d.source(operands, Type::b64));
  static_cast<void>(step);
}

Handler load_or_store(Decoder& d, Step& step) {
  const bool stores = d.is("st");
  step.space = take_space(d);
  take_order(d, step);
  take_cache_hints(d, step, 2);
  const int vector = d.take_one({"v2", "v4", "v8"});
  const Type type = d.take_type();
  const Operand& values = d.operand(stores ? 1 : 0);
  uint32_t bytes = 0;
  d.address(step, d.operand(stores ? 0 : 1));
  step.width = static_cast<uint8_t>(bytes_of(type));
  const std::vector<uint32_t> list = registers_of(d, values, type, stores, bytes);
  step.count = static_cast<uint8_t>(list.size());
  if (list.size() != (vector < 0 ? 1U : 2U << vector)) d.refuse("as many registers as the vector has are expected");
  if (step.width * step.count > 32) d.refuse("an access of at most 32 bytes is expected");
  step.list = d.list(list);
  return handler_of(d, step, type, bytes, stores);
}

/// Hints: their address, if they have one, is ignored.
Handler hints(Decoder& d, Step& step) {
  for (const std::string_view part : d.parts()) {
    if (part != d.parts().front()) d.take(part);
  }
  static_cast<void>(step);
  return &do_nothing;
}

Handler policy(Decoder& d, Step& step) {
  for (const std::string_view part : d.parts()) {
    if (part != d.parts().front()) d.take(part);
  }
  step.d = d.destination(0, Type::b64);
  return [](Warp& warp, const Step& s) { put_all<uint64_t>(warp, s.d, 0); };
}

}  // namespace

Space take_space(Decoder& d) {
  if (d.take("global") || d.take("const")) return Space::global;
  if (d.take("shared") || d.take("shared::cta") || d.take("shared::cluster")) return Space::shared;
  if (d.take("local")) return Space::local;
  if (d.take("param") || d.take("param::entry") || d.take("param::func")) return Space::param;
  return Space::generic;
}

void take_order(Decoder& d, Step& step) {
  static constexpr std::array kStrengths{Strength::relaxed,         Strength::acquire, Strength::release,
                                         Strength::acquire_release, Strength::relaxed, Strength::relaxed};
  if (d.take("weak")) return;
  const int order = d.take_one({"relaxed", "acquire", "release", "acq_rel", "volatile", "mmio"});
  if (order >= 0) step.strength = kStrengths.at(static_cast<size_t>(order));
  const int scope = d.take_one({"cta", "cluster", "gpu", "sys"});
  if (scope >= 0) step.scope = static_cast<Scope>(std::min(scope, 2));
}

Handler memory_group(Decoder& d, Step& step) {
  if (d.is("ld") || d.is("st") || d.is("ldu")) return load_or_store(d, step);
  if (d.is("prefetch") || d.is("prefetchu") || d.is("discard") || d.is("applypriority")) return hints(d, step);
  if (d.is("createpolicy")) return policy(d, step);
  return nullptr;
}

}  // namespace parity::ptx
