// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The study of bugs that the catalogue does not hold: each fault is taken out of it in turn, planted, and explained by what is
// left and by fitting.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "faults/edits/fault.hpp"
#include "faults/studies/matrix.hpp"

namespace parity::faults {

/// Share of the planted faults that have to be described by something of the same effect.
constexpr double kLeastDescribed = 0.70;

struct LeaveOneOutOptions {
  std::vector<std::filesystem::path> goldens;
  std::string select = "*";  // glob over fault ids
  int threads = 0;           // 0: one per processor
  double seconds = 30.0;     // for the naming of each
  std::function<void(size_t, size_t)> progress;
};

enum class Described : uint8_t {
  same,     // computes what the planted fault computes, at every node that it was planted at
  partly,   // at some of them
  nearly,   // differs by roundings alone, but in more than one element of a hundred
  nothing,  // no name
  wrong,    // names something of another effect
};
[[nodiscard]] const char* to_string(Described described);

struct LeftOut {
  const Fault* fault = nullptr;
  std::string
      kind;  // of its edits: "parameter", "function", "operand", "result", "weight", "rounding", several with a +
  std::string fixture;  // where it shows best
  std::string named;    // as the report says it
  Described described = Described::nothing;
  double seconds = 0.0;
};

struct LeaveOneOut {
  std::vector<LeftOut> rows;  // of faults that were noticed

  [[nodiscard]] int64_t count(Described described) const;
  [[nodiscard]] double share() const;  // described by the same
  [[nodiscard]] bool holds() const { return share() >= kLeastDescribed && count(Described::wrong) == 0; }
};

/// What kind of edit a fault is made of.
[[nodiscard]] std::string edit_kind_of(const Fault& fault);

[[nodiscard]] LeaveOneOut leave_one_out(const LeaveOneOutOptions& options);

}  // namespace parity::faults
