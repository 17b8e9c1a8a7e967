// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// After Ctrl-C, kill or a full disk no process is left, no temporary file is left, and existing files are intact.
#include <chrono>
#include <csignal>
#include <thread>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cli/commands.hpp"
#include "cli/testing/program.hpp"

namespace parity::cli {
namespace {

using ::testing::HasSubstr;
using namespace tests;

void pause(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

/// Starts the program with its temporary folders below `temporary`; returns its process number.
pid_t start(std::vector<std::string> arguments, const std::string& temporary) {
  arguments.insert(arguments.begin(), PARITY_PROGRAM);
  std::vector<char*> words;
  for (std::string& argument : arguments) words.push_back(argument.data());
  words.push_back(nullptr);
  const pid_t child = fork();
  if (child != 0) return child;
  const int nothing = open("/dev/null", O_RDWR);
  dup2(nothing, STDOUT_FILENO), dup2(nothing, STDERR_FILENO);
  setenv("TMPDIR", temporary.c_str(), 1);
  for (const int signal : {SIGINT, SIGTERM}) std::signal(signal, SIG_DFL);  // a background shell ignores them
  execv(words.front(), words.data());
  _exit(127);
}

size_t entries(const fs::path& folder) {
  return static_cast<size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator{}));
}

/// Waits until `file` lists `count` process numbers, one on each line, and returns them.
std::vector<pid_t> processes_in(const fs::path& file, size_t count) {
  std::vector<pid_t> found;
  for (int i = 0; i < 1200 && found.size() < count; ++i, pause(50)) {
    found.clear();
    for (const std::string& line : lines(content(file))) found.push_back(std::stoi(line));
  }
  EXPECT_EQ(found.size(), count);
  return found;
}

bool ends(pid_t process) {
  for (int i = 0; i < 100; ++i, pause(50)) {
    if (kill(process, 0) != 0) return true;
    if (content(fmt::format("/proc/{}/stat", process)).find(") Z ") != std::string::npos) return true;
  }
  return false;
}

TEST(Interrupted, EndsTheEngineAndItsChildrenAndLeavesNothing) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const TemporaryFolder scratch;
    const std::string numbers = (scratch / "numbers").string(), temporary = (scratch / "tmp").string();
    fs::create_directory(temporary);
    const std::string engine = fmt::format("echo $$ >>{0}; sleep 987 & echo $! >>{0}; sleep 987 #", quoted(numbers));
    const pid_t program = start({"bisect", "golden/data/m3-text-f32", "--engine", engine}, temporary);
    const auto processes = processes_in(numbers, 2);
    EXPECT_GE(entries(temporary), 1U) << "what the engine is given lies there";

    kill(program, signal);
    int status = 0;
    waitpid(program, &status, 0);

    EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == signal) << "as a program without a handler";
    for (const pid_t process : processes) EXPECT_TRUE(ends(process)) << process;
    EXPECT_EQ(entries(temporary), 0U);
  }
}

TEST(Interrupted, LeavesNoTemporaryGolden) {
  const TemporaryFolder scratch;
  const std::string out = (scratch / "out").string();
  for (const int wait : {30, 100, 300}) {
    const pid_t program = start({"golden", "synthesize", out, "--tokens", "1024"}, scratch.path().string());
    pause(wait);
    kill(program, SIGINT);
    waitpid(program, nullptr, 0);
    EXPECT_LE(entries(scratch.path()), fs::exists(out) ? 1U : 0U) << wait;
  }
}

/// The engine fails, and the child process that it started is ended too.
TEST(Engine, LeavesNoChildBehind) {
  const TemporaryFolder scratch;
  const std::string numbers = (scratch / "numbers").string();
  const std::string engine = fmt::format("sleep 987 >/dev/null 2>&1 & echo $! >>{}; exit 9 #", quoted(numbers));

  EXPECT_EQ(run_program({"bisect", "golden/data/m3-text-f32", "--engine", engine}).exit_code, broken);

  for (const pid_t process : processes_in(numbers, 1)) EXPECT_TRUE(ends(process));
}

