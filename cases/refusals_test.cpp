// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Every wrong way to look at an id breaks the guard, and the reference refuses the ids of the table.
#include "cases/refusals.hpp"

#include <set>

#include <gtest/gtest.h>

#include "reference/random_call.hpp"
#include "reference/reference.hpp"
#include "reference/test_call.hpp"

namespace parity::cases {
namespace {

using State = GuardResult::State;

/// Two words of one channel, two tokens.
class RefusedIds : public ::testing::Test {
 protected:
  RefusedIds() : call_("token_embedding") {
    call_.ids("ids", {1, 2}, {1, 0}).in("table", {2, 1}, {3, 4}).out("out", {1, 2, 1});
  }
  /// Checks a kernel that refuses the ids for which `outside(id, place)` holds, and writes 0 else.
  template <class Outside>
  GuardResult check(const Outside& outside, ErrorCode code = ErrorCode::schema) {
    const ErasedKernel kernel = [=](const Arguments& in, const ParamMap&, const Arguments& out, Context&) {
      const TensorView& ids = in.front().tensors.front();
      for (int64_t n = 0; n < ids.count(); ++n) {
        const int64_t id = ids.as<int64_t, 2>()(0, n);
        if (outside(id, n)) throw Error(code, fmt::format("no word {}", id));
      }
      std::fill_n(reinterpret_cast<double*>(out.front().tensors.front().data), ids.count(), 0.0);
    };
    const KernelCall call = call_.call();
    return check_guards({kernel, call, host(), &call})[static_cast<size_t>(Guard::ids)];
  }

  reference::TestCall call_;
};

TEST_F(RefusedIds, HoldWhereEveryOtherIdIsRefused) {
  EXPECT_EQ(check([](int64_t id, int64_t) { return id < 0 || id >= 2; }).state, State::holds);
}

TEST_F(RefusedIds, AreMissedByEveryWrongCheck) {
  EXPECT_EQ(check([](int64_t, int64_t) { return false; }).count, 6);                               // no check
  EXPECT_EQ(check([](int64_t id, int64_t) { return id < 0 || id > 2; }).count, 3);                 // one too many
  EXPECT_EQ(check([](int64_t id, int64_t) { return id >= 2; }).count, 3);                          // negative
  EXPECT_EQ(check([](int64_t id, int64_t) { return id < -1 || id >= 2; }).count, 3);               // -1
  EXPECT_EQ(check([](int64_t id, int64_t n) { return n == 0 && (id < 0 || id >= 2); }).count, 2);  // the last token
  EXPECT_EQ(check([](int64_t id, int64_t) { return static_cast<uint32_t>(id) >= 2U; }).count, 3);  // 32 bits of it
  EXPECT_EQ(check([](int64_t id, int64_t) { return id < 0 || id >= 2; }, ErrorCode::device).count, 6);  // a crash
}

TEST_F(RefusedIds, MayBeAnywhereInAPartOfTheVocabulary) {
  call_.param("vocabulary", int64_t{3});  // word 2 is in the part of another rank

  EXPECT_EQ(check([](int64_t id, int64_t) { return id < 0 || id >= 3; }).state, State::holds);
  EXPECT_EQ(check([](int64_t id, int64_t) { return id < 0 || id > 3; }).count, 3);
}

/// Whether the reference throws Error{schema} when the input has this id in every place.
bool refuses(const KernelCall& call, size_t input, int64_t id) {
  Tensor keep;
  const KernelCall outside = with_id(call, input, -1, id, keep);
  const KernelEntry& kernel = reference::registry().kernel(call.definition->name, "reference", "rounded");
  ErrorCode code = ErrorCode::internal;
  static_cast<void>(reference::error_of(code, [&] { PlacedCall(outside).run(kernel.run); }));
  return code == ErrorCode::schema;
}

class RefusedIdsOfTheReference : public ::testing::TestWithParam<std::string> {};

TEST_P(RefusedIdsOfTheReference, AreThoseOutsideOfARange) {
  const Definition& definition = reference::registry().component(GetParam());
  for (size_t input = 0; input < definition.inputs.size(); ++input) {
    std::set<size_t> asked, refused;  // indices of ids_outside
    bool refuses_more = false;
    for (uint64_t seed = 0; seed < 12; ++seed) {
      const auto random = reference::random_call(GetParam(), seed, DType::bf16);
      const KernelCall call = random.call.call();
      const auto ids = ids_outside(call, input);
      for (size_t i = 0; i < ids.size(); ++i) {
        asked.insert(i);
        if (refuses(call, input, ids[i])) refused.insert(i);
      }
      const Contents contents = definition.inputs[input].contents;
      const bool of_ids = contents >= Contents::tokens && contents <= Contents::places;
      if (ids.empty() && of_ids && !call.inputs[input].tensors.empty())
        refuses_more = refuses_more || refuses(call, input, -1) || refuses(call, input, int64_t{1} << 40);
    }
    const std::string& field = definition.inputs[input].name;
    EXPECT_EQ(refused, asked) << field;
    EXPECT_EQ(asked.empty(), id_range(definition, input) == nullptr) << field;
    // Of a position beyond the key blocks, index_select's kernel on a GPU forces no block.
    const bool known = GetParam() == "index_select" && field == "positions";
    EXPECT_EQ(refuses_more, known) << field << " refuses ids; give it a range in cases/refusals.cpp";
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, RefusedIdsOfTheReference, ::testing::ValuesIn(reference::registry().components()),
                         [](const auto& test) { return test.param; });

}  // namespace
}  // namespace parity::cases
