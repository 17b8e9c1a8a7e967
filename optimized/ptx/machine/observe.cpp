// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The checks of an access: unwritten bytes, copies in flight, races, and the order that strong accesses establish.
#include <algorithm>
#include <bit>

#include "optimized/ptx/machine/access.hpp"

namespace parity::ptx {
namespace {

struct Where {
  ShadowPage* page = nullptr;
  uint32_t offset = 0;  // in the page
};

Where where_of(const Warp& warp, const Lanes& lanes, uint32_t lane, uint64_t plus) {
  const bool global = has_lane(lanes.global, lane);
  const uint64_t at = lanes.address[lane] + plus - (global ? lanes.allocation[lane]->base : 0);
  auto& pages = global ? lanes.allocation[lane]->pages : lanes.home[lane]->pages;
  std::unique_ptr<ShadowPage>& page = pages[at / ShadowPage::kBytes];
  if (page == nullptr) {
    page = std::make_unique<ShadowPage>();
    page->cells.resize(ShadowPage::kBytes >> warp.worker->machine.program.granule());
  }
  return {page.get(), static_cast<uint32_t>(at % ShadowPage::kBytes)};
}

uint32_t flagged(const Warp& warp, const Step& step) {
  const Code& code = *warp.frame->code;
  const auto number = code.first + static_cast<uint32_t>(&step - code.steps.data());
  if (step.strength == Strength::weak) return number;
  return number | kStrongTouch | static_cast<uint32_t>(step.scope) << kTouchScope;
}

template <class Each>
void each_cell(const Warp& warp, const Lanes& lanes, uint32_t lane, uint32_t bytes, const Each& each) {
  const uint32_t granule = 1U << warp.worker->machine.program.granule();
  for (uint32_t done = 0; done < bytes; done += granule) {
    const Where where = where_of(warp, lanes, lane, done);
    each(*where.page, where.page->cells[where.offset / granule]);
  }
}

/// The state of the bytes of a lane; null for local memory and parameters.
uint8_t* marks_of(const Lanes& lanes, uint32_t lane) {
  if (has_lane(lanes.global, lane)) {
    Allocation& allocation = *lanes.allocation[lane];
    return allocation.written.data() + (lanes.address[lane] - allocation.base);
  }
  return has_lane(lanes.shared, lane) ? lanes.home[lane]->state.data() + lanes.address[lane] : nullptr;
}

const char* name_of(const Lanes& lanes, uint32_t lane) { return has_lane(lanes.global, lane) ? "global" : "shared"; }

/// Checks a write to bytes that a bulk copy or a wgmma has yet to read.
void check_readers(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane, uint32_t bytes) {
  const auto& readers = lanes.home[lane]->readers;
  const uint64_t at = lanes.address[lane];
  for (uint64_t unit = at / Block::kReadUnit; unit <= (at + bytes - 1) / Block::kReadUnit; ++unit) {
    if (readers[unit] == 0) continue;
    warp.find(Finding::Kind::in_flight, step, lane,
              fmt::format("write of shared memory at offset {} while an asynchronous read of it is not waited for",
                          at - kSharedStart));
    return;
  }
}

/// Reports an access of guard bytes: where it lies, seen from the bytes between them.
void find_outside(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane, uint32_t bytes, bool read) {
  const Allocation& memory = *lanes.allocation[lane];
  const auto at = static_cast<int64_t>(lanes.address[lane] - memory.base - memory.first);
  warp.find(Finding::Kind::out_of_bounds, step, lane,
            fmt::format("{} of {} global bytes at offset {} of the {} bytes between its guards",
                        read ? "read" : "write", bytes, at, memory.last - memory.first));
}

/// Returns whether the bytes may be accessed at all.
bool check_marks(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane, uint32_t bytes, bool read) {
  if (!read && has_lane(lanes.shared, lane)) check_readers(warp, step, lanes, lane, bytes);
  uint8_t* const marks = marks_of(lanes, lane);
  const auto bad = [&](uint8_t mark) {
    return mark == Mark::in_flight || mark == Mark::outside || (read && mark == Mark::unwritten);
  };
  const uint8_t* const end = marks + bytes;
  const uint8_t* const found = std::find_if<const uint8_t*>(marks, end, bad);
  if (found == end) return true;
  if (std::find(found, end, uint8_t{Mark::outside}) != end) {
    find_outside(warp, step, lanes, lane, bytes, read);
    return false;
  }
  const bool global = has_lane(lanes.global, lane);
  const uint64_t offset = lanes.address[lane] - (global ? lanes.allocation[lane]->base : kSharedStart);
  if (*found == Mark::in_flight) {
    warp.find(Finding::Kind::in_flight, step, lane,
              fmt::format("{} of shared memory at offset {} while an asynchronous copy to it is not waited for",
                          read ? "read" : "write", offset));
  } else {
    warp.find(
        Finding::Kind::unwritten, step, lane,
        fmt::format("read of {} {} bytes at offset {} that were never written", bytes, name_of(lanes, lane), offset));
  }
  return true;
}

}  // namespace

bool observe_read(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane, uint32_t bytes) {
  if (!has_lane(lanes.global | lanes.shared, lane)) return true;
  const bool allowed = check_marks(warp, step, lanes, lane, bytes, true);
  const Toucher by(warp, flagged(warp, step), lane, name_of(lanes, lane));
  each_cell(warp, lanes, lane, bytes, [&](ShadowPage& page, Cell& cell) { touch_read(by, page, cell); });
  return allowed;
}

void observe_write(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane, uint32_t bytes, bool same) {
  if (!has_lane(lanes.global | lanes.shared, lane)) return;
  if (check_marks(warp, step, lanes, lane, bytes, false))
    std::fill_n(marks_of(lanes, lane), bytes, uint8_t{Mark::written});
  const Toucher by(warp, flagged(warp, step), lane, name_of(lanes, lane));
  each_cell(warp, lanes, lane, bytes, [&](ShadowPage& page, Cell& cell) { touch_write(by, page, cell, same); });
}

void check_proxy(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane, uint32_t bytes) {
  const Machine& machine = warp.worker->machine;
  bool found = false;
  each_cell(warp, lanes, lane, bytes, [&](ShadowPage&, const Cell& cell) {
    if (found || cell.write.warp == 0) return;
    const Step& writer = machine.program.step(cell.write.step & kTouchStep);
    // cp.async is of the generic proxy, too, but compilers put no fence after it.
    if (writer.kind == Kind::async) return;
    const uint32_t block = (cell.write.warp - 1) >> kWarpBits;
    const uint32_t first = ((cell.write.warp - 1) & ((1U << kWarpBits) - 1)) * kLanes;
    const auto thread = first + static_cast<uint32_t>(std::countr_zero(cell.write.lanes));
    if (knows(warp.block->proxied, block, thread, cell.write.time)) return;
    found = true;
    const Dim& size = machine.launch.block;
    const Thread other{block_at(machine, block), {thread % size.x, thread / size.x % size.y, thread / size.x / size.y}};
    warp.find(Finding::Kind::missing_fence, step, lane,
              "an asynchronous read of shared memory that a thread stored to; fence.proxy.async comes between", other,
              &writer);
  });
}

void learn(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane) {
  if (!warp.checks || !has_lane(lanes.global | lanes.shared, lane)) return;
  const Where where = where_of(warp, lanes, lane, 0);
  const auto found = where.page->published.find(where.offset);
  if (found == where.page->published.end()) return;
  const auto& at = found->second.at;
  const uint32_t own = warp.block->number;
  const auto near = [&](const Known& known) {
    const auto& blocks = warp.block->gang->blocks;
    return known != nullptr &&
           std::any_of(blocks.begin(), blocks.end(), [&](const auto& b) { return b->number == known->home; });
  };
  const bool same_block = at[0] != nullptr && at[0]->home == own;
  const Known& known = same_block ? at[0] : near(at[1]) ? at[1] : at[2];
  if (known == nullptr) return;
  if (step.strength == Strength::acquire || step.strength == Strength::acquire_release) {
    warp.acquire(lane, known);
  } else {
    Known& pending = warp.order->pending[lane][same_block ? 0 : 1];
    pending = join(pending, known);
  }
}

void publish(Warp& warp, const Step& step, const Lanes& lanes, uint32_t lane, bool replace) {
  if (!warp.checks || !has_lane(lanes.global | lanes.shared, lane)) return;
  const Where where = where_of(warp, lanes, lane, 0);
  auto& published = where.page->published;
  if (step.strength == Strength::release || step.strength == Strength::acquire_release) {
    published[where.offset].add(warp.released(lane), step.scope, replace);
    return;
  }
  if (replace) published.erase(where.offset);
  const auto& fenced = warp.order->fenced[lane];
  for (size_t level = 0; level <= static_cast<size_t>(step.scope); ++level) {
    if (fenced[level] == nullptr) continue;
    Known& known = published[where.offset].at[level];
    known = join(known, fenced[level]);
  }
}

}  // namespace parity::ptx
