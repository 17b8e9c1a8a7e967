// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Weights at places whose memory the host cannot touch: copied there once, as long as they fit.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "replay/execution/value.hpp"

namespace parity::replay {

/// All walks of one computation share it, on any thread. A weight that does not fit is copied at each call, which stderr
/// says once for a place. A kernel must not change a weight: later calls would read what it wrote.
class Residents {
 public:
  Residents() = default;
  Residents(const Residents&) = delete;
  Residents& operator=(const Residents&) = delete;

  /// Makes the weight in the host's memory; `stays`: its copy will be kept, and this function not be called again.
  using Make = std::function<Tensor(bool stays)>;
  /// Returns the weight of that name, of `bytes` bytes, at `place`.
  [[nodiscard]] Tensor at(Place& place, const std::string& name, int64_t bytes, const Make& make);
  /// Bytes of weights that were copied so far.
  [[nodiscard]] Moved moved() const;

 private:
  [[nodiscard]] bool fits(const Place& place, int64_t bytes) const;

  mutable std::mutex mutex_;
  std::map<const Place*, std::map<std::string, Tensor>> kept_;
  std::map<const Place*, int64_t> bytes_;
  std::set<const Place*> full_;  // stderr says so
  Moved moved_;
};

}  // namespace parity::replay
