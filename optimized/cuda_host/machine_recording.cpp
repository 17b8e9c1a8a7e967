// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What the PTX machine records: the launches and copies of a call, with the addresses and parameters of that call. It
// refuses what a graph of a GPU cannot hold, so that a kernel which no graph holds is found without one.
#include <vector>

#include "optimized/cuda_host/machine_place.hpp"

namespace parity::optimized::cuda {

class MachinePlace::Recording final : public Recorded {
 public:
  explicit Recording(const MachinePlace& place) : place_(place) {}

  void launch() override {
    place_.require_no_recording("a recording is launched");
    for (const auto& part : parts) part();
    place_.count({0, 0, 0, 1});
  }
  [[nodiscard]] double seconds() override {
    return place_.Place::seconds([this] { launch(); });
  }

  std::vector<std::function<void()>> parts;

 private:
  const MachinePlace& place_;
};

void MachinePlace::require_no_recording(const char* what) const {
  PARITY_CHECK(recording_ == nullptr, unsupported, "{} while a graph is recorded", what);
}

void MachinePlace::defer(std::function<void()> part) const { recording_->parts.push_back(std::move(part)); }

std::unique_ptr<Recorded> MachinePlace::record(const std::function<void()>& work) {
  require_no_recording("a recording begins");
  auto recording = std::make_unique<Recording>(*this);
  recording_ = recording.get();
  try {
    work();
  } catch (...) {
    recording_ = nullptr;
    throw;
  }
  recording_ = nullptr;
  return recording;
}

}  // namespace parity::optimized::cuda
