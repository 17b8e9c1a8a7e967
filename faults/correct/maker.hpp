// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Draws the operands of a case: extents first, then tensors by field name.
#pragma once

#include <functional>
#include <string>

#include "core/plans/profile.hpp"
#include "core/random.hpp"
#include "faults/correct/case.hpp"
#include "faults/correct/extents.hpp"

namespace parity::faults {

class CaseMaker : public Extents {
 public:
  explicit CaseMaker(const CaseSpec& spec);

  /// Tokens: B sequences of S; none at all now and then.
  void tokens(int64_t most);
  double normal() { return normals_.normal(next()); }

  /// An input of normal values times `scale`: evenly, with outliers, off centre, with zeros or on a lattice.
  void values(const std::string& field, const std::string& axes, double scale = 1.0);
  /// The same within +-40, so that exponentials of differences and sigmoids stay normal numbers of binary32.
  void exponents(const std::string& field, const std::string& axes, double scale);
  void numbers(const std::string& field, const std::string& axes, TapType type,
               const std::function<double(int64_t)>& value);
  void ids(const std::string& field, const std::string& axes, const std::function<int64_t(int64_t)>& id);
  void bank(const std::string& field, const std::string& axes, int64_t members, double scale);
  /// `value` of elements in turn, member after member.
  void bank(const std::string& field, const std::string& axes, int64_t members,
            const std::function<double(int64_t)>& value);
  void param(const std::string& name, ParamValue value) { node().params[name] = value; }
  /// Of what the profile rounds at `point` ("rotary_tables.out") last.
  [[nodiscard]] TapType type_of(const std::string& point) const;
  void output(const std::string& field, const std::string& axes, TapType type = TapType::working);
  /// Roundings of a flash kernel; true where the case takes them.
  bool sdpa();
  /// A kernel that may round where it likes.
  void free(const std::string& component, bool own_rounding);

  /// In the special lane: whether this number, which is no working one, is to be spoiled by the recipe itself.
  [[nodiscard]] bool spoils() { return made_.spec.lane == Lane::special && from(0, 31) == 0; }
  /// An input that was drawn before; a field that is given again takes its place.
  [[nodiscard]] bool has(const std::string& field) const { return made_.taps.contains("in/" + field); }
  [[nodiscard]] const Tensor& given(const std::string& field) const { return made_.taps.at("in/" + field).exact; }
  [[nodiscard]] const ParamValue& param(const std::string& name) const {
    return made_.plan.nodes.front().params.at(name);
  }
  [[nodiscard]] DType working() const { return made_.plan.working; }
  [[nodiscard]] const Profile& profile() const { return *profile_; }
  [[nodiscard]] DrawnCase take();

 private:
  Node& node() { return made_.plan.nodes.front(); }
  void input(const std::string& field, const std::string& axes, TapType type, Tensor tensor);
  void draw_style(uint64_t seed);
  double value(int64_t kind);
  /// In the special lane: NaN and infinities in a few places of the first tensor and of every other one behind it.
  void spoil(const Tensor& tensor);

  Random normals_;
  bool spoiled_ = false;
  const Profile* profile_;
  DrawnCase made_;
};

/// Draws everything that one component needs.
using Recipe = void (*)(CaseMaker&);
[[nodiscard]] const std::map<std::string, Recipe>& recipes();
void add_attention_recipes(std::map<std::string, Recipe>& recipes);

}  // namespace parity::faults
