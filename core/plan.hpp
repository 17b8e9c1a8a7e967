// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A plan is a model as data: a flat, single-assignment list of component calls between named taps.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/component.hpp"
#include "core/sharding/box.hpp"

namespace parity {

enum class TapType : uint8_t {
  working,  // T
  single,   // binary32; T in a binary64 recording
  index,    // i64: a decision, or an input of the plan
  count,    // i64 that follows from other taps
  byte,     // u8: pixels
  flag,     // bool that follows from other taps
  text,     // one text, or several with a NUL between them: their UTF-8 bytes
  wide,     // f64 in every recording
};

/// Whether taps of this type are i64 while a plan is executed.
constexpr bool is_integer(TapType type) { return type >= TapType::index && type <= TapType::text; }

/// What a tap of one of several ranks is of a tap of the plan for a single process.
struct Part {
  std::string tap;   // "steps/000/text/lm_head/out"
  std::string axes;  // of the whole tap
  Shape shape;
  Box box;
  bool partial = false;  // a term of a sum over ranks: no recording has it
};

struct TapInfo {
  std::string axes;  // as recorded: "B,S,AD"
  Shape shape;
  TapType type = TapType::working;
  int producer = -1;              // index of the node that writes it; -1 for an input of the plan (tokens/)
  bool one_for_all_rows = false;  // a recording may contain one row, extent 1, for all sequences
  std::optional<Part> part{};     // of a tap of one of several ranks
};

/// Element type in which an implementation stores a parameter.
enum class Held : uint8_t {
  working,  // rounded to T
  single,   // in binary32 (router weights and biases of quantised checkpoints)
  stored,   // as in the file: the codes and scales of quantised tensors
};

/// A parameter of the plan: published tensors stacked by rows, in the type in which the implementation stores them.
struct WeightInfo {
  std::vector<std::string> published;  // in a bank "{}" stands for the number of the member
  Shape shape;                         // of one member
  int64_t members = 0;                 // 0: a single tensor, else a bank
  Held held = Held::working;
  int64_t first_member = 0;   // number of the bank's first member in the published names
  std::optional<Box> part{};  // what a rank holds of the stacked tensor; `shape` is then the shape of this part
  Shape whole{};              // shape of all of it, if `part` is given
};

struct Operand {
  enum class Kind : uint8_t { tap, weight, bank };
  Kind kind = Kind::tap;
  std::string name;  // tap or weight
  std::string axes;  // axes under which the kernel reads or writes it; empty: as recorded
};

struct Node {
  std::string component;
  std::string prefix;                                  // "steps/000/text/layers/03/moe/router"
  std::map<std::string, std::vector<Operand>> inputs;  // by the component's field names
  std::map<std::string, Operand> outputs;
  ParamMap params;
  RoundingTable rounding;  // rounding rows of this node only; they override the plan's
  int step = 0;
  int layer = -1;     // -1: outside the layers
  AxisSizes sizes{};  // of letters whose extents differ in this node (those of a tower)
  int rank = 0;       // the process whose kernels compute it
};

/// One part of a cache tap that consists of other taps along K (docs/golden-format.md, 5c). A part hides the slots of
/// earlier parts that it covers, as after a crop of a static cache; a slot that no part covers is zero.
struct HistoryPart {
  std::string tap;
  std::string axes;   // axes under which the part is viewed: those of the cache, with S for K
  int64_t first = 0;  // first slot of the part in the cache
  int64_t length = 0;
};

struct Plan {
  std::string system;
  std::string profile;
  DType working = DType::f32;
  RoundingTable rounding;
  std::map<int, AxisSizes> sizes;  // by step
  std::vector<Node> nodes;
  std::map<std::string, TapInfo> taps;
  std::map<std::string, WeightInfo> weights;
  std::map<std::string, std::string> aliases;                 // layers/NN/in -> the tap whose values it has
  std::map<std::string, std::vector<HistoryPart>> histories;  // by cache tap

  [[nodiscard]] const TapInfo& tap(const std::string& name) const;  // Error{not_found} with the nearest name
  [[nodiscard]] DType dtype_of(TapType type) const;                 // element type in a recording
  [[nodiscard]] AxisSizes sizes_of(const Node& node) const;         // extents of the node's call, overridden by its own
};

/// Shape of comma-separated axes: "2F" is twice F, "AD" the product of A and D, and "N" the product of B and S.
[[nodiscard]] Shape shape_of(const std::string& axes, const AxisSizes& sizes);

}  // namespace parity
