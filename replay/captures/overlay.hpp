// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The taps of another source with some values replaced, for studies and for inputs that are not recorded.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "replay/captures/tap_source.hpp"

namespace parity::replay {

class Overlay final : public TapSource {
 public:
  /// `below` may be nullptr, and must outlive the object.
  Overlay(const Plan& plan, const TapSource* below, std::map<std::string, Tensor> values)
      : TapSource(plan), below_(below), values_(std::move(values)) {}

  [[nodiscard]] bool has(const std::string& tap) const override {
    return values_.contains(tap) || (below_ != nullptr && below_->has(tap));
  }

 private:
  [[nodiscard]] Tensor held(const std::string& tap) const override {
    const auto value = values_.find(tap);
    return value == values_.end() ? below_->read(tap) : value->second;
  }

  const TapSource* below_;
  std::map<std::string, Tensor> values_;
};

}  // namespace parity::replay
