// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A warp: frames of registers, and fragments of lanes that go their own ways.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "optimized/ptx/machine/code.hpp"
#include "optimized/ptx/machine/frame.hpp"
#include "optimized/ptx/machine/launch.hpp"
#include "optimized/ptx/machine/order.hpp"

namespace parity::ptx {

struct Block;
struct Worker;

/// Lanes that share a frame and a place in the code.
struct Fragment {
  enum class State : uint8_t {
    ready,
    aligning,  // at a barrier that a warp reaches as a whole: for its other lanes
    meeting,   // at an instruction that waits for lanes of the warp
    barrier,   // of the block
    cluster,   // barrier of the cluster
  };
  Frame* frame = nullptr;
  uint32_t pc = 0;
  Mask mask = 0;
  State state = State::ready;
  uint8_t tired = 0;  // above 0: others go first
  Mask members = 0;   // of a meeting
  uint32_t barrier = 0;
};

/// Lanes at a meeting that read and write their operands together.
struct Party {
  const Step* step;
  uint8_t* registers;
  Mask mask;
};

/// An asynchronous copy that was asked for and is carried out when something waits for it.
struct PendingCopy {
  Block* block = nullptr;  // whose shared memory it is
  uint64_t global = 0;
  uint32_t shared = 0, bytes = 0, filled = 0;  // filled: bytes with zeros after them
  uint32_t lane = 0, group = 0;
  const Step* step = nullptr;
};

/// A wgmma.mma_async that was asked for, and is carried out when a warp of the warpgroup waits for it.
struct PendingMatrix {
  Frame* frame = nullptr;
  const Step* step = nullptr;
  uint64_t a = 0, b = 0;  // descriptors
  bool adds = false;      // to its accumulators
  bool done = false;      // but its warp has not waited yet
  uint32_t group = 0;
  uint32_t time = 0;  // of lane 0 when it was asked for, with checks
};

class Warp {
 public:
  enum class Turn : uint8_t { ran, polled, waits, done };

  // Of the instruction in hand.
  uint8_t* registers = nullptr;
  Mask mask = 0;     // lanes that execute it
  Mask current = 0;  // lanes of the fragment
  uint32_t pc = 0, next = 0;
  Mask carry = 0;       // CC.CF of each lane
  bool parked = false;  // a handler has put the fragment away
  bool checks = false;
  bool diverged = false;  // lanes that aligned were not joined by the rest
  bool polling = false;   // waits for something that others do
  Frame* frame = nullptr;

  Block* block = nullptr;
  Worker* worker = nullptr;
  uint32_t index = 0;  // in the block
  Mask initial = 0, live = 0;
  std::vector<Fragment> fragments;   // all but the one that runs
  std::unique_ptr<LaneOrder> order;  // with checks
  std::vector<Party> parties;        // of the meeting in hand
  std::vector<PendingCopy> copies;
  std::vector<PendingMatrix> matrices;
  uint32_t matrix_group = 0, fence_epoch = 1;  // wgmma.commit_group, wgmma.fence so far
  std::array<uint32_t, kLanes> copy_group{}, bulk_group{};
  std::array<uint32_t, kLanes> cluster_phase{};
  std::vector<uint8_t> local;  // of each lane, one after the other
  std::vector<uint8_t> local_written;
  uint32_t local_bytes = 0;  // of a lane
  Mask spinning = 0;         // lanes that have polled in vain and done nothing since that others could see
  uint64_t executed = 0, clock = 0;

  void start(const Code& code, Mask lanes);
  Turn turn(uint64_t steps);

  template <class T>
  [[nodiscard]] T* at(uint32_t offset) const {
    return reinterpret_cast<T*>(registers + offset);
  }
  [[nodiscard]] uint32_t first_lane() const { return static_cast<uint32_t>(__builtin_ctz(mask)); }
  template <class T>
  [[nodiscard]] T uniform(uint32_t offset) const {
    return at<T>(offset)[first_lane()];
  }
  [[nodiscard]] uint32_t thread_of(uint32_t lane) const { return index * kLanes + lane; }
  [[nodiscard]] const Step& step_at(const Frame& of, uint32_t at_pc) const { return of.code->steps[at_pc]; }

  /// The executing lanes wait in this state; the rest of the fragment goes on.
  void wait(Fragment::State state, uint32_t at_pc, uint32_t barrier = 0, Mask members = 0);
  void branch(uint32_t target);
  void leave(Mask lanes);
  void call(const Code& callee, Mask lanes, const Step& step);
  void give_back();  // ret: to the caller, or the end of the thread
  /// False: not all members are there, and the fragment waits. True: `parties` are; they go on after this step.
  bool meet(const Step& step, Mask members);
  /// The executing lanes polled memory in vain.
  void poll_in_vain() {
    polling = true;
    spinning |= mask;
    unseen_ = 0;
  }
  /// Counts as a poll if it read the same value as last time.
  void poll(const Step& step, uint64_t seen);

  void find(Finding::Kind kind, const Step& step, uint32_t lane, std::string message);
  void find(Finding::Kind kind, const Step& step, uint32_t lane, std::string message, Thread other, const Step* where);

  // Registers of wgmma, with checks.
  void hold(const PendingMatrix& pending);
  void hold_again();  // by what is left of `matrices`

  // Ordering, with checks.
  [[nodiscard]] uint32_t number() const;        // in the launch
  [[nodiscard]] Known released(uint32_t lane);  // what the lane knows, with its own time, which passes
  [[nodiscard]] Known released_by(Mask lanes);  // of several lanes that do it together
  void acquire(uint32_t lane, const Known& known);
  void fence(Scope scope);

 private:
  Frame& make_frame(const Code& code, Frame* caller, Mask lanes);
  void grow_local(uint32_t needed);
  void drop(Frame* of, Mask lanes);
  bool pick();
  void join_ready(Fragment& chosen);
  [[nodiscard]] bool satisfied(const Fragment& fragment) const;
  void release_aligned();
  template <bool checked, bool counted>
  void execute(uint64_t& steps);
  void uncount();
  void count_party(const Step& step, const Fragment& fragment, bool another);
  void check_reads(const Step& step, uint32_t count);
  void check_held(const Step& step);
  void check_product(const Step& step);
  void find_held(const Step& step, uint32_t name, bool writes);

  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<std::unique_ptr<Frame>> spare_;
  uint32_t limit_ = 0;
  bool progressed_ = false;
  uint64_t unseen_ = 0;  // steps of spinning lanes since they polled
  const Step* polled_ = nullptr;
  uint64_t polled_value_ = 0;
  uint32_t polls_ = 0;
};

}  // namespace parity::ptx
