// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda_host/launch_counters.hpp"

#include <utility>

namespace parity::optimized::cuda {
namespace {

thread_local LaunchCounters* g_active = nullptr;

}  // namespace

LaunchCounters::LaunchCounters(const ptx::Sample& sample) : sample_(sample), outer_(std::exchange(g_active, this)) {}

LaunchCounters::~LaunchCounters() { g_active = outer_; }

LaunchCounters* LaunchCounters::active() { return g_active; }

}  // namespace parity::optimized::cuda
