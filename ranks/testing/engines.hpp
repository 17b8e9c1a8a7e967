// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The same tests over every engine: threads, or the processes of mpirun that run this program.
#pragma once

#include <functional>

#include "ranks/collectives.hpp"

namespace parity::ranks::tests {

/// The most ranks that a test may ask for.
constexpr int kMostRanks = 8;
/// Longer than any test's messages take.
constexpr std::chrono::milliseconds kPatience{60000};

/// Runs `body` once for each of `count` ranks. Under mpirun these are the first processes; the others skip it.
void run_ranks(int count, const std::function<void(Communicator&)>& body);
/// Whether these ranks are processes.
[[nodiscard]] bool on_processes();

/// Ranks 0, 1, ...
[[nodiscard]] Group everyone(int count);
/// What rank `rank` has: a value of either sign for each index, with all the bits of binary32.
[[nodiscard]] Tensor part_of_rank(int rank, DType type, int64_t count);
/// The sum of element i of all ranks' parts, in the stated order, each addition rounded to the type.
[[nodiscard]] double sum_of(const Group& group, DType type, int64_t count, int64_t i, Order order);
/// Delays the caller by a few random moments, so that messages arrive in another order in every run.
void dawdle(int rank, int step);

}  // namespace parity::ranks::tests
