// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The kernels of two backends on the same cases, bit by bit: a GPU beside the PTX machine that stands in for it.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "cases/drawn/case.hpp"

namespace parity::cases {

/// By how much outputs of one kernel differ between two backends.
struct Difference {
  int64_t cases = 0, elements = 0, different = 0;
  double ulps = 0.0;       // the largest distance, in representable numbers of the output's type
  std::string worst_case;  // where it is
  /// Instructions whose bits the PTX standard leaves to the GPU. Without any, each element has the same bits.
  std::set<std::string> free;
  bool known = false;  // what instructions there are: one of the two ran on the PTX machine

  [[nodiscard]] bool must_be_equal() const { return known && free.empty(); }
  [[nodiscard]] bool holds() const { return different == 0 || !must_be_equal(); }
};

class Differences {
 public:
  /// Of a case of both, by output.
  void add(const CaseSpec& spec, const std::map<std::string, Tensor>& ours,
           const std::map<std::string, Tensor>& theirs);
  void add_instructions(const CaseSpec& spec, const std::set<std::string>& free);
  /// By component and type; NaN of any bits are equal.
  [[nodiscard]] const std::map<std::pair<std::string, DType>, Difference>& rows() const { return rows_; }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::string, DType>, Difference> rows_;
};

/// The kernels of `backend`, each run of which is repeated by those of `other`. Error{usage} if `other` lacks kernels
/// at all; a case that it lacks is not compared.
[[nodiscard]] CaseKernel beside(const std::string& backend, const std::string& other, Differences& into);

/// "ex2.approx", "mma", "atom.add": whether the standard lets a GPU round, or add up, in its own way. `measured`: both
/// sides add products as an H100 does, which the PTX machine knows but for a few forms (matrix/hopper_sum.cpp).
[[nodiscard]] bool is_free(const std::string& opcode, bool measured = false);

}  // namespace parity::cases
