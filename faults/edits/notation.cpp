// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "faults/edits/notation.hpp"

#include <algorithm>
#include <cstdlib>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "core/text.hpp"
#include "faults/catalogue.hpp"
#include "faults/edits/edit.hpp"
#include "faults/edits/rank_edits.hpp"

namespace parity::faults {
namespace {

std::string text_of(const ParamValue& value) {
  return std::visit([](auto number) { return fmt::format("{}", number); }, value);
}

std::string text_of(const TensorMap& map) {
  const TensorMap plain;
  std::vector<std::string> parts;
  if (map.number != plain.number) parts.push_back("number=" + map.number);
  if (map.kind == TensorMap::Kind::round || map.kind == TensorMap::Kind::truncate)
    parts.push_back(fmt::format("dtype={}", to_string(map.dtype)));
  if (!map.axis.empty()) parts.push_back("axis=" + map.axis);
  if (map.by != plain.by) parts.push_back(fmt::format("by={}", map.by));
  if (map.first != plain.first) parts.push_back("first=" + map.first);
  if (map.count != plain.count) parts.push_back(fmt::format("count={}", map.count));
  if (map.every != plain.every) parts.push_back(fmt::format("every={}", map.every));
  if (map.from_fresh) parts.emplace_back("from_fresh=true");
  return fmt::format("{}({})", kind_name(map.kind), fmt::join(parts, ","));
}

bool changes_numbers(const MapWeight& edit) { return edit.from.empty() && edit.next.empty(); }

std::string text_of(const SetParam& edit) {
  return fmt::format("{}{}{}", edit.name, edit.times ? "*=" : "=",
                     edit.expression.empty() ? text_of(edit.value) : edit.expression);
}
std::string text_of(const Rewire& edit) { return fmt::format("from({})={}", edit.field, edit.tap); }
std::string text_of(const SwapInputs& edit) { return fmt::format("swap({},{})", edit.first, edit.second); }
std::string text_of(const ReplaceComponent& edit) { return fmt::format("as({})", edit.component); }
std::string text_of(const PassInput& edit) { return fmt::format("returns({})", edit.field); }
std::string text_of(const MapInput& edit) { return fmt::format("in({})={}", edit.field, text_of(edit.map)); }
std::string text_of(const MapOutput& edit) { return fmt::format("out({})={}", edit.field, text_of(edit.map)); }
std::string text_of(const SetRounding& edit) {
  return fmt::format("round({})={}", edit.point, to_string(edit.precision));
}
std::string text_of(const RankEdit& edit) {
  return fmt::format("{}({}{}{})={}", kind_name(edit.kind), edit.what, edit.of.empty() ? "" : ",", edit.of, edit.value);
}
std::string text_of(const MapWeight& edit) {
  const std::string what = changes_numbers(edit) ? text_of(edit.map)
                           : edit.next.empty()   ? edit.from + ">" + edit.to
                                                 : fmt::format("next({})", edit.next);
  return fmt::format("weight({})={}", edit.tensor, what);
}

/// Splits `text` at separators outside of brackets.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == separator && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

/// The parts of "word(inner)rest".
struct Call {
  std::string word, inner, rest;
};
Call call_of(const std::string& text) {
  const size_t open = text.find('(');
  if (open == std::string::npos) return {};
  size_t close = open;
  for (int depth = 0; close < text.size(); ++close) {  // to the matching one, as expressions may have parentheses
    depth += text[close] == '(' ? 1 : text[close] == ')' ? -1 : 0;
    if (depth == 0) break;
  }
  if (close == text.size()) return {};
  return {text.substr(0, open), text.substr(open + 1, close - open - 1), text.substr(close + 1)};
}

TensorMap map_of(const std::string& text) {
  const Call call = call_of(text);
  TensorMap map;
  map.kind = tensor_map_kind(call.word);
  if (call.inner.empty()) return map;
  for (const std::string& part : split(call.inner, ',')) {
    const size_t equals = part.find('=');
    PARITY_CHECK(equals != std::string::npos, usage, "'{}' of {} is not key=value", part, text);
    const std::string key = part.substr(0, equals), value = part.substr(equals + 1);
    if (key == "number") {
      map.number = value;
    } else if (key == "dtype") {
      const auto dtype = parse_dtype(value);
      PARITY_CHECK(dtype.has_value(), usage,
                   "'{}' of {} is not an element type; use f64, f32, f16, bf16, e4m3fn or e5m2", value, text);
      map.dtype = *dtype;
    } else if (key == "axis") {
      map.axis = value;
    } else if (key == "first") {
      map.first = value;
    } else if (key == "from_fresh") {
      map.from_fresh = value == "true";
    } else {
      PARITY_CHECK(key == "by" || key == "count" || key == "every", usage, "unknown key '{}' of {}", key, text);
      (key == "by" ? map.by : key == "count" ? map.count : map.every) = std::atoll(value.c_str());
    }
  }
  require_counts(map, ErrorCode::usage, text);
  return map;
}

Edit param_edit(const std::string& text) {
  const size_t equals = text.find('=');
  PARITY_CHECK(equals != std::string::npos && equals > 0, usage, "'{}' is not an edit; an example is rms_norm.eps=1e-5",
               text);
  const bool times = text[equals - 1] == '*';
  const std::string name = text.substr(0, equals - (times ? 1 : 0)), value = text.substr(equals + 1);
  if (value == "true" || value == "false") return SetParam{name, value == "true", times, {}};
  char* end = nullptr;
  const double number = std::strtod(value.c_str(), &end);
  if (value.empty() || *end != '\0') return SetParam{name, 0.0, times, value};
  const bool integer = value.find_first_not_of("-0123456789") == std::string::npos;
  return SetParam{name, integer ? ParamValue(int64_t{std::atoll(value.c_str())}) : ParamValue(number), times, {}};
}

Edit weight_edit(const std::string& tensor, const std::string& what) {
  MapWeight edit;
  edit.tensor = tensor;
  const size_t arrow = what.find('>');
  if (arrow != std::string::npos) {
    edit.from = what.substr(0, arrow);
    edit.to = what.substr(arrow + 1);
  } else if (what.starts_with("next(")) {
    edit.next = call_of(what).inner;
  } else {
    edit.map = map_of(what);
  }
  return edit;
}

Edit edit_of(const std::string& text) {
  const Call call = call_of(text);
  const std::string value = call.rest.starts_with('=') ? call.rest.substr(1) : "";
  if (call.word == "as") return ReplaceComponent{call.inner};
  if (call.word == "returns") return PassInput{call.inner};
  if (call.word == "from") return Rewire{call.inner, value};
  if (call.word == "in") return MapInput{call.inner, map_of(value)};
  if (call.word == "out") return MapOutput{call.inner, map_of(value)};
  if (call.word == "weight") return weight_edit(call.inner, value);
  if (call.word == "round") return SetRounding{call.inner, precision_named(value)};
  if (call.word != "swap") return param_edit(text);
  const auto fields = split(call.inner, ',');
  PARITY_CHECK(fields.size() == 2, usage, "'{}' does not name two operands; write swap(A,B)", text);
  return SwapInputs{fields[0], fields[1]};
}

std::string place_in_words(const TensorMap& map) {
  std::string text;
  if (!map.axis.empty()) text += " along axis " + map.axis;
  if (map.count == 1) text += fmt::format(" at {}", map.first);
  if (map.count != 1 && map.first != "0") text += fmt::format(" from {}", map.first);
  if (map.count != 1 && map.count != TensorMap{}.count) text += fmt::format(", {} positions", map.count);
  if (map.every != 1) text += fmt::format(", every {}th", map.every);
  return text;
}

std::string words_of(const std::string& operand, const TensorMap& map) {
  using Kind = TensorMap::Kind;
  const std::string place = place_in_words(map);
  switch (map.kind) {
    case Kind::round:
      return fmt::format("{} is rounded to {}{}", operand, to_string(map.dtype), place);
    case Kind::truncate:
      return fmt::format("{} is truncated to {}{}", operand, to_string(map.dtype), place);
    case Kind::significand:
      return fmt::format("{} is rounded to {} significant bits{}{}", operand, map.number,
                         map.number == "11" ? " (tf32)" : "", place);
    case Kind::scale:
      return fmt::format("{} is multiplied by {}{}", operand, map.number, place);
    case Kind::offset:
      return fmt::format("{} is added to {}{}", map.number, operand, place);
    case Kind::fill:
      return fmt::format("{} is {}{}", operand, map.number, place);
    case Kind::roll:
      return fmt::format("{} is rotated by {}{}", operand, map.by, place);
    case Kind::late:
      return fmt::format("{} is {} positions late{}", operand, map.by, place);
    case Kind::copy:
      return fmt::format("{} repeats position {}{}", operand, map.by, place);
    case Kind::reverse:
      return fmt::format("{} is reversed{}", operand, place);
    case Kind::softmax:
      return fmt::format("the softmax of {} is read instead", operand);
    case Kind::swap_halves:
      return fmt::format("the halves of {} are exchanged{}", operand, place);
    case Kind::interleave:
      return fmt::format("the halves of {} are interleaved{}", operand, place);
    case Kind::deinterleave:
      return fmt::format("{} is read interleaved, not as halves{}", operand, place);
    case Kind::as_transposed:
      return fmt::format("{} is read with axis {} and axis number {} exchanged in memory", operand, map.axis, map.by);
    default:
      return fmt::format("{}: {}{}", operand, kind_name(map.kind), place);
  }
}

std::string words(const SetParam& edit) {
  const std::string value = edit.expression.empty() ? text_of(edit.value) : edit.expression;
  return fmt::format("{} is {}{}", edit.name, edit.times ? "multiplied by " : "", value);
}
std::string words(const Rewire& edit) { return fmt::format("{} is read from {}", edit.field, edit.tap); }
std::string words(const SwapInputs& edit) { return fmt::format("{} and {} are exchanged", edit.first, edit.second); }
std::string words(const ReplaceComponent& edit) {
  return fmt::format("{} ({}) is computed instead", edit.component, registry().component(edit.component).formula);
}
std::string words(const PassInput& edit) { return fmt::format("{} is returned unchanged", edit.field); }
std::string words(const MapInput& edit) { return words_of(edit.field, edit.map); }
std::string words(const MapOutput& edit) { return words_of("its result " + edit.field, edit.map); }
std::string words(const SetRounding& edit) {
  if (edit.precision == Precision::exact) return fmt::format("{} is not rounded", edit.point);
  const bool type = edit.precision == Precision::working;
  return fmt::format("{} is rounded to {}", edit.point, type ? "the working type" : "binary32");
}
std::string words(const RankEdit& edit) { return text_of(edit); }
std::string words(const MapWeight& edit) {
  if (changes_numbers(edit)) return words_of(edit.tensor, edit.map);
  if (!edit.next.empty()) return fmt::format("{} is read from the next entry of {}", edit.tensor, edit.next);
  return fmt::format("{} is read from {}", edit.from, edit.to);
}

}  // namespace

std::string notation_of(const std::vector<Edit>& edits) {
  std::vector<std::string> parts;
  for (const Edit& edit : edits) parts.push_back(std::visit([](const auto& e) { return text_of(e); }, edit));
  return fmt::format("{}", fmt::join(parts, ";"));
}

std::string notation_of(const Fault& fault) {
  return fmt::format("{}.{}{}{}", fault.component, notation_of(fault.edits), fault.at.empty() ? "" : "@",
                     fmt::join(fault.at, ","));
}

Fault fault_of_notation(const std::string& text) {
  const size_t at = text.rfind('@');
  const std::string what = text.substr(0, at);
  const size_t dot = what.find('.');
  PARITY_CHECK(dot != std::string::npos, usage,
               "'{}' is neither a fault (parity list faults) nor COMPONENT.EDIT@GLOB, such as rms_norm.eps=1e-5", text);
  Fault fault;
  fault.id = text;
  fault.component = registry().component(what.substr(0, dot)).name;
  if (at != std::string::npos) fault.at = split(text.substr(at + 1), ',');
  for (const std::string& part : split(what.substr(dot + 1), ';')) fault.edits.push_back(edit_of(part));
  fault.title = words_of(fault.edits);
  return fault;
}

std::string kind_of(const std::vector<Edit>& edits) {
  const bool numbers = std::all_of(edits.begin(), edits.end(), [](const Edit& edit) {
    return std::holds_alternative<SetParam>(edit) || std::holds_alternative<SetRounding>(edit);
  });
  return numbers ? "parameter" : "function";
}

std::string words_of(const std::vector<Edit>& edits) {
  std::vector<std::string> parts;
  for (const Edit& edit : edits) parts.push_back(std::visit([](const auto& e) { return words(e); }, edit));
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace parity::faults
