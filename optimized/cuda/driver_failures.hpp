// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Which kernel went wrong. A driver says so at any later call, and refuses every call from then on.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <string>
#include <vector>

namespace parity::optimized::cuda {

/// Of one place, used by all its threads.
class DriverFailures {
 public:
  void started(std::span<const std::string> kernels);
  /// Kernels that were started and are not known to have ended.
  [[nodiscard]] size_t under_way() const;
  /// The first so many of them have.
  void ended(size_t count);
  /// Throws Error{device}, which names kernels under way if one of them is the reason, unless `status` is success.
  void require(int status, const char* what);
  /// Throws Error{device} if a kernel failed before.
  void require_none() const;

 private:
  [[nodiscard]] std::string suspects() const;

  mutable std::mutex mutex_;
  std::vector<std::string> started_;
  std::string failed_;
};

}  // namespace parity::optimized::cuda
