// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The taps of a plan as a recording has them: datasets, aliases, and histories put together from their parts.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "core/plan.hpp"
#include "golden/activation_file.hpp"

namespace parity::replay {

class Recording {
 public:
  /// Checks shape and type of every dataset that the plan knows: Error{schema} names dataset, found and expected.
  Recording(const golden::ActivationFile& file, const Plan& plan);

  /// Recorded under its own name or an alias: judged.
  [[nodiscard]] bool has(const std::string& tap) const { return datasets_.contains(tap); }
  /// Recorded, or a history that follows from what is recorded: usable as an input.
  [[nodiscard]] bool available(const std::string& tap) const;
  /// As recorded, under the plan's axes; Error{not_found} when not available.
  [[nodiscard]] Tensor read(const std::string& tap) const;
  /// The dataset that records the tap.
  [[nodiscard]] const std::string& dataset(const std::string& tap) const { return datasets_.at(tap); }
  [[nodiscard]] const golden::ActivationFile& file() const { return file_; }

 private:
  struct Holder {  // a cache tap that holds a part
    std::string cache;
    HistoryPart part;
  };

  void check(const std::string& dataset, const TapInfo& info) const;
  [[nodiscard]] std::optional<Holder> holder_of(const std::string& part) const;
  [[nodiscard]] const std::string* later_cache(const std::string& cache) const;
  [[nodiscard]] Tensor read_part(const std::string& part, const std::string& axes) const;

  const golden::ActivationFile& file_;
  const Plan& plan_;
  std::map<std::string, std::string> datasets_;            // tap -> dataset path
  std::map<std::string, std::vector<Holder>> holders_;     // part -> recorded caches that hold it
};

}  // namespace parity::replay
