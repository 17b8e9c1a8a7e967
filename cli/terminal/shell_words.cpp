// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Commands for shells and packages that --help does not list: completion, complete and man.
#include <map>

#include <fmt/core.h>

#include "cli/words/command_words.hpp"
#include "cli/words/completion.hpp"
#include "core/error.hpp"
#include "core/text.hpp"

namespace parity::cli {
namespace {

// Readline splits words at colons and equal signs, and replaces only the text after the last of them.
constexpr const char* kBash = R"shell(# bash completion of parity
_parity() {
  local line=${COMP_LINE:0:COMP_POINT} last before
  last=${line##*[[:space:]]}
  before=${last%"${last##*[:=]}"}
  mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" complete "$line" 2>/dev/null)
  COMPREPLY=("${COMPREPLY[@]#"$before"}")
  if [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *: ]]; then compopt -o nospace 2>/dev/null; fi
}
complete -o bashdefault -o default -F _parity parity
)shell";

constexpr const char* kZsh = R"shell(#compdef parity
_parity() {
  local -a found
  found=(${(f)"$(${words[1]} complete "${LBUFFER}" 2>/dev/null)"})
  if (( ${#found} )); then compadd -- $found; else _files; fi
}
if [[ ${funcstack[1]} == _parity ]]; then _parity "$@"; else compdef _parity parity; fi
)shell";

constexpr const char* kFish = R"shell(# fish completion of parity
complete -c parity -a '(parity complete (commandline -cp) 2>/dev/null)'
)shell";

}  // namespace

std::string completion_script(const std::string& shell) {
  const std::map<std::string, const char*> scripts{{"bash", kBash}, {"fish", kFish}, {"zsh", kZsh}};
  const auto found = scripts.find(shell);
  PARITY_CHECK(found != scripts.end(), usage, "completion of '{}' is not known{}; use bash, zsh or fish", shell,
               did_you_mean(shell, {"bash", "fish", "zsh"}));
  return found->second;
}

void add_shell(CLI::App& app, ShellOptions& o, Action& action) {
  CLI::App* script = app.add_subcommand("completion", "What a shell sources to complete words")->group("");
  script->add_option("shell", o.shell, "bash | zsh | fish")->required();
  script->callback([&] {
    action = [&] {
      fmt::print("{}", completion_script(o.shell));
      return holds;
    };
  });
  CLI::App* complete = app.add_subcommand("complete", "Words that may follow, for these scripts")->group("");
  complete->add_option("line", o.line, "The command line up to the cursor")->required();
  complete->callback([&] {
    action = [&] {
      for (const std::string& word : completions(app, o.line)) fmt::print("{}\n", word);
      return holds;
    };
  });
  CLI::App* manual = app.add_subcommand("man", "The manual page, for man(1)")->group("");
  manual->callback([&] {
    action = [&] {
      fmt::print("{}", manual_page(app));
      return holds;
    };
  });
}

}  // namespace parity::cli
