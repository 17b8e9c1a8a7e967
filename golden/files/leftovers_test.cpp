// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

#include "golden/files/leftovers.hpp"

#include <csignal>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "golden/files/temporary_folder.hpp"

namespace parity::golden {
namespace {

namespace fs = std::filesystem;

size_t entries_of(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

/// Makes and removes temporary folders until a signal ends the process.
[[noreturn]] void make_folders(const fs::path& where) {
  setenv("TMPDIR", where.c_str(), 1);
  clean_up_when_interrupted();
  std::ofstream(where / "began");
  while (true) const TemporaryFolder folder;
}

/// A folder that is made when the signal comes is noted before anything is removed.
TEST(Leftovers, OfEveryMomentAreRemoved) {
  // No TemporaryFolder: the child would inherit the note of it, and remove it.
  const fs::path scratch = fs::temp_directory_path() / ("parity-leftovers-" + std::to_string(getpid()));
  for (int i = 0; i < 100; ++i) {
    const fs::path where = scratch / std::to_string(i);
    fs::create_directories(where);
    const pid_t child = fork();
    if (child == 0) make_folders(where);
    ASSERT_GT(child, 0);
    while (!fs::exists(where / "began")) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::this_thread::sleep_for(std::chrono::microseconds(100 * i));

    kill(child, SIGINT);
    int status = 0;
    waitpid(child, &status, 0);

    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGINT);
    EXPECT_EQ(entries_of(where), 1U) << "only the file `began`; signal " << i;
  }
  fs::remove_all(scratch);
}

}  // namespace
}  // namespace parity::golden
