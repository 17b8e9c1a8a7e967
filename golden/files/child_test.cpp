// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Programs that run beside this one: their status, what they print, and their time limit.
#include "golden/files/child.hpp"

#include <sys/wait.h>

#include "golden/files/temporary_folder.hpp"
#include "golden/testing/test_support.hpp"

namespace parity::golden {
namespace {

TEST(Child, ReturnsItsStatusAndKeepsWhatItPrints) {
  const TemporaryFolder folder;
  const std::string output = folder / "output";

  const auto status = run_child({{"sh", "-c", "echo one; echo two >&2; exit 3"}, 60.0, output});

  ASSERT_TRUE(status);
  EXPECT_EQ(WEXITSTATUS(*status), 3);
  EXPECT_EQ(test::bytes_of(output), "one\ntwo\n");
}

TEST(Child, IsKilledWithAllItsChildrenAtItsTimeLimit) {
  const TemporaryFolder folder;
  const std::string file = folder / "late";

  EXPECT_FALSE(run_child({{"sh", "-c", "(sleep 0.5; touch " + file + ") & sleep 60"}, 0.1}));
  EXPECT_TRUE(run_child({{"sleep", "1"}}));
  EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(Child, ThatDoesNotExistExitsWith127) {
  const auto status = run_child({{"parity-no-such-program"}});

  ASSERT_TRUE(status);
  EXPECT_EQ(WEXITSTATUS(*status), 127);
}

}  // namespace
}  // namespace parity::golden
