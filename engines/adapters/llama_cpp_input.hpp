// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Arguments and calls of llama_cpp_dump, read without llama.cpp, so that tests compile this file without it.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#ifdef __linux__
#include <csignal>

#include <sys/prctl.h>
#endif

struct Call {
  int64_t sequences = 0, tokens = 0;    // B, S
  std::vector<int32_t> ids, positions;  // B*S each, sequence by sequence
};

struct Arguments {
  std::string model, calls, folder;
  bool half_cache = false, flash = false;
};

[[noreturn]] inline void fail(const std::string& what) {
  std::fprintf(stderr, "llama_cpp_dump: %s\n", what.c_str());
  std::exit(1);
}

// Whether the word is `yes`; ends the program if it is neither `yes` nor `no`.
inline bool is_first(const std::string& argument, const std::string& word, const char* yes, const char* no) {
  if (word != yes && word != no) fail(argument + " is '" + word + "'; use " + yes + " or " + no);
  return word == yes;
}

inline Arguments read_arguments(int argc, char** argv) {
  if (argc != 6) {
    fail("got " + std::to_string(argc - 1) + " arguments; usage: llama_cpp_dump MODEL.gguf CALLS FOLDER CACHE FLASH");
  }
  return {argv[1], argv[2], argv[3], is_first("CACHE", argv[4], "f16", "f32"), is_first("FLASH", argv[5], "on", "off")};
}

inline std::vector<Call> read_calls(const std::string& path) {
  std::ifstream file(path);
  std::vector<Call> calls;
  for (std::string line; std::getline(file, line);) {
    const std::string problem = path + " has a line that is not B S, ids, positions: " + line;
    std::istringstream words(line);
    Call call;
    words >> call.sequences >> call.tokens;
    if (!words || call.sequences < 1 || call.tokens < 1) fail(problem);
    call.ids.resize(static_cast<size_t>(call.sequences * call.tokens));
    call.positions.resize(call.ids.size());
    for (int32_t& id : call.ids) words >> id;
    for (int32_t& position : call.positions) words >> position;
    std::string more;
    if (!words || words >> more) fail(problem);
    calls.push_back(call);
  }
  if (calls.empty()) fail(path + " has no calls");
  return calls;
}

// This process is killed when the one that started it ends, however that ends.
inline void end_with_parent() {
#ifdef __linux__
  prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
}
