// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "optimized/cuda/driver_failures.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "core/error.hpp"
#include "optimized/cuda/driver.hpp"

namespace parity::optimized::cuda {
namespace {

/// CUDA_ERROR_ILLEGAL_ADDRESS, _LAUNCH_TIMEOUT, _ASSERT, those of a kernel's instructions and stack, _LAUNCH_FAILED.
bool is_of_kernel(int status) {
  return status == 700 || status == 702 || status == 710 || (status >= 714 && status <= 719) || status == 721;
}

}  // namespace

void DriverFailures::started(std::span<const std::string> kernels) {
  const std::scoped_lock lock(mutex_);
  started_.insert(started_.end(), kernels.begin(), kernels.end());
}

size_t DriverFailures::under_way() const {
  const std::scoped_lock lock(mutex_);
  return started_.size();
}

void DriverFailures::ended(size_t count) {
  const std::scoped_lock lock(mutex_);
  started_.erase(started_.begin(), started_.begin() + static_cast<ptrdiff_t>(std::min(count, started_.size())));
}

std::string DriverFailures::suspects() const {
  constexpr size_t kMost = 4;
  const size_t first = started_.size() - std::min(started_.size(), kMost);
  if (started_.empty()) return "";
  const std::string last =
      fmt::format("{}", fmt::join(started_.begin() + static_cast<ptrdiff_t>(first), started_.end(), ", "));
  return first == 0 ? fmt::format(" (one of {})", last)
                    : fmt::format(" (one of {} kernels, the last of which are {})", started_.size(), last);
}

void DriverFailures::require(int status, const char* what) {
  if (status == 0) return;
  const std::scoped_lock lock(mutex_);
  try {
    require_success(status, is_of_kernel(status) ? (what + suspects()).c_str() : what);
  } catch (const Error& error) {
    if (is_of_kernel(status) && failed_.empty()) failed_ = error.what();
    throw;
  }
}

void DriverFailures::require_none() const {
  const std::scoped_lock lock(mutex_);
  PARITY_CHECK(failed_.empty(), device, "not run, because the GPU refuses this process after an earlier failure: {}",
               failed_);
}

}  // namespace parity::optimized::cuda
