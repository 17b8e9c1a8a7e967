// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Calls: a frame for each, filled with the constants of its function.
#include <algorithm>
#include <bit>
#include <cstring>

#include "optimized/ptx/machine/machine.hpp"

namespace parity::ptx {
namespace {

constexpr uint32_t kDeepest = 512;             // calls within calls
constexpr uint32_t kMostLocal = 512U * 1024U;  // bytes of a thread, as on a GPU
constexpr uint8_t kUnwritten = 0xFF;

uint32_t axis(const Dim& dim, uint32_t which) { return which == 0 ? dim.x : which == 1 ? dim.y : dim.z; }

/// Special registers come in threes: x, y, z.
uint32_t of_axis(Special what, const Warp& warp, uint32_t thread) {
  const Machine& machine = warp.worker->machine;
  const Dim &size = machine.launch.block, &grid = machine.launch.grid, &cluster = machine.cluster, &at = warp.block->at;
  const auto from = [&](Special first) { return static_cast<uint32_t>(what) - static_cast<uint32_t>(first); };
  const auto within = [&](Special first) { return what >= first && from(first) < 3; };
  if (within(Special::tid_x))
    return axis({thread % size.x, thread / size.x % size.y, thread / size.x / size.y}, from(Special::tid_x));
  if (within(Special::ntid_x)) return axis(size, from(Special::ntid_x));
  if (within(Special::ctaid_x)) return axis(at, from(Special::ctaid_x));
  if (within(Special::nctaid_x)) return axis(grid, from(Special::nctaid_x));
  if (within(Special::cluster_nctaid_x)) return axis(cluster, from(Special::cluster_nctaid_x));
  if (within(Special::clusterid_x)) {
    const uint32_t which = from(Special::clusterid_x);
    return axis(at, which) / axis(cluster, which);
  }
  if (within(Special::nclusterid_x)) {
    const uint32_t which = from(Special::nclusterid_x);
    return axis(grid, which) / axis(cluster, which);
  }
  const uint32_t which = from(Special::cluster_ctaid_x);
  return axis(at, which) % axis(cluster, which);
}

uint32_t value_of(Special what, const Warp& warp, uint32_t lane) {
  const Machine& machine = warp.worker->machine;
  const uint32_t one = 1U << lane;
  switch (what) {
    case Special::laneid:
      return lane;
    case Special::warpid:
      return warp.index;
    case Special::nwarpid:
      return machine.warps_per_block;
    case Special::smid:
      return 0;
    case Special::nsmid:
      return 1;
    case Special::gridid:
      return 1;
    case Special::lanemask_eq:
      return one;
    case Special::lanemask_lt:
      return one - 1;
    case Special::lanemask_le:
      return (one - 1) | one;
    case Special::lanemask_gt:
      return ~((one - 1) | one);
    case Special::lanemask_ge:
      return ~(one - 1);
    case Special::cluster_ctarank:
      return warp.block->rank;
    case Special::cluster_nctarank:
      return static_cast<uint32_t>(machine.cluster.count());
    case Special::total_smem_size:
      return machine.shared_bytes - kSharedStart;
    case Special::dynamic_smem_size:
      return machine.launch.dynamic_shared;
    case Special::is_explicit_cluster:
      return machine.cluster.count() > 1 ? 1 : 0;
    case Special::envreg1:
      return static_cast<uint32_t>(machine.grid_workspace >> 32U);
    case Special::envreg2:
      return static_cast<uint32_t>(machine.grid_workspace);
    default:
      return of_axis(what, warp, warp.thread_of(lane));
  }
}

void fill_locals(const Image& image, Frame& frame) {
  for (const Relocation* relocation : image.of_frames) {
    const uint64_t value =
        frame.code->locals.at(relocation->symbol).offset + frame.local_base + static_cast<uint64_t>(relocation->addend);
    for (uint32_t lane = 0; lane < kLanes; ++lane)
      std::memcpy(frame.file.get() + relocation->at + size_t{lane} * relocation->width, &value, relocation->width);
  }
}

}  // namespace

void Warp::grow_local(uint32_t needed) {
  if (needed <= local_bytes) return;
  const uint32_t bytes = std::max(needed, 2 * local_bytes);
  std::vector<uint8_t> more(size_t{bytes} * kLanes, kUnwritten), marks(size_t{bytes} * kLanes, 0);
  for (uint32_t lane = 0; lane < kLanes && local_bytes > 0; ++lane) {
    std::memcpy(more.data() + size_t{lane} * bytes, local.data() + size_t{lane} * local_bytes, local_bytes);
    std::memcpy(marks.data() + size_t{lane} * bytes, local_written.data() + size_t{lane} * local_bytes, local_bytes);
  }
  local = std::move(more);
  local_written = std::move(marks);
  local_bytes = bytes;
}

Frame& Warp::make_frame(const Code& code, Frame* caller, Mask lanes) {
  const auto found = std::find_if(spare_.begin(), spare_.end(), [&](const auto& f) { return f->code == &code; });
  std::unique_ptr<Frame> made;
  const Image& image = worker->machine.images[code.index];
  if (found != spare_.end()) {
    made = std::move(*found);
    spare_.erase(found);
  } else {
    made = std::make_unique<Frame>();
    made->code = &code;
    made->file = aligned_bytes(code.file_bytes);
    std::memset(made->file.get(), kUnwritten, code.file_bytes);
    std::memcpy(made->file.get() + code.constants_at, image.constants.data(), image.constants.size());
  }
  if (checks) made->written.assign(code.registers.size(), 0);
  if (checks && code.has_wgmma) {
    made->held.assign(code.registers.size(), 0);
    made->epochs.assign(code.registers.size(), fence_epoch);
  }
  made->params.assign(size_t{code.param_bytes} * kLanes, 0);
  made->caller = caller;
  made->lanes = lanes;
  made->depth = caller == nullptr ? 0 : caller->depth + 1;
  made->local_base = caller == nullptr ? 0 : caller->local_base + caller->code->local_bytes;
  for (const auto& [what, at] : code.specials) {
    auto* values = reinterpret_cast<uint32_t*>(made->file.get() + at);
    for (uint32_t lane = 0; lane < kLanes; ++lane) values[lane] = value_of(what, *this, lane);
  }
  fill_locals(image, *made);
  const uint32_t needed = made->local_base + code.local_bytes;
  PARITY_CHECK(needed <= kMostLocal && made->depth < kDeepest, usage,
               "{}: calls need {} bytes of local memory at depth {}; more than {} bytes or {} calls are not given",
               code.function->name, needed, made->depth, kMostLocal, kDeepest);
  grow_local(needed);
  frames_.push_back(std::move(made));
  return *frames_.back();
}

void Warp::drop(Frame* of, Mask lanes) {
  of->lanes &= ~lanes;
  if (of->lanes != 0) return;
  const auto found = std::find_if(frames_.begin(), frames_.end(), [&](const auto& f) { return f.get() == of; });
  spare_.push_back(std::move(*found));
  frames_.erase(found);
}

/// Step::list: caller's .param of each argument, then of each result; the callee's are in the order of its declaration.
void Warp::call(const Code& callee, Mask lanes, const Step& step) {
  Frame& made = make_frame(callee, frame, lanes);
  made.call = &step;
  made.return_pc = pc + 1;
  const Function& function = *callee.function;
  const uint32_t* from = frame->code->lists.data() + step.list + function.results.size();
  for (const auto& [name, variable] : function.parameters) {
    const Place to = callee.params.at(name);
    const uint32_t at = *from++;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (!has_lane(lanes, lane)) continue;
      std::memcpy(made.params.data() + size_t{lane} * callee.param_bytes + to.offset,
                  frame->params.data() + size_t{lane} * frame->code->param_bytes + at, to.bytes);
    }
  }
  fragments.push_back({&made, 0, lanes});
}

void Warp::give_back() {
  if (frame->caller == nullptr) return leave(mask);
  if (const Mask rest = current & ~mask; rest != 0) fragments.push_back({frame, pc + 1, rest});
  Frame& caller = *frame->caller;
  const Code& callee = *frame->code;
  const uint32_t* to = caller.code->lists.data() + frame->call->list;
  for (const auto& [name, variable] : callee.function->results) {
    const Place from = callee.params.at(name);
    const uint32_t at = *to++;
    for (uint32_t lane = 0; lane < kLanes; ++lane) {
      if (!has_lane(mask, lane)) continue;
      std::memcpy(caller.params.data() + size_t{lane} * caller.code->param_bytes + at,
                  frame->params.data() + size_t{lane} * callee.param_bytes + from.offset, from.bytes);
    }
  }
  fragments.push_back({&caller, frame->return_pc, mask});
  drop(frame, mask);
  parked = true;
}

}  // namespace parity::ptx
