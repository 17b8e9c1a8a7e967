// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Systems: from a golden's system or a config's model_type to a plan builder.
#include "core/plans/systems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/profile.hpp"
#include "core/plans/tiny/tiny_configs.hpp"
#include "core/testing/refusal.hpp"

namespace parity {
namespace {

using ::testing::HasSubstr;

TEST(Systems, EveryOneIsFoundByItsConfig) {
  for (const System& system : systems()) EXPECT_EQ(&system_of(tiny_config(system.name)), &system);
}

TEST(Systems, EveryProfileBelongsToOneOfThem) {
  for (const Profile& profile : profiles()) EXPECT_EQ(find_system(profile.system).name, profile.system);
}

TEST(Systems, UnknownModelTypeIsNamedWithTheNearest) {
  EXPECT_THAT(refusal_of(ErrorCode::schema,
                         [] {
                           return system_of({{"model_type", "minimax_m3_v"}});
                         }),
              HasSubstr("config key 'model_type' is 'minimax_m3_v' (did you mean 'minimax_m3_vl'?"));
  EXPECT_THAT(refusal_of(ErrorCode::schema, [] { return system_of(nlohmann::json::object()); }),
              HasSubstr("expected one of"));
}

TEST(Systems, UnknownSystemListsTheKnown) {
  EXPECT_THAT(refusal_of(ErrorCode::unsupported, [] { return find_system("gpt2"); }),
              HasSubstr("known: minimax_m3_vl"));
}

}  // namespace
}  // namespace parity
