// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Systems: from a golden's system or a config's model_type to a plan builder.
#include "core/plans/systems.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/plans/profile.hpp"
#include "core/plans/tiny_configs.hpp"

namespace parity {
namespace {

using testing::HasSubstr;

template <class Body>
std::string refusal(const Body& body) {
  try {
    body();
  } catch (const Error& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Systems, EveryOneIsFoundByItsConfig) {
  for (const System& system : systems()) EXPECT_EQ(&system_of(tiny_config(system.name)), &system);
}

TEST(Systems, EveryProfileBelongsToOneOfThem) {
  for (const Profile& profile : profiles()) EXPECT_EQ(find_system(profile.system).name, profile.system);
}

TEST(Systems, UnknownModelTypeIsNamedWithTheNearest) {
  EXPECT_THAT(refusal([] {
                static_cast<void>(system_of({{"model_type", "minimax_m3_v"}}));
              }),
              HasSubstr("config key 'model_type' is 'minimax_m3_v'; did you mean 'minimax_m3_vl'?"));
  EXPECT_THAT(refusal([] { static_cast<void>(system_of(nlohmann::json::object())); }), HasSubstr("expected one of"));
}

TEST(Systems, UnknownSystemListsTheKnown) {
  EXPECT_THAT(refusal([] { static_cast<void>(find_system("gpt2")); }), HasSubstr("known: minimax_m3_vl"));
}

}  // namespace
}  // namespace parity
