// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Where registers, constants, special registers and parameters of a function lie.
#include <algorithm>
#include <cstring>

#include "optimized/ptx/instructions/decoder.hpp"
#include "optimized/ptx/machine/windows.hpp"

namespace parity::ptx {
namespace {

constexpr uint32_t kDropped = 256;  // bytes at offset 0: results that nobody wants, 32 lanes of 64 bits
constexpr uint32_t kLine = 64;

uint32_t rounded(uint32_t value, uint64_t to) {
  const auto unit = static_cast<uint32_t>(std::max<uint64_t>(1, to));
  return (value + unit - 1) / unit * unit;
}

Place placed_after(uint32_t& at, const Variable& variable) {
  at = rounded(at, variable.alignment);
  const Place place{at, static_cast<uint32_t>(variable.bytes)};
  at += place.bytes;
  return place;
}

const std::map<std::string_view, Special>& special_names() {
  static const std::map<std::string_view, Special> names{
      {"%tid.x", Special::tid_x},
      {"%tid.y", Special::tid_y},
      {"%tid.z", Special::tid_z},
      {"%ntid.x", Special::ntid_x},
      {"%ntid.y", Special::ntid_y},
      {"%ntid.z", Special::ntid_z},
      {"%ctaid.x", Special::ctaid_x},
      {"%ctaid.y", Special::ctaid_y},
      {"%ctaid.z", Special::ctaid_z},
      {"%nctaid.x", Special::nctaid_x},
      {"%nctaid.y", Special::nctaid_y},
      {"%nctaid.z", Special::nctaid_z},
      {"%laneid", Special::laneid},
      {"%warpid", Special::warpid},
      {"%nwarpid", Special::nwarpid},
      {"%smid", Special::smid},
      {"%nsmid", Special::nsmid},
      {"%gridid", Special::gridid},
      {"%lanemask_eq", Special::lanemask_eq},
      {"%lanemask_lt", Special::lanemask_lt},
      {"%lanemask_le", Special::lanemask_le},
      {"%lanemask_gt", Special::lanemask_gt},
      {"%lanemask_ge", Special::lanemask_ge},
      {"%clusterid.x", Special::clusterid_x},
      {"%clusterid.y", Special::clusterid_y},
      {"%clusterid.z", Special::clusterid_z},
      {"%nclusterid.x", Special::nclusterid_x},
      {"%nclusterid.y", Special::nclusterid_y},
      {"%nclusterid.z", Special::nclusterid_z},
      {"%cluster_ctaid.x", Special::cluster_ctaid_x},
      {"%cluster_ctaid.y", Special::cluster_ctaid_y},
      {"%cluster_ctaid.z", Special::cluster_ctaid_z},
      {"%cluster_nctaid.x", Special::cluster_nctaid_x},
      {"%cluster_nctaid.y", Special::cluster_nctaid_y},
      {"%cluster_nctaid.z", Special::cluster_nctaid_z},
      {"%cluster_ctarank", Special::cluster_ctarank},
      {"%cluster_nctarank", Special::cluster_nctarank},
      {"%total_smem_size", Special::total_smem_size},
      {"%dynamic_smem_size", Special::dynamic_smem_size},
      {"%is_explicit_cluster", Special::is_explicit_cluster},
      {"%envreg1", Special::envreg1},
      {"%envreg2", Special::envreg2},
  };
  return names;
}

}  // namespace

void Decoder::lay_out_registers() {
  uint32_t at = kDropped;
  for (const auto& [name, value] : function_.registers) {
    if (value.bits > 64) continue;  // an instruction that names it is refused
    const uint32_t bytes = value.bits == 1 ? 0 : std::max(value.bits, 16U) / 8;
    numbers_[name] = static_cast<uint32_t>(code_.registers.size());
    code_.register_names.push_back(name);
    code_.registers.emplace_back(at, bytes);
    at += bytes == 0 ? kLine : kLanes * bytes;
  }
  register_bytes_ = at;
  code_.constants_at = at;
}

void Decoder::lay_out_params() {
  uint32_t launched = 0, own = 0, local = 0;
  for (const auto& [name, variable] : function_.parameters)
    (function_.entry ? code_.launched : code_.params)[name] = placed_after(function_.entry ? launched : own, variable);
  for (const auto& [name, variable] : function_.results) code_.params[name] = placed_after(own, variable);
  for (const auto& [name, variable] : function_.variables) {
    if (variable.space == ".param") code_.params[name] = placed_after(own, variable);
    if (variable.space == ".local") code_.locals[name] = placed_after(local, variable);
  }
  code_.param_bytes = rounded(own, 16);
  code_.local_bytes = rounded(local, 16);
}

uint32_t Decoder::placed(const Wanted& wanted, bool relocated) {
  const auto [found, fresh] = constants_.try_emplace(wanted, 0);
  if (!fresh) return found->second;
  const auto offset = static_cast<uint32_t>(code_.constants.size());
  found->second = code_.constants_at + offset;
  const uint32_t bytes = std::max(wanted.bytes, 2U);
  code_.constants.resize(rounded(offset + kLanes * bytes, kLine), 0);
  for (uint32_t lane = 0; lane < kLanes; ++lane)
    std::memcpy(code_.constants.data() + offset + size_t{lane} * bytes, &wanted.value, bytes);
  if (relocated) {
    code_.relocations.push_back({wanted.kind, wanted.symbol, static_cast<int64_t>(wanted.value), found->second, bytes});
  }
  return found->second;
}

/// bytes 0: of a predicate, whose lanes are bits.
uint32_t Decoder::constant(uint64_t value, uint32_t bytes) {
  if (bytes == 0) bytes = 4;
  if (bytes < 8) value &= (uint64_t{1} << (8 * bytes)) - 1;
  return placed({value, bytes, Relocation::Kind::global, {}}, false);
}

bool Decoder::symbol(const Operand& operand, uint32_t bytes, uint32_t& at) {
  if (operand.kind != Operand::Kind::name) return false;
  const auto addend = static_cast<uint64_t>(operand.offset);
  const auto wanted = [&](Relocation::Kind kind, const std::string& name) {
    if (bytes < 4) refuse("an address has 32 or 64 bits");
    at = placed({addend, bytes, kind, name}, true);
    return true;
  };
  if (const auto own = function_.variables.find(operand.name); own != function_.variables.end()) {
    if (own->second.space == ".shared")
      return wanted(Relocation::Kind::shared, fmt::format("{}::{}", function_.name, operand.name));
    if (own->second.space == ".local") return wanted(Relocation::Kind::local, operand.name);
    return false;
  }
  if (const auto launched = code_.launched.find(operand.name); launched != code_.launched.end()) {
    at = constant(launched->second.offset + addend, bytes);
    return true;
  }
  if (const auto outer = module_.variables.find(operand.name); outer != module_.variables.end())
    return wanted(outer->second.space == ".shared" ? Relocation::Kind::shared : Relocation::Kind::global, operand.name);
  if (module_.functions.contains(operand.name)) return wanted(Relocation::Kind::function, operand.name);
  return false;
}

uint32_t Decoder::special(const std::string& name, uint32_t bytes) {
  const auto found = special_names().find(name);
  if (found == special_names().end()) refuse(fmt::format("special register {} is not known", name));
  if (bytes != 4) refuse(fmt::format("special register {} has 32 bits", name));
  const auto [place, fresh] = specials_.try_emplace(found->second, 0);
  if (fresh) {
    place->second = code_.constants_at + static_cast<uint32_t>(code_.constants.size());
    code_.constants.resize(code_.constants.size() + kLanes * sizeof(uint32_t), 0);
    code_.specials.emplace_back(found->second, place->second);
  }
  return place->second;
}

void Decoder::finish() {
  code_.file_bytes = rounded(code_.constants_at + static_cast<uint32_t>(code_.constants.size()), kLine) + kLine;
}

}  // namespace parity::ptx
