// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Study of bugs that are not in the catalogue: removes each fault in turn, plants it, and explains it by the other
// faults and by fitting.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "faults/edits/fault.hpp"
#include "faults/studies/matrix.hpp"

namespace parity::faults {

/// Least share of planted faults for which an explanation of equal effect must be found.
constexpr double kLeastDescribed = 0.70;

struct LeaveOneOutOptions {
  std::vector<std::filesystem::path> goldens;
  std::string select = "*";  // glob over ids of faults
  int threads = 0;           // 0: one per processor
  double seconds = 30.0;     // limit for naming one fault
  std::function<void(size_t, size_t)> progress;
};

enum class Described : uint8_t {
  same,     // computes the planted fault's values at every node where it was planted
  partly,   // computes them at some of these nodes
  nearly,   // differs only by roundings, but in more than one element of a hundred
  nothing,  // no explanation
  wrong,    // the explanation has another effect
};
[[nodiscard]] const char* to_string(Described described);

struct LeftOut {
  const Fault* fault = nullptr;
  std::string
      kind;  // kind of its edits: "parameter", "function", "operand", "result", "weight", "rounding", several with a +
  std::string fixture;  // fixture that shows it best
  std::string named;    // explanation in the words of the report
  Described described = Described::nothing;
  double seconds = 0.0;
};

struct LeaveOneOut {
  std::vector<LeftOut> rows;  // faults that were noticed

  [[nodiscard]] int64_t count(Described described) const;
  [[nodiscard]] double share() const;  // share of rows with Described::same
  [[nodiscard]] bool holds() const { return share() >= kLeastDescribed && count(Described::wrong) == 0; }
};

/// Returns the kind of the fault's edits, as in LeftOut::kind.
[[nodiscard]] std::string edit_kind_of(const Fault& fault);

[[nodiscard]] LeaveOneOut leave_one_out(const LeaveOneOutOptions& options);

}  // namespace parity::faults
