// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What a DriverPlace records and times: a stretch of its stream, as a graph where that can be.
#pragma once

#include <list>
#include <vector>

#include "optimized/cuda/driver_place.hpp"

namespace parity::optimized::cuda {

/// Two points in time of the GPU.
struct DriverPlace::Interval {
  explicit Interval(const Driver& of);
  ~Interval();
  Interval(const Interval&) = delete;
  Interval& operator=(const Interval&) = delete;

  /// Once the stream is done.
  [[nodiscard]] double seconds() const;

  const Driver& driver;
  void *begin = nullptr, *end = nullptr;
};

/// Launches and copies that are queued as one, between two points in time.
class DriverPlace::Graph final : public Recorded {
 public:
  explicit Graph(const DriverPlace& place) : interval(place.driver_), place_(place) {}
  ~Graph() override;

  void launch() override;
  [[nodiscard]] double seconds() override;
  /// A copy of what the host gives: a copy to the device reads it when the graph runs.
  [[nodiscard]] const std::byte* keep(const std::byte* host, size_t bytes) {
    return kept_.emplace_back(host, host + bytes).data();
  }

  Interval interval;
  void *graph = nullptr, *instance = nullptr;
  PlaceTraffic each{0, 0, 0, 1};  // of one launch
  std::vector<std::string> kernels;

 private:
  const DriverPlace& place_;
  std::list<std::vector<std::byte>> kept_;
};

}  // namespace parity::optimized::cuda
