// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Bindings of kernels out of the tree: what they say, and that each mistake is one error with its key and what is allowed.
#include "cases/foreign/binding.hpp"

#include <gmock/gmock.h>

#include "cases/foreign/testing/kernels.hpp"
#include "core/testing/refusal.hpp"

namespace parity::cases {
namespace {

using namespace tests;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const std::string& text) {
  const Files files(text);
  const std::string said = refusal_of(ErrorCode::usage, [&] { return read_binding(files.binding()); });
  EXPECT_THAT(said, HasSubstr("mine.json: ")) << "the file is named";
  EXPECT_EQ(said.find("mine.json"), said.rfind("mine.json")) << "once: " << said;
  return said;
}

std::string refusal(const std::string& from, const std::string& to) { return refusal(with(kNormBinding, from, to)); }

TEST(Binding, HoldsComponentKernelsExtentsAndArguments) {
  const Files files(kNormBinding);

  const Binding binding = read_binding(files.binding());

  EXPECT_EQ(binding.definition->name, "rms_norm");
  EXPECT_EQ(binding.kernels, (std::map<DType, std::string>{{DType::f32, "rms_norm"}}));
  ASSERT_EQ(binding.grid.size(), 1);
  EXPECT_EQ(binding.grid[0].text(), "N");
  EXPECT_EQ(binding.shared.text(), "4 * 128");
  ASSERT_EQ(binding.arguments.size(), 6);
  EXPECT_EQ(binding.arguments[1].kind, BoundArgument::Kind::operand);
  EXPECT_EQ(binding.arguments[3].kind, BoundArgument::Kind::i32);
  EXPECT_EQ(binding.arguments[4].text, "eps");
}

TEST(Binding, KnowsWhoseStridesItPasses) {
  const Files files(with(kNormBinding, "\"i32 H\"", "\"i32 H\", \"i64 2 * x.stride[0]\""));

  const Binding binding = read_binding(files.binding());

  EXPECT_TRUE(binding.passes_strides_of("x"));
  EXPECT_FALSE(binding.passes_strides_of("out"));
}

TEST(Binding, IsAFileWithAnObject) {
  EXPECT_THAT(refusal_of(ErrorCode::usage, [] { return read_binding("no/such.json"); }), HasSubstr("no/such.json"));
  EXPECT_THAT(refusal("[1]"), HasSubstr("not a JSON object"));
  EXPECT_THAT(refusal("{"), HasSubstr("JSON"));
}

TEST(Binding, NamesUnknownAndMissingKeys) {
  EXPECT_THAT(refusal("\"grid\"", "\"gird\""), AllOf(HasSubstr("unknown key 'gird' (did you mean 'grid'?)"),
                                                     HasSubstr("component, kernels, grid, block, shared, arguments")));
  EXPECT_THAT(refusal("{}"), HasSubstr("'component' is missing"));
  EXPECT_THAT(refusal("\"grid\": [\"N\"],", ""), HasSubstr("'grid' is missing: one to three extents"));
  EXPECT_THAT(refusal("\"block\": [128],", ""), HasSubstr("'block' is missing"));
}

TEST(Binding, NamesWhatIsWrongWithComponentAndKernels) {
  EXPECT_THAT(refusal("\"component\": \"rms_norm\"", "\"component\": \"rms_nrm\""),
              HasSubstr("'rms_nrm', which is no component (did you mean 'rms_norm'?)"));
  EXPECT_THAT(refusal("\"component\": \"rms_norm\"", "\"component\": 3"), HasSubstr("'component' is 3"));
  EXPECT_THAT(refusal("{\"f32\": \"rms_norm\"}", "{\"f8\": \"rms_norm\"}"),
              HasSubstr("'kernels' has the type 'f8'; allowed are f32, bf16, f16"));
  EXPECT_THAT(refusal("{\"f32\": \"rms_norm\"}", "{}"), HasSubstr("'kernels' is {}"));
  EXPECT_THAT(refusal("{\"f32\": \"rms_norm\"}", "{\"f32\": 1}"), HasSubstr("'kernels' has the value 1 for f32"));
}

TEST(Binding, NamesWhatIsWrongWithExtents) {
  EXPECT_THAT(refusal("[\"N\"]", "[\"N\", 1, 1, 1]"), HasSubstr("one to three extents"));
  EXPECT_THAT(refusal("[\"N\"]", "[1.5]"), HasSubstr("key 'grid' contains 1.5; a whole number or an expression"));
  EXPECT_THAT(refusal("[\"N\"]", "[\"N +\"]"), AllOf(HasSubstr("'grid'"), HasSubstr("expected at character 4")));
  EXPECT_THAT(refusal("[\"N\"]", "[\"F\"]"),
              AllOf(HasSubstr("'grid': rms_norm has no extent or whole-number parameter 'F'"),
                    HasSubstr("use N, H, or stride[i], extent[i] or count of x")));
  EXPECT_THAT(refusal("4 * 128", "4 * eps"),
              HasSubstr("'shared': rms_norm has no extent or whole-number parameter 'eps'"));
}

TEST(Binding, NamesWhatIsWrongWithArguments) {
  EXPECT_THAT(refusal("\"weight\"", "\"wieght\""),
              HasSubstr("'wieght', which is not an operand (did you mean 'weight'?); operands are x, weight, out"));
  EXPECT_THAT(refusal("\"weight\"", "7"), HasSubstr("'arguments' has 7; an operand"));
  EXPECT_THAT(refusal("i32 H", "int H"), HasSubstr("'int H'; an operand"));
  EXPECT_THAT(refusal("i32 H", "i32 x.strides[0]"), HasSubstr("'x.strides[0]' is not a property of an operand"));
  EXPECT_THAT(refusal("i32 H", "i32 x.stride[2]"), HasSubstr("x has the axes N, H, numbered 0 to 1"));
  EXPECT_THAT(refusal("f32 eps", "f32 epsilon"),
              HasSubstr("'epsilon' is neither a number nor a real-valued parameter"));
}

TEST(Binding, HoldsWhatTheKernelRequires) {
  const Files files(
      with(kNormBinding, "\"arguments\"", R"("requires": ["H % 8 == 0", "x.extent[0] <= 64"], "arguments")"));

  const Binding binding = read_binding(files.binding());

  ASSERT_EQ(binding.conditions.size(), 2);
  EXPECT_EQ(binding.conditions[0].text(), "H % 8 == 0");
  EXPECT_EQ(binding.conditions[1].names(), std::vector<std::string>{"x.extent[0]"});
}

TEST(Binding, NamesWhatIsWrongWithConditions) {
  const auto refused = [](const std::string& conditions) {
    return refusal("\"arguments\"", "\"requires\": " + conditions + ", \"arguments\"");
  };

  EXPECT_THAT(refused("\"H == 8\""), HasSubstr("'requires' is \"H == 8\"; a list of conditions is expected"));
  EXPECT_THAT(refused("[8]"), HasSubstr("'requires' has 8; a list of conditions"));
  EXPECT_THAT(refused("[\"H\"]"),
              HasSubstr("'H' is not a condition; write two expressions with ==, !=, <, <=, > or >="));
  EXPECT_THAT(refused("[\"H = 8\"]"), HasSubstr("'H = 8' is not a condition"));
  EXPECT_THAT(refused("[\"H ==\"]"), HasSubstr("'' is not an expression"));
  EXPECT_THAT(refused("[\"F == 8\"]"), HasSubstr("'requires': rms_norm has no extent or whole-number parameter 'F'"));
}

TEST(Binding, TakesBlockSharedAndScratchFromTriton) {
  const std::string triton =
      R"({"name": "k", "num_warps": 4, "shared": 512, "num_ctas": 1, "global_scratch_size": 16})";
  const std::string text = R"({"component": "silu", "kernels": {"f32": "k"}, "grid": [1], "metadata": "triton.json",
                               "arguments": ["x"]})";
  const Files files(text);
  static_cast<void>(files.add("triton.json", triton));

  const Binding binding = read_binding(files.binding());

  EXPECT_EQ(binding.block[0].text(), "128");
  EXPECT_EQ(binding.shared.text(), "512");
  EXPECT_EQ(binding.triton->scratch, 16);
  EXPECT_THAT(refusal(triton),
              HasSubstr("this file is Triton's metadata, not a binding; write a binding, pass it with --binding"));
  static_cast<void>(files.add("mine.json", with(text, "\"grid\": [1]", "\"grid\": [1], \"block\": [32]")));
  EXPECT_THAT(refusal_of(ErrorCode::usage, [&] { return read_binding(files.binding()); }),
              HasSubstr("'block' and 'shared' are read from the file in 'metadata'"));
}

TEST(Binding, RefusesMetadataBeyondADevice) {
  const std::string text = R"({"component": "silu", "kernels": {"f32": "k"}, "grid": [1], "metadata": "triton.json",
                               "arguments": ["x"]})";
  const Files files(text);
  const auto with_metadata = [&](const std::string& metadata) {
    static_cast<void>(files.add("triton.json", metadata));
    return refusal_of(ErrorCode::usage, [&] { return read_binding(files.binding()); });
  };

  EXPECT_THAT(with_metadata(R"({"name": "k", "num_warps": 64, "shared": 0})"),
              HasSubstr("'num_warps' is 64; use 0 to 32"));
  EXPECT_THAT(with_metadata(R"({"name": "k", "num_warps": 4})"), HasSubstr("'shared' is missing"));
  EXPECT_THAT(with_metadata(R"({"name": "k", "num_warps": 4, "shared": 0, "num_ctas": 2})"),
              HasSubstr("clusters of thread blocks are not supported"));
}

}  // namespace
}  // namespace parity::cases
