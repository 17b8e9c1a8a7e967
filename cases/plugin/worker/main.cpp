// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The worker: a process that gives up its rights, and then serves the kernels of a shared library, or becomes a program
// that serves others (docs/plugins.md). It holds nothing of the judge.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>

#include <unistd.h>

#include "cases/plugin/worker/channel.hpp"
#include "cases/plugin/worker/confine.hpp"
#include "cases/plugin/worker/crash.hpp"
#include "cases/plugin/worker/library.hpp"

namespace parity::worker {
namespace {

using Json = nlohmann::json;
constexpr int kSocket = 3;  // as the judge starts it

Json reply(Library& library, const Json& question, std::vector<int>& descriptors) {
  const auto what = question.at("do").get<std::string>();
  if (what == "describe") return library.describe();
  if (what == "memory") {
    if (descriptors.size() != 2) throw std::runtime_error("memory came without its two descriptors");
    library.give_memory(std::make_unique<Mapping>(descriptors[0], question.at("inputs").get<size_t>(), false),
                        std::make_unique<Mapping>(descriptors[1], question.at("outputs").get<size_t>(), true));
    descriptors.clear();
    return {{"ok", true}};
  }
  if (what != "call") throw std::runtime_error("unknown question " + what);
  library.call(question);
  return {{"ok", true}};
}

int serve(const char* file) {
  Channel channel(kSocket);
  std::vector<int> descriptors;
  std::unique_ptr<Library> library;
  while (const auto question = channel.question(descriptors)) {
    Json answer;
    try {
      if (library == nullptr) library = std::make_unique<Library>(file);
      answer = reply(*library, *question, descriptors);
    } catch (const std::exception& error) {
      answer = {{"ok", false}, {"error", error.what()}};
    } catch (...) {
      answer = {{"ok", false}, {"error", "it threw an object that is not a std::exception"}};
    }
    if (question->contains("id")) answer["id"] = question->at("id");
    channel.answer(answer);
  }
  std::_Exit(0);  // destructors of the library are not ours to run
}

int fail(const char* what) {
  std::fprintf(stderr, "%s: %s\n", what, std::strerror(errno));
  return 126;
}

}  // namespace
}  // namespace parity::worker

/// worker library FILE: serves it. worker program WORD...: becomes this program.
int main(int count, char** words) {
  using namespace parity::worker;
  if (count < 3) return 2;
  close_range(kSocket + 1, ~0U, 0);
  const bool library = std::strcmp(words[1], "library") == 0;
  const char* refused = confine(library ? Processes::none : Processes::allowed);
  if (*refused != 0) return fail(refused);
  if (library) {
    explain_crashes();
    return serve(words[2]);
  }
  execvp(words[2], words + 2);
  return fail(words[2]);
}
