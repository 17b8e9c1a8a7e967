// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A block: its warps, shared memory and barriers; and the blocks of a cluster, which are alive together.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <vector>

#include "optimized/ptx/machine/shadow.hpp"
#include "optimized/ptx/machine/warp.hpp"

namespace parity::ptx {

struct Gang;

struct Arrival {
  Warp* warp;
  Frame* frame;
  const Step* step;
  uint32_t pc;
  Mask mask, predicate;
  bool waits;
  Known known;  // of those who arrived
};

/// A named barrier, bar.sync 0 to 15.
struct NamedBarrier {
  uint32_t arrived = 0;
  bool counted = false;
  std::vector<Arrival> arrivals;
};

/// An mbarrier object. Source: PTX ISA 9.0, section 9.7.13.15.
struct ArrivalBarrier {
  uint32_t expected = 0, pending = 0, next_expected = 0;
  int64_t bytes = 0;  // that are still to come
  uint64_t phase = 0;
  Known arriving, completed;
  Known made;  // what its maker knew when it initialised it
};

/// Bytes of a bulk copy that are contiguous on both sides, as offsets or addresses.
struct BulkPiece {
  uint64_t source = 0, target = 0;
  uint32_t bytes = 0;
  bool filled = false;  // it has no source: outside of a tensor
};

/// A bulk copy that was asked for and is carried out when something waits for it.
struct PendingBulk {
  Block* from = nullptr;  // whose shared memory it reads; null: global memory
  Block* to = nullptr;    // whose shared memory it writes; null: global memory
  std::vector<BulkPiece> pieces;
  uint32_t bytes = 0;                                             // of all pieces
  bool again = false;                                             // one more target of bytes that were read already
  uint64_t fill = 0;                                              // code of an element outside of a tensor
  uint32_t fill_bytes = 1;                                        // of such an element
  void (*combine)(uint8_t*, const uint8_t*, uint32_t) = nullptr;  // a reduction: with what is there
  Block* barrier_block = nullptr;                                 // of the mbarrier that counts its bytes, if one does
  uint32_t barrier = 0;
  Warp* warp = nullptr;  // who asked
  uint32_t lane = 0, group = 0;
  bool read = false;  // its source, into `snapshot`
  std::vector<uint8_t> snapshot;
  Known known;  // of who asked
};

struct Block {
  Gang* gang = nullptr;
  uint32_t number = 0, rank = 0;  // in the launch, in the cluster
  Dim at{0, 0, 0};
  std::vector<std::unique_ptr<Warp>> warps;
  uint32_t threads = 0, live = 0;
  std::vector<uint8_t> shared;
  std::vector<uint8_t> state;  // a Mark of each byte of shared memory, with checks
  static constexpr uint32_t kReadUnit = 16;
  std::vector<uint16_t> readers;  // of each kReadUnit bytes: asynchronous reads under way, with checks
  Known proxied;                  // what a fence.proxy.async of a thread follows, with checks
  std::vector<std::unique_ptr<ShadowPage>> pages;
  std::array<NamedBarrier, 16> barriers;
  std::map<uint32_t, ArrivalBarrier> arrival_barriers;  // by address

  void start(Gang& of, uint32_t block_number, uint32_t block_rank);
  void arrive(uint32_t barrier, uint32_t expected, bool counted, Arrival arrival);
  void complete(uint32_t barrier);
};

/// The blocks of a cluster.
struct Gang {
  Worker* worker = nullptr;
  std::vector<std::unique_ptr<Block>> blocks;
  uint32_t cluster_phase = 0, cluster_arrived = 0;
  Known cluster_arriving, cluster_known;  // of this phase, of the last one
  std::vector<PendingBulk> bulks;
  uint32_t idle = 0;  // turns without progress
  [[nodiscard]] bool done() const { return live() == 0; }
  void complete_cluster();
  [[nodiscard]] uint32_t live() const;
};

}  // namespace parity::ptx
