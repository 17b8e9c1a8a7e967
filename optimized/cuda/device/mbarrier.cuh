// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Barriers in shared memory that count arrivals and the bytes of copies, and rings of stages that two of them guard each.
// For compute capability 9.0.
#pragma once

#include <cstdint>

namespace parity::optimized::cuda {

__device__ inline void init_barrier(uint32_t barrier, uint32_t arrivals) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
/// After init_barrier, before a copy may complete at it: copies are done by another proxy.
__device__ inline void publish_barriers() { asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"); }

__device__ inline void arrive(uint32_t barrier) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(barrier) : "memory");
}
/// Arrives, and lets the phase last until copies have brought so many bytes more.
__device__ inline void arrive_and_expect(uint32_t barrier, uint32_t bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes) : "memory");
}
/// Until the phase of this parity is over; the phase before the first counts as over, and its parity as 1.
__device__ inline void wait(uint32_t barrier, uint32_t parity) {
  uint32_t over = 0;
  while (over == 0) {
    asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                 : "=r"(over)
                 : "r"(barrier), "r"(parity)
                 : "memory");
  }
}

/// Stages that one thread fills by copies and some warps empty, in turn. Each side has a Ring of its own.
template <int stages>
class Ring {
 public:
  static constexpr int kBytes = 2 * stages * 8;  // of the barriers

  /// `barriers`: an address in shared memory, a multiple of 8.
  __device__ explicit Ring(uint32_t barriers) : barriers_(barriers) {}

  /// By one thread, before the threads of the block meet.
  __device__ void init(uint32_t emptying_warps) const {
    for (int i = 0; i < stages; ++i) {
      init_barrier(full(i), 1);
      init_barrier(empty(i), emptying_warps);
    }
    publish_barriers();
  }
  [[nodiscard]] __device__ int stage() const { return stage_; }
  /// The filling thread: the barrier that its copies complete at, when the stage is empty.
  __device__ uint32_t begin_filling(uint32_t bytes) const {
    wait(empty(stage_), turn_ ^ 1U);
    arrive_and_expect(full(stage_), bytes);
    return full(stage_);
  }
  __device__ void wait_until_full() const { wait(full(stage_), turn_); }
  /// One lane of each warp that empties, when all lanes have read or the reads of others are waited for.
  __device__ void release() const { arrive(empty(stage_)); }
  __device__ void go_on() {
    stage_ = stage_ + 1 == stages ? 0 : stage_ + 1;
    turn_ ^= stage_ == 0 ? 1U : 0U;
  }

 private:
  [[nodiscard]] __device__ uint32_t full(int stage) const { return barriers_ + 16 * stage; }
  [[nodiscard]] __device__ uint32_t empty(int stage) const { return barriers_ + 16 * stage + 8; }

  uint32_t barriers_, turn_ = 0;
  int stage_ = 0;
};

}  // namespace parity::optimized::cuda
