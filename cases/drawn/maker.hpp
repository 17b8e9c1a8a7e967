// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Draws the operands of a case: extents first, then tensors by field name.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "cases/drawn/case.hpp"
#include "cases/drawn/extents.hpp"
#include "core/plans/profile.hpp"
#include "core/random.hpp"

namespace parity::cases {

/// What a chain has settled for the part of it that is drawn (chain_case.hpp).
struct Settled {
  const Profile* profile = nullptr;
  AxisSizes sizes{};
  ParamMap params{};
  std::set<std::string> linked{};          // inputs that an earlier part makes
  bool read_on = false;                    // what comes out goes into a later part
  std::map<std::string, Tensor> wanted{};  // outputs as the exact operands of a later part need them
};

class CaseMaker : public Extents {
 public:
  explicit CaseMaker(const CaseSpec& spec, Settled settled = {});

  /// Tokens: B sequences of S; none at all now and then.
  void tokens(int64_t most);
  double normal() { return normals_.normal(next()); }

  /// An input of normal values times `scale`: evenly, with outliers, off centre, with zeros or on a lattice.
  void values(const std::string& field, const std::string& axes, double scale = 1.0);
  /// The same within +-40, so that exponentials of differences and sigmoids stay normal numbers of binary32.
  void exponents(const std::string& field, const std::string& axes, double scale);
  void numbers(const std::string& field, const std::string& axes, TapType type,
               const std::function<double(int64_t)>& value);
  /// E4M3, which has a NaN and no infinity.
  void codes(const std::string& field, const std::string& axes);
  void ids(const std::string& field, const std::string& axes, const std::function<int64_t(int64_t)>& id);
  void bank(const std::string& field, const std::string& axes, int64_t members, double scale);
  /// `value` of elements in turn, member after member.
  void bank(const std::string& field, const std::string& axes, int64_t members,
            const std::function<double(int64_t)>& value);
  /// A field that is drawn again takes several tensors.
  [[nodiscard]] bool has_input(const std::string& field) const {
    return made_.plan.nodes.front().inputs.contains(field) || left_out_.contains(field);
  }
  /// An optional input that this case is without.
  void leave_out(const std::string& field) { left_out_.insert(field); }
  [[nodiscard]] bool has_output(const std::string& field) const {
    return made_.plan.nodes.front().outputs.contains(field);
  }
  /// The value that holds from now on: a chain may have settled another.
  const ParamValue& param(const std::string& name, ParamValue value);
  /// In which type a checkpoint holds an input of numbers.
  void stored(const std::string& field, DType type) { made_.stored[field] = type; }
  [[nodiscard]] const Settled& settled() const { return settled_; }
  /// Of what the profile rounds at `point` ("rotary_tables.out") last.
  [[nodiscard]] TapType type_of(const std::string& point) const;
  void output(const std::string& field, const std::string& axes, TapType type = TapType::working);
  /// Roundings of a flash kernel; true where the case takes them.
  bool sdpa();
  /// A kernel that may round where it likes.
  void free(const std::string& component, bool own_rounding);

  /// In the special lane: whether this number, which is no working one, is to be spoiled by the recipe itself.
  [[nodiscard]] bool spoils() { return made_.spec.lane == Lane::special && from(0, 31) == 0; }
  /// From here on, an input that is drawn again takes the place of what was drawn before.
  void replace() { replacing_ = true; }
  /// An input that was drawn before.
  [[nodiscard]] bool has(const std::string& field) const { return made_.taps.contains("in/" + field); }
  [[nodiscard]] const Tensor& given(const std::string& field) const { return made_.taps.at("in/" + field).exact; }
  [[nodiscard]] TapType type_of_given(const std::string& field) const { return made_.plan.taps.at("in/" + field).type; }
  [[nodiscard]] const ParamValue& param(const std::string& name) const {
    return made_.plan.nodes.front().params.at(name);
  }
  [[nodiscard]] const std::string& component() const { return made_.spec.component; }
  [[nodiscard]] DType working() const { return made_.plan.working; }
  [[nodiscard]] const Profile& profile() const { return *profile_; }
  [[nodiscard]] DrawnCase take();

 private:
  Node& node() { return made_.plan.nodes.front(); }
  void input(const std::string& field, const std::string& axes, TapType type, Tensor tensor);
  void draw_style(uint64_t seed);
  double value(int64_t kind);
  /// In the special lane: NaN and infinities in a few places of the first tensor and of every other one after it.
  void spoil(const Tensor& tensor, bool codes);

  Settled settled_;
  Random normals_;
  bool spoiled_ = false;
  std::set<std::string> left_out_, replaced_;
  bool replacing_ = false;
  const Profile* profile_;
  DrawnCase made_;
};

/// A case of one component. Error{unsupported} for an exact one where it has none.
[[nodiscard]] DrawnCase draw_component(const CaseSpec& spec, Settled settled = {});

/// Draws everything that one component needs.
using Recipe = void (*)(CaseMaker&);
[[nodiscard]] const std::map<std::string, Recipe>& recipes();
void add_attention_recipes(std::map<std::string, Recipe>& recipes);
/// Of every component without a separate one.
void add_declared_recipes(std::map<std::string, Recipe>& recipes);

}  // namespace parity::cases
