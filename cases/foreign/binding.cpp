// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "cases/foreign/binding.hpp"

#include <algorithm>

#include <fmt/ranges.h>

#include "cases/foreign/names.hpp"
#include "core/text.hpp"
#include "golden/files/strict_json.hpp"
#include "reference/reference.hpp"

namespace parity::cases {
namespace {

using Json = nlohmann::json;
using Kind = BoundArgument::Kind;
constexpr int64_t kMostThreads = 1024;

/// Error{usage} with the nearest name in the folder.
void require_file(const std::filesystem::path& file, const char* what) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file, ignored)) return;
  std::vector<std::string> others;
  const auto folder = file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
  for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
    if (entry.path().extension() == ".json") others.push_back(entry.path().filename().string());
  }
  throw Error(ErrorCode::usage, fmt::format("{}: no such file{}; {}", file.string(),
                                            did_you_mean(file.filename().string(), others), what));
}

Json object_in(const std::filesystem::path& file, const char* what) {
  require_file(file, what);
  try {
    Json json = golden::read_json(file);
    PARITY_CHECK(json.is_object(), usage, "{}: not a JSON object; see docs/foreign-kernels.md", file.string());
    return json;
  } catch (const Error& error) {  // a binding is an argument, not a golden
    throw Error(ErrorCode::usage, error.what());
  }
}

/// The value of a key that has to be there.
const Json& required(const Json& json, const std::string& key, const char* what) {
  const auto found = json.find(key);
  PARITY_CHECK(found != json.end(), usage, "'{}' is missing: {}", key, what);
  return *found;
}

std::string text_of(const Json& json, const std::string& key, const char* what) {
  const Json& value = required(json, key, what);
  PARITY_CHECK(value.is_string(), usage, "'{}' is {}; {}", key, value.dump(), what);
  return value.get<std::string>();
}

int64_t count_of(const Json& json, const std::string& key, int64_t most) {
  const Json& value = required(json, key, "a whole number, as Triton writes it");
  PARITY_CHECK(value.is_number_integer(), usage, "key '{}' is {}; a whole number is expected", key, value.dump());
  const auto number = value.get<int64_t>();
  PARITY_CHECK(number >= 0 && number <= most, usage, "key '{}' is {}; use 0 to {}", key, number, most);
  return number;
}

void require_known_keys(const Json& json) {
  static const std::vector<std::string> kKeys{"component", "kernels",   "grid",     "block",
                                              "shared",    "arguments", "metadata", "requires"};
  PARITY_CHECK(!json.contains("num_warps"), usage,
               "this file is Triton's metadata, not a binding; write a binding, pass it with --binding, and name this "
               "file in its key "
               "'metadata'");
  for (const auto& [key, value] : json.items()) {
    const bool known = std::find(kKeys.begin(), kKeys.end(), key) != kKeys.end();
    PARITY_CHECK(known, usage, "unknown key '{}'{}; use {}", key, did_you_mean(key, kKeys), fmt::join(kKeys, ", "));
  }
}

const Definition& definition_in(const Json& json) {
  const std::string name = text_of(json, "component", "the name of a component (parity list) is expected");
  const Registry& components = reference::registry();
  const auto names = components.components();
  const bool known = std::find(names.begin(), names.end(), name) != names.end();
  PARITY_CHECK(known, usage, "'component' is '{}', which is no component{}; parity list shows all components", name,
               did_you_mean(name, names));
  return components.component(name);
}

std::map<DType, std::string> kernels_in(const Json& json) {
  constexpr const char* kWhat =
      "names of kernels by working type are expected: {\"f32\": \"mine\", \"bf16\": \"mine16\"}";
  const Json& value = required(json, "kernels", kWhat);
  PARITY_CHECK(value.is_object() && !value.empty(), usage, "'kernels' is {}; {}", value.dump(), kWhat);
  std::map<DType, std::string> kernels;
  for (const auto& [type, name] : value.items()) {
    const auto parsed = parse_dtype(type);
    const bool works = parsed && (*parsed == DType::f32 || *parsed == DType::bf16 || *parsed == DType::f16);
    PARITY_CHECK(works, usage, "'kernels' has the type '{}'; allowed are f32, bf16, f16", type);
    PARITY_CHECK(name.is_string(), usage, "'kernels' has the value {} for {}; {}", name.dump(), type, kWhat);
    kernels[*parsed] = name.get<std::string>();
  }
  return kernels;
}

IntegerExpression expression_in(const Json& value, const std::string& key, const CallNames& names) {
  PARITY_CHECK(value.is_string() || value.is_number_integer(), usage,
               "key '{}' contains {}; a whole number or an expression is expected", key, value.dump());
  return with_context("'" + key + "'", [&] {
    IntegerExpression expression(value.is_string() ? value.get<std::string>() : value.dump());
    for (const std::string& name : expression.names()) names.require(name);
    return expression;
  });
}

std::vector<IntegerExpression> extents_in(const Json& json, const std::string& key, const CallNames& names) {
  constexpr const char* kWhat = "one to three extents are expected: [\"ceil_div(N, 64)\", 1]";
  const Json& value = required(json, key, kWhat);
  PARITY_CHECK(value.is_array() && !value.empty() && value.size() <= 3, usage, "'{}' is {}; {}", key, value.dump(),
               kWhat);
  std::vector<IntegerExpression> extents;
  for (const Json& one : value) extents.push_back(expression_in(one, key, names));
  return extents;
}

