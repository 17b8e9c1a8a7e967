// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Draws the operands of a case: extents first, then tensors by field name.
#pragma once

#include <functional>
#include <string>

#include "core/plans/profile.hpp"
#include "core/random.hpp"
#include "faults/correct/case.hpp"

namespace parity::faults {

class CaseMaker {
 public:
  explicit CaseMaker(const CaseSpec& spec);

  /// A number of elements along `letter`: at a boundary up to `most`, or anywhere in 1 … most.
  int64_t extent(char letter, int64_t most);
  /// An extent of its own, in least … most, or one of `choices`.
  int64_t range(char letter, int64_t least, int64_t most) { return draw(letter, from(least, most), least); }
  int64_t choose(char letter, const std::vector<int64_t>& choices);
  /// Tokens: B sequences of S; none at all now and then.
  void tokens(int64_t most);
  void size(char letter, int64_t value) { sizes_[letter] = value; }
  [[nodiscard]] int64_t size(char letter) const { return sizes_.at(letter); }
  int64_t from(int64_t least, int64_t most);
  bool coin() { return from(0, 1) == 1; }
  template <class T>
  T one_of(const std::vector<T>& choices) {
    return choices[static_cast<size_t>(from(0, static_cast<int64_t>(choices.size()) - 1))];
  }
  double normal();
  double uniform();

  /// An input of normal values times `scale`: evenly, with outliers, off centre, with zeros or on a lattice.
  void values(const std::string& field, const std::string& axes, double scale = 1.0);
  /// The same within +-40, so that exponentials of differences and sigmoids stay normal numbers of binary32.
  void exponents(const std::string& field, const std::string& axes, double scale);
  void numbers(const std::string& field, const std::string& axes, TapType type,
               const std::function<double(int64_t)>& value);
  void ids(const std::string& field, const std::string& axes, const std::function<int64_t(int64_t)>& id);
  void bank(const std::string& field, const std::string& axes, int64_t members, double scale);
  void param(const std::string& name, ParamValue value) { node().params[name] = value; }
  /// Of what the profile rounds at `point` ("rotary_tables.out") last.
  [[nodiscard]] TapType type_of(const std::string& point) const;
  void output(const std::string& field, const std::string& axes, TapType type = TapType::working);
  /// Roundings of a flash kernel; true where the case takes them.
  bool sdpa();
  /// A kernel that may round where it likes.
  void free(const std::string& component, bool own_rounding);

  [[nodiscard]] bool boundary() const { return made_.spec.lane != Lane::anywhere; }
  [[nodiscard]] DType working() const { return made_.plan.working; }
  [[nodiscard]] const Profile& profile() const { return *profile_; }
  [[nodiscard]] DrawnCase take();

 private:
  Node& node() { return made_.plan.nodes.front(); }
  void input(const std::string& field, const std::string& axes, TapType type, Tensor tensor);
  void draw_style(uint64_t seed);
  double value(int64_t kind);
  /// Takes `value` for the letter, at most what the case may have but not less than `least`.
  int64_t draw(char letter, int64_t value, int64_t least);
  /// In the special lane: NaN and infinities in a few places of every other tensor.
  void spoil(const Tensor& tensor);

  Random random_, normals_;
  uint64_t next_ = 0;
  AxisSizes sizes_;
  const Profile* profile_;
  DrawnCase made_;
};

/// Draws everything that one component needs.
using Recipe = void (*)(CaseMaker&);
[[nodiscard]] const std::map<std::string, Recipe>& recipes();
void add_attention_recipes(std::map<std::string, Recipe>& recipes);

}  // namespace parity::faults
