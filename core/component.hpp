// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// What describes a component: signature (names, axes), parameters with defaults, rounding points, and how each output
// is judged. Kernels use it as a type (struct C { Inputs, Outputs, Params, Points }); generic code uses a Definition.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "core/place.hpp"
#include "core/rounding.hpp"
#include "core/tensor.hpp"
#include "core/weights.hpp"
#include "core/workspace.hpp"

namespace parity {

using ParamValue = std::variant<bool, int64_t, double>;
using ParamMap = std::map<std::string, ParamValue>;

/// How an output is judged.
enum class Judge : uint8_t {
  value,       // element by element against the derived bound
  expert_set,  // top-k expert ids: must / may / must-not from the choice scores
  block_list,  // key block ids in score order, -1 padded at the end
  bits,        // bit by bit as the oracle rounds, because every operation is prescribed
  exact,       // integers or flags that follow from the inputs without rounding: must be equal
};

constexpr bool is_discrete(Judge judge) { return judge == Judge::expert_set || judge == Judge::block_list; }
/// Whether the output is written as i64. All other outputs are real numbers with an error bound.
constexpr bool is_integer(Judge judge) { return is_discrete(judge) || judge == Judge::exact; }

/// One operand of a call: one tensor, a list of tensors, or a bank. It is empty when an optional operand is absent.
struct Argument {
  std::vector<TensorView> tensors;
  const WeightBank* bank = nullptr;
};
using Arguments = std::vector<Argument>;  // in the order of the component's fields

/// Memory for the error bound of one output; kernels instantiated for Bounded fill it.
struct BoundSlot {
  const std::byte* output = nullptr;
  double* rounding = nullptr;
  double* noise = nullptr;
};

/// Everything that a call needs in addition to its operands and parameters.
struct Context {
  Rounding rounding = Rounding::exact(DType::f64);
  std::vector<BoundSlot> bounds;
  /// Element type of each operand in the implementation: binary64 buffers then contain only numbers of that type.
  std::vector<DType> inputs{}, outputs{};
  Place* place = &host();  // where the operands are; the kernel is queued on its stream
  std::shared_ptr<Workspace> workspace = std::make_shared<PlaceWorkspace>();  // of this call only
};

template <class C>
using Kernel = void(const typename C::Inputs&, const typename C::Params&, const typename C::Outputs&, Context&);

/// Kind of numbers in an operand, for drawn calls; the kinds from `tokens` to `specials` are integers.
enum class Contents : uint8_t {
  values,   // normal, at the scale of the call
  gates,    // normal times 8, so that some values exceed the clamps
  factors,  // normal, at most at scale 2: products of three stay finite
  logits,   // normal, at most at scale 8: their sigmoids stay above the underflow of binary32
  cosines,  // of random angles, as `sines` are
  sines,
  unit,       // uniform in (0, 1], binary32: router weights
  bias,       // normal / 4
  scalar,     // one positive binary32 number
  codes,      // finite e4m3 codes
  scales,     // block scales: exponents around 127, or positive binary32 numbers
  tokens,     // ids below V
  rows,       // indices below B
  labels,     // token ids below V, or -100
  places,     // positions of this call's tokens, some after left padding
  distances,  // positions up to 2^17
  mask,       // 0 and 1
  experts,    // distinct ids below E
  blocks,     // block ids from -1 to J, some repeated
  grid,       // (t, h, w) of every medium, P patches in total
  spliced,    // U image tokens, W video tokens, and other ids
  pixels,     // 0 to 255
  sizes,      // heights and widths of images: at least 28, at most 100
  sampled,    // for each video: its frames, and the number of them to sample, up to T
  letters,    // bytes of a text without special tokens
  specials,   // four letters with a NUL between them
  maxima,     // block scores: binary32, -inf for blocks in the future
};

constexpr bool are_integers(Contents contents) {
  return contents >= Contents::tokens && contents <= Contents::specials;
}

// ---- field lists: one line per struct gives names, axes and marshalling ------------------------------------------------

enum class Presence : uint8_t { required, optional };

template <class Struct, class Member>
struct Field {
  const char* name;
  Member Struct::*member;
  const char* axes;
  Presence presence;
  Judge judge;
  Contents contents = Contents::values;
  const char* drawn = nullptr;  // axes in drawn calls, where `axes` do not determine the extents

