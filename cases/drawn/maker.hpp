// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Draws the operands of a case: first extents, then tensors by field name.
#pragma once

#include <functional>
#include <set>
#include <string>

#include "cases/drawn/case.hpp"
#include "cases/drawn/extents.hpp"
#include "core/plans/profile.hpp"
#include "core/random.hpp"

namespace parity::cases {

/// Values that a chain fixes for the part that is drawn (chain_case.hpp).
struct Settled {
  const Profile* profile = nullptr;
  AxisSizes sizes{};
  ParamMap params{};
  std::set<std::string> linked{};          // inputs that an earlier part computes
  bool read_on = false;                    // the output is an input of a later part
  std::map<std::string, Tensor> wanted{};  // outputs with the values that later parts need for exactness
};

class CaseMaker : public Extents {
 public:
  explicit CaseMaker(const CaseSpec& spec, Settled settled = {});

  /// Draws B sequences of S tokens, sometimes none.
  void tokens(int64_t most);
  double normal() { return normals_.normal(next()); }

  /// Draws an input of normal values times `scale`: plain, with outliers, off centre, with zeros or on a lattice.
  void values(const std::string& field, const std::string& axes, double scale = 1.0, TapType type = TapType::working);
  /// Draws values like `values`, limited to +-40, so that exponentials and sigmoids stay normal numbers of binary32.
  void exponents(const std::string& field, const std::string& axes, double scale);
  void numbers(const std::string& field, const std::string& axes, TapType type,
               const std::function<double(int64_t)>& value);
  /// Draws codes of E4M3, which has NaN but no infinity: normal ones, or those of `code`.
  void codes(const std::string& field, const std::string& axes, const std::function<double()>& code = {});
  void ids(const std::string& field, const std::string& axes, const std::function<int64_t(int64_t)>& id);
  void bank(const std::string& field, const std::string& axes, int64_t members, double scale);
  /// Draws a bank of `members`. `value` is called for each element, member after member.
  void bank(const std::string& field, const std::string& axes, int64_t members,
            const std::function<double(int64_t)>& value);
  /// Whether the input was drawn or left out. A field that is drawn again gets several tensors.
  [[nodiscard]] bool has_input(const std::string& field) const {
    return made_.plan.nodes.front().inputs.contains(field) || left_out_.contains(field);
  }
  /// Marks an optional input as absent in this case.
  void leave_out(const std::string& field) { left_out_.insert(field); }
  [[nodiscard]] bool has_output(const std::string& field) const {
    return made_.plan.nodes.front().outputs.contains(field);
  }
  /// Sets a parameter and returns its value, which is a different one if a chain fixes it.
  const ParamValue& param(const std::string& name, ParamValue value);
  /// Sets the type in which an operand of numbers is in a kernel's memory, if not that of its tap.
  void stored(const std::string& field, DType type) { made_.stored[field] = type; }
  [[nodiscard]] const Settled& settled() const { return settled_; }
  /// Returns the type to which the profile last rounds at `point` ("rotary_tables.out").
  [[nodiscard]] TapType type_of(const std::string& point) const;
  void output(const std::string& field, const std::string& axes, TapType type = TapType::working);
  /// Draws whether the case has the roundings of a flash kernel, and returns true if so.
  bool sdpa();
  /// Lets the kernel of the component round freely.
  void free(const std::string& component, bool own_rounding);

  /// Whether, in the special lane, the recipe itself must spoil this number, which is not of the working type.
  [[nodiscard]] bool spoils() { return made_.spec.lane == Lane::special && from(0, 31) == 0; }
  [[nodiscard]] Lane lane() const { return made_.spec.lane; }
  /// Makes an input that is drawn again replace the earlier one.
  void replace() { replacing_ = true; }
  /// Whether the input was already drawn.
  [[nodiscard]] bool has(const std::string& field) const { return made_.taps.contains("in/" + field); }
  [[nodiscard]] const Tensor& given(const std::string& field) const { return made_.taps.at("in/" + field).exact; }
  [[nodiscard]] TapType type_of_given(const std::string& field) const { return made_.plan.taps.at("in/" + field).type; }
  [[nodiscard]] const ParamValue& param(const std::string& name) const {
    return made_.plan.nodes.front().params.at(name);
  }
  [[nodiscard]] const ParamMap& params() const { return made_.plan.nodes.front().params; }
  [[nodiscard]] const std::string& component() const { return made_.spec.component; }
  [[nodiscard]] DType working() const { return made_.plan.working; }
  [[nodiscard]] const Profile& profile() const { return *profile_; }
  [[nodiscard]] DrawnCase take();

 private:
  Node& node() { return made_.plan.nodes.front(); }
  void input(const std::string& field, const std::string& axes, TapType type, Tensor tensor);
  void draw_style(uint64_t seed);
  double value(int64_t kind);
  /// In the special lane, puts NaN and infinities in a few elements of the first tensor and every second one after it.
  void spoil(const Tensor& tensor, bool codes);

  Settled settled_;
  Random normals_;
  bool spoiled_ = false;
  std::set<std::string> left_out_, replaced_;
  bool replacing_ = false;
  const Profile* profile_;
  DrawnCase made_;
};

/// Draws a case of one component. Throws Error{unsupported} for an exact case if the component has none.
[[nodiscard]] DrawnCase draw_component(const CaseSpec& spec, Settled settled = {});

/// A function that draws all operands of one component.
using Recipe = void (*)(CaseMaker&);
[[nodiscard]] const std::map<std::string, Recipe>& recipes();
void add_attention_recipes(std::map<std::string, Recipe>& recipes);
/// Adds a recipe for every component without a separate one.
void add_declared_recipes(std::map<std::string, Recipe>& recipes);

}  // namespace parity::cases
