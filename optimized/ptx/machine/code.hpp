// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A decoded function: its steps, and what its frames look like.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "optimized/ptx/machine/step.hpp"
#include "optimized/ptx/text/module.hpp"

namespace parity::ptx {

/// A constant in the registers that is known at a launch or a call alone.
struct Relocation {
  enum class Kind : uint8_t { global, shared, function, local };
  Kind kind = Kind::global;
  std::string symbol;
  int64_t addend = 0;
  uint32_t at = 0;     // byte offset in the registers
  uint32_t width = 8;  // bytes of an element
};

enum class Special : uint8_t {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid,
  nwarpid,
  smid,
  nsmid,
  gridid,
  lanemask_eq,
  lanemask_lt,
  lanemask_le,
  lanemask_gt,
  lanemask_ge,
  clusterid_x,
  clusterid_y,
  clusterid_z,
  nclusterid_x,
  nclusterid_y,
  nclusterid_z,
  cluster_ctaid_x,
  cluster_ctaid_y,
  cluster_ctaid_z,
  cluster_nctaid_x,
  cluster_nctaid_y,
  cluster_nctaid_z,
  cluster_ctarank,
  cluster_nctarank,
  total_smem_size,
  dynamic_smem_size,
  is_explicit_cluster,
  envreg1,
  envreg2,
};

inline constexpr uint32_t kNoFunction = ~uint32_t{0};

struct Place {
  uint32_t offset = 0, bytes = 0;
};

struct Code {
  const Function* function = nullptr;
  uint32_t index = 0;  // among the functions of the program
  uint32_t first = 0;  // number of its first step in the program
  std::vector<Step> steps;
  bool has_wgmma = false;
  std::vector<uint32_t> lists;
  std::vector<std::string> register_names;               // by their number
  std::vector<std::pair<uint32_t, uint32_t>> registers;  // offset and bytes of a lane (0: predicate), by their number
  std::vector<Relocation> relocations;
  std::vector<std::pair<Special, uint32_t>> specials;  // and their offsets
  std::vector<uint8_t> constants;                      // copied to constants_at of every frame
  uint32_t constants_at = 0, file_bytes = 0;
  std::map<std::string, Place> launched;  // parameters of a kernel: offsets within those of the launch
  std::map<std::string, Place> params;    // other .param variables: offsets within those of a lane
  uint32_t param_bytes = 0;
  std::map<std::string, Place> locals;
  uint32_t local_bytes = 0;
  std::map<std::string, uint32_t> callee_names;  // of calls, by Step::immediate
  std::vector<uint32_t> callees;                 // their index in the program; kNoFunction: not in the module
};

}  // namespace parity::ptx