  /// A copy of the field with the kind of its numbers, and with the axes that drawn calls give it.
  [[nodiscard]] constexpr Field of(Contents what, const char* axes_of_draws = nullptr) const {
    return {name, member, axes, presence, judge, what, axes_of_draws};
  }
};

template <class Struct, class Member>
constexpr Field<Struct, Member> field(const char* name, Member Struct::*member, const char* axes,
                                      Presence presence = Presence::required, Judge judge = Judge::value) {
  return {name, member, axes, presence, judge};
}

/// The values that drawn calls give a parameter.
template <class... Values>
constexpr auto among(Values... values) {
  return std::array{values...};
}

/// Marks a parameter whose value is the extent of an axis of the operands.
struct Extent {
  char axis;
};
constexpr Extent extent(char axis) { return {axis}; }

template <class Struct, class Value>
struct Param {
  static constexpr size_t kMost = 4;

  const char* name;
  Value Struct::*member;
  std::array<Value, kMost> values{};
  size_t count = 0;  // of `values`; 0: drawn calls draw a flag, and keep the default of any other parameter
  char axis = 0;     // letter of the axis whose extent the parameter is; 0: it is no extent
};

template <class Struct, class Value>
constexpr Param<Struct, Value> param(const char* name, Value Struct::*member) {
  return {name, member};
}

template <class Struct, class Value>
constexpr Param<Struct, Value> param(const char* name, Value Struct::*member, Extent given) {
  return {name, member, {}, 0, given.axis};
}

template <class Struct, class Value, class Given, size_t count>
constexpr Param<Struct, Value> param(const char* name, Value Struct::*member, const std::array<Given, count>& given) {
  Param<Struct, Value> result{name, member};
  static_assert(count <= Param<Struct, Value>::kMost);
  for (size_t i = 0; i < count; ++i) result.values[i] = static_cast<Value>(given[i]);
  result.count = count;
  return result;
}

/// The operation before a rounding point: libraries agree on arithmetic; elementary functions differ by some ulps.
enum class Follows : uint8_t { arithmetic, function };

template <class Struct>
struct Point {
  const char* name;
  Round Struct::*member;
  Precision precision;
  Follows follows;
};

template <class Struct>
constexpr Point<Struct> point(const char* name, Round Struct::*member, Precision precision,
                              Follows follows = Follows::arithmetic) {
  return {name, member, precision, follows};
}

/// A component's texts: shown by `parity show`, in reports and in docs.
struct ComponentText {
  const char* name;     // "rms_norm"
  const char* formula;  // one line
  const char* source;   // class or function of the real implementation
};

/// Events that a recording must contain, because judging a component on a recording without them proves nothing.
enum class Shows : uint8_t {
  anything,      // no particular event
  more_than,     // a row of `field` has more finite numbers than the value of `param`
  beyond,        // a number of `field` (gate | up) is above `param`, or one of its second half is below -`param`
  other_choice,  // the `param` largest numbers of a row of `field` are at other indices than those of `than`
};

struct Exercise {
  Shows shows = Shows::anything;
  const char* field = "";  // an input; or an output if `than` names another output
  const char* param = "";
  const char* missing = "";  // message about a recording that lacks the event
  const char* than = "";
  bool note_only = false;  // passes without the event are noted, but still trusted
};

/// Which rows of another rank's part a collective reads; no others are sent.
enum class SentRows : uint8_t {
  all,
  own,       // from the parameter `first_row` on, as many as its output has
  routed,    // of tokens with an expert of the reading rank: `first` to `first` + `count`
  returned,  // those of `own` that have an expert of the sending rank, which has `count`
};

/// Properties of a component that its judge needs; the defaults fit most components.
struct Traits {
  bool elementwise = false;  // each output element depends on one element of each operand, so there are no sums
  const char* part = "";     // name in recordings of a model part that has several implementations: attention, experts
  bool ports_only = false;   // no plan uses it, for example because only engines compute so; only drawn cases judge it
  Exercise exercise{};
  /// How a call can be divided among ranks, by letters of the fields' axes ('*': the leading axes). Along `parallel`
  /// letters, a slice of the operands gives that slice of the outputs. Along `summed` letters, the outputs are sums over
  /// slices. `heads` are parallel, too, and divided in proportion: A query heads with their G key heads. Along any other
  /// letter a rank needs the whole operand. An elementwise component is parallel along all letters. Slices
  /// along S and V have other parameters `query_slot` and `first_word` (core/sharding, sliced_params).
  const char* parallel = "";
  const char* summed = "";
  const char* heads = "";
  SentRows sent = SentRows::all;
  bool adds = false;  // a collective whose parts are terms of a sum
};

/// Products and sums that no kernel avoids, in a call with these extents and parameters. A component that is limited
/// only by memory has no such function.
using Flops = double (*)(const AxisSizes& sizes, const ParamMap& params);
/// The product of the extents of the axes in `letters`.
[[nodiscard]] inline double elements(const AxisSizes& sizes, std::string_view letters) {
  double product = 1.0;
  for (const char letter : letters) product *= static_cast<double>(sizes.at(letter));
  return product;
}

// ---- run-time description ----------------------------------------------------------------------------------------------

struct FieldInfo {
  std::string name;
  std::string axes;
  bool optional = false;
  Judge judge = Judge::value;
  Contents contents = Contents::values;
  std::string drawn{};  // axes in drawn calls; empty: `axes`
};

struct Definition {
  std::string name;
  std::string formula;
  std::string source;
  std::vector<FieldInfo> inputs;
  std::vector<FieldInfo> outputs;
  ParamMap defaults;
  std::map<std::string, std::vector<ParamValue>> among{};  // values that drawn calls use, of parameters that list some
  std::map<std::string, char> extents{};                   // axis letter of each parameter that is an extent
  std::map<std::string, Precision> points{};
  bool functions = false;  // whether some point rounds an elementary function
  Traits traits{};
  Flops flops = nullptr;