BoundArgument argument_in(const Json& value, const CallNames& names) {
  static const std::map<std::string, Kind> kTypes{{"bool", Kind::boolean}, {"i32", Kind::i32},
                                                  {"i64", Kind::i64},      {"f32", Kind::f32},
                                                  {"f64", Kind::f64},      {"workspace", Kind::workspace}};
  constexpr const char* kWhat =
      "an operand (\"x\"), or a type and a value (\"i32 H\", \"i64 x.stride[0]\", \"f32 eps\", \"workspace 4*N\"; "
      "types "
      "are bool, i32, i64, f32, f64) is expected";
  PARITY_CHECK(value.is_string(), usage, "'arguments' has {}; {}", value.dump(), kWhat);
  const auto text = value.get<std::string>();
  const size_t blank = text.find(' ');
  if (blank == std::string::npos) {
    const auto operands = names.operands();
    const bool known = std::find(operands.begin(), operands.end(), text) != operands.end();
    PARITY_CHECK(known, usage, "'arguments' has '{}', which is not an operand{}; operands are {}; {}", text,
                 did_you_mean(text, operands), fmt::join(operands, ", "), kWhat);
    return {Kind::operand, text};
  }
  const auto type = kTypes.find(text.substr(0, blank));
  PARITY_CHECK(type != kTypes.end(), usage, "'arguments' has '{}'; {}", text, kWhat);
  BoundArgument argument{type->second, text.substr(blank + 1)};
  if (argument.kind == Kind::f32 || argument.kind == Kind::f64) {
    with_context("'arguments' '" + text + "'", [&] { names.require_real(argument.text); });
  } else {
    argument.expression = expression_in(argument.text, "arguments", names);
  }
  return argument;
}

std::vector<Condition> conditions_in(const Json& json, const CallNames& names) {
  constexpr const char* kWhat = "a list of conditions is expected: [\"H % 8 == 0\", \"D == 128\"]";
  std::vector<Condition> conditions;
  if (!json.contains("requires")) return conditions;
  const Json& value = json["requires"];
  PARITY_CHECK(value.is_array(), usage, "'requires' is {}; {}", value.dump(), kWhat);
  for (const Json& one : value) {
    PARITY_CHECK(one.is_string(), usage, "'requires' has {}; {}", one.dump(), kWhat);
    with_context("'requires'", [&] {
      conditions.emplace_back(one.get<std::string>());
      for (const std::string& name : conditions.back().names()) names.require(name);
    });
  }
  return conditions;
}

TritonMetadata triton_in(const std::filesystem::path& file) {
  constexpr int64_t kMostWarps = kMostThreads / 32, kMostShared = 227 * 1024, kMostScratch = int64_t{1} << 30;
  const Json json = object_in(file, "'metadata' names the file that Triton wrote next to its PTX");
  return with_context(file.string(), [&] {
    TritonMetadata triton;
    triton.kernel = text_of(json, "name", "the name of the kernel, as Triton writes it");
    triton.warps = count_of(json, "num_warps", kMostWarps);
    triton.shared = count_of(json, "shared", kMostShared);
    if (json.contains("global_scratch_size")) triton.scratch = count_of(json, "global_scratch_size", kMostScratch);
    const auto one = [&](const char* key) { return !json.contains(key) || count_of(json, key, 16) <= 1; };
    PARITY_CHECK(one("num_ctas"), usage,
                 "'num_ctas' is {}; clusters of thread blocks are not supported, compile the kernel with 1",
                 json["num_ctas"].dump());
    return triton;
  });
}

}  // namespace

bool Binding::passes_strides_of(const std::string& operand) const {
  const std::string prefix = operand + ".stride[";
  return std::any_of(arguments.begin(), arguments.end(), [&](const BoundArgument& argument) {
    const auto names = argument.expression ? argument.expression->names() : std::vector<std::string>{};
    return std::any_of(names.begin(), names.end(), [&](const std::string& name) { return name.starts_with(prefix); });
  });
}

Binding read_binding(const std::filesystem::path& file) {
  const Json json = object_in(file, "write a binding (docs/foreign-kernels.md), or name one by --binding");
  return with_context(file.string(), [&] {
    require_known_keys(json);
    Binding binding;
    binding.file = file;
    binding.definition = &definition_in(json);
    const CallNames names(*binding.definition);
    if (json.contains("metadata"))
      binding.triton = triton_in(file.parent_path() / text_of(json, "metadata", "the name of a file is expected"));
    binding.kernels = kernels_in(json);
    binding.grid = extents_in(json, "grid", names);
    const bool theirs = binding.triton.has_value();
    PARITY_CHECK(!theirs || (!json.contains("block") && !json.contains("shared")), usage,
                 "'block' and 'shared' are read from the file in 'metadata'; remove them");
    binding.block = theirs ? std::vector{IntegerExpression(std::to_string(binding.triton->warps * 32))}
                           : extents_in(json, "block", names);
    if (theirs) binding.shared = IntegerExpression(std::to_string(binding.triton->shared));
    if (json.contains("shared")) binding.shared = expression_in(json["shared"], "shared", names);
    binding.conditions = conditions_in(json, names);
    const Json& arguments = required(json, "arguments", "the arguments of the kernel in order are expected");
    PARITY_CHECK(arguments.is_array(), usage, "'arguments' is {}; a list is expected", arguments.dump());
    for (const Json& one : arguments) binding.arguments.push_back(argument_in(one, names));
    return binding;
  });
}

}  // namespace parity::cases