/// Exit code 3 of an engine would mean that it cannot start at this boundary, and the boundary would be skipped.
TEST(Engine, ThatFindsADamagedFileIsBroken) {
  const TemporaryFolder scratch;
  const std::string out = (scratch / "out.h5").string(), in = (scratch / "in.h5").string();
  write(in, "torn");

  EXPECT_EQ(run_program({"engine", "golden/data/m3-text-f32", in, out}).exit_code, broken);
  EXPECT_EQ(run_program({"engine", "/nowhere", kGolden + "/activations.h5", out}).exit_code, broken);
}

TEST(Overwriting, AGoldenIsWholeWheneverItIsKilled) {
  const TemporaryFolder scratch;
  const std::string out = (scratch / "out").string();
  const auto made = [&](int seed) {
    return std::vector<std::string>{"golden",  "synthesize", out,      "--tokens",          "16",
                                    "--batch", "1",          "--seed", std::to_string(seed)};
  };
  const auto began = std::chrono::steady_clock::now();
  ASSERT_EQ(run_program(made(1)).exit_code, holds);
  const auto whole = std::chrono::steady_clock::now() - began;  // time of a whole run; the kills are spread over it
  constexpr int kKills = 12;
  for (int i = 0; i < kKills; ++i) {
    const pid_t program = start(made(i + 2), scratch.path().string());
    std::this_thread::sleep_for(whole * (i + 1) / kKills);
    kill(program, SIGKILL);
    waitpid(program, nullptr, 0);
    const Output output = run_program({"golden", "verify", out});
    EXPECT_EQ(output.exit_code, holds) << i << output.out;
  }
  ASSERT_EQ(run_program(made(1)).exit_code, holds);
}

TEST(Overwriting, IsNoticedWhereWeightsAndRecordingAreOfTwoGoldens) {
  const TemporaryFolder scratch;
  const std::string one = (scratch / "one").string(), two = (scratch / "two").string();
  ASSERT_EQ(run_program({"golden", "synthesize", one, "--tokens", "8"}).exit_code, holds);
  ASSERT_EQ(run_program({"golden", "synthesize", two, "--tokens", "8", "--seed", "2"}).exit_code, holds);
  fs::copy_file(two + "/checkpoint/model.safetensors", one + "/checkpoint/model.safetensors",
                fs::copy_options::overwrite_existing);

  const Output output = run_program({"golden", "verify", one});

  EXPECT_EQ(output.exit_code, golden_damaged);
  EXPECT_THAT(output.out, HasSubstr("model.safetensors: its SHA-256 is not that of the recorded file"));
}

/// `ulimit -f` makes writes fail, as a full disk does.
TEST(FullDisk, IsSaidAndLeavesNothing) {
  const TemporaryFolder scratch;
  const std::string out = (scratch / "out").string();
  const std::string temporary = "export TMPDIR=" + quoted(scratch.path().string()) + "; ";
  for (const char* blocks : {"8", "50"}) {  // blocks of 512 or 1024 bytes; each result is larger
    const std::string limit = temporary + fmt::format("ulimit -f {};", blocks);
    for (const std::vector<std::string>& command : std::vector<std::vector<std::string>>{
             {"golden", "synthesize", out, "--tokens", "16", "--batch", "1"},
             {"golden", "synthesize", out, "--tokens", "16", "--batch", "1", "--drawn"},
             {"capture", "init", kGolden, out + ".h5"},
             {"run", kGolden, "--candidate", "reference", "--mode", "isolated", "--save", out + ".h5", "--quiet"},
         }) {
      const Output output = run_program(command, limit);
      EXPECT_EQ(output.exit_code, golden_damaged) << blocks << " " << ::testing::PrintToString(command) << output.err;
      EXPECT_THAT(output.err, ::testing::AnyOf(HasSubstr("written"), HasSubstr("write"), HasSubstr("space")));
      for (const auto& entry : fs::directory_iterator(scratch.path())) ADD_FAILURE() << entry.path() << " is left";
    }
  }
}

}  // namespace
}  // namespace parity::cli