  [[nodiscard]] int input_index(const std::string& field) const;  // Error{internal} when there is no such field
  [[nodiscard]] int output_index(const std::string& field) const;
};

template <class C>
Definition definition_of() {
  Definition result{C::text.name, C::text.formula, C::text.source, {}, {}, {}};
  const auto describe = [](std::vector<FieldInfo>& list) {
    return [&list](const auto&... f) {
      (list.push_back(
           {f.name, f.axes, f.presence == Presence::optional, f.judge, f.contents, f.drawn == nullptr ? "" : f.drawn}),
       ...);
    };
  };
  std::apply(describe(result.inputs), C::inputs());
  std::apply(describe(result.outputs), C::outputs());
  const typename C::Params defaults;
  std::apply([&](const auto&... p) { (result.defaults.emplace(p.name, defaults.*(p.member)), ...); }, C::params());
  const auto matter = [&](const auto& p) {
    auto& values = result.among[p.name];
    for (size_t i = 0; i < p.count; ++i) values.emplace_back(p.values[i]);
    if (values.empty()) result.among.erase(p.name);
    if (p.axis != 0) result.extents[p.name] = p.axis;
  };
  std::apply([&](const auto&... p) { (matter(p), ...); }, C::params());
  std::apply([&](const auto&... p) { (result.points.emplace(p.name, p.precision), ...); }, C::points());
  std::apply([&](const auto&... p) { ((result.functions |= p.follows == Follows::function), ...); }, C::points());
  if constexpr (requires { C::traits; }) result.traits = C::traits;
  if constexpr (requires { &C::flops; }) result.flops = &C::flops;
  return result;
}

/// The component's rounding points with the precision, working type and activity of `context`.
template <class C>
typename C::Points points_of(const Context& context) {
  typename C::Points result;
  std::apply(
      [&](const auto&... p) {
        ((result.*(p.member) = context.rounding.point(C::text.name, p.name, p.precision)), ...);
        (((result.*(p.member)).ulps = p.follows == Follows::function ? context.rounding.function_ulps() : kLibraryUlps),
         ...);
      },
      C::points());
  return result;
}

// ---- how reference kernels write their outputs --------------------------------------------------------------------

/// Typed access to an output: its values and, for Num = Bounded, their error bounds.
template <class Num, int Rank>
class Sink {
 public:
  Sink(const TensorView& output, const Context& context) : values_(output.as<double, Rank>()) {
    if constexpr (std::is_same_v<Num, Bounded>) {
      for (const BoundSlot& slot : context.bounds) {
        if (slot.output == output.data) slot_ = slot;
      }
      PARITY_CHECK(slot_.output != nullptr, internal, "this output has no bound");
    }
  }

  template <class... Index>
  void set(const Num& number, Index... index) const {
    double& target = values_(index...);
    target = value_of(number);
    if constexpr (std::is_same_v<Num, Bounded>) {
      const auto offset = &target - values_.data;
      slot_.rounding[offset] = number.rounding;
      slot_.noise[offset] = number.noise;
    }
  }

  template <class... Index>
  [[nodiscard]] Num get(Index... index) const {
    const double& source = values_(index...);
    if constexpr (std::is_same_v<Num, Bounded>) {
      const auto offset = &source - values_.data;
      return {source, slot_.rounding[offset], slot_.noise[offset]};
    } else {
      return source;
    }
  }

 private:
  Span<double, Rank> values_;
  BoundSlot slot_{};
};

}  // namespace parity
