// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plan: a model as data. A flat, single-assignment list of component calls between named taps. Everything walks it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/component.hpp"

namespace parity {

enum class TapType : uint8_t {
  working,  // T
  single,   // binary32; T in a binary64 capture
  index,    // i64: a decision, or an input of the plan
  count,    // i64 that follows from other taps
  byte,     // u8: pixels
  flag,     // bool that follows from other taps
  text,     // one text, or several with a NUL between them: their UTF-8 bytes
  wide,     // f64 in every recording
};

/// Held as i64 while a plan is walked.
constexpr bool is_integer(TapType type) { return type >= TapType::index && type <= TapType::text; }

struct TapInfo {
  std::string axes;  // as recorded: "B,S,AD"
  Shape shape;
  TapType type = TapType::working;
  int producer = -1;              // node; -1 for an input of the plan (tokens/)
  bool one_for_all_rows = false;  // a recording may hold it once, with a first extent of 1, for all sequences
};

/// How an implementation holds a parameter.
enum class Held : uint8_t {
  working,  // rounded to T
  single,   // in binary32 (router weights and biases of quantised checkpoints)
  stored,   // as in the file: codes and scales of quantised tensors
};

/// A parameter of the plan: published tensors stacked by rows, held as the profile loads them.
struct WeightInfo {
  std::vector<std::string> published;  // in a bank "{}" stands for the member's number
  Shape shape;                         // of one member
  int64_t members = 0;                 // 0: a single tensor, else a bank
  Held held = Held::working;
};

struct Operand {
  enum class Kind : uint8_t { tap, weight, bank };
  Kind kind = Kind::tap;
  std::string name;  // tap or weight
  std::string axes;  // what the kernel reads or writes; empty: as recorded
};

struct Node {
  std::string component;
  std::string prefix;                                  // "steps/000/text/layers/03/moe/router"
  std::map<std::string, std::vector<Operand>> inputs;  // by the component's field names
  std::map<std::string, Operand> outputs;
  ParamMap params;
  RoundingTable rounding;  // rows of this node alone; they win over the plan's
  int step = 0;
  int layer = -1;     // -1: outside the layers
  AxisSizes sizes{};  // of letters with another extent here (those of a tower)
  int rank = 0;       // of the process whose kernels compute it
};

/// A tap that is a concatenation along K of others: the history of a call (golden format, 5c). A static cache has
/// zeros after them.
struct HistoryPart {
  std::string tap;
  std::string axes;   // view of the part that has the history's axes, S instead of K
  int64_t first = 0;  // its slots in the history
  int64_t length = 0;
};

struct Plan {
  std::string system;
  std::string profile;
  DType working = DType::f32;
  RoundingTable rounding;
  std::map<int, AxisSizes> sizes;  // per step
  std::vector<Node> nodes;
  std::map<std::string, TapInfo> taps;
  std::map<std::string, WeightInfo> weights;
  std::map<std::string, std::string> aliases;                 // layers/NN/in -> the tap that it repeats
  std::map<std::string, std::vector<HistoryPart>> histories;  // cache taps

  [[nodiscard]] const TapInfo& tap(const std::string& name) const;  // Error{not_found}, nearest name
  [[nodiscard]] DType dtype_of(TapType type) const;                 // element type as recorded
  [[nodiscard]] AxisSizes sizes_of(const Node& node) const;         // its call's, with its own laid over them
};

/// Shape of comma separated axes; "2F" is twice F, "AD" the product of A and D, "N" of B and S.
[[nodiscard]] Shape shape_of(const std::string& axes, const AxisSizes& sizes);

}  // namespace parity
