#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# clang-tidy 14 with the flags of build/dev. Not part of ci/test.sh: it takes several seconds per file.
# usage: ci/tidy.sh                     every source in build/dev/compile_commands.json
#        ci/tidy.sh --changed [BASE]    sources that differ from BASE (default: HEAD), and untracked ones
#        ci/tidy.sh FILE...
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."

die() {
  printf 'tidy: %s\n' "$*" >&2
  exit 2
}

tidy=$(command -v clang-tidy-14 || true)
[[ -n $tidy ]] || die "clang-tidy 14 is missing; install it: apt-get install clang-tidy-14"
database=build/dev/compile_commands.json
[[ -f $database ]] || cmake --preset dev >/dev/null || die "cmake --preset dev failed; run it and read its message"

mapfile -t known < <(sed -n "s|^ *\"file\": \"$PWD/\(.*\)\",\{0,1\}\$|\1|p" "$database" | sort -u)
[[ ${#known[@]} -gt 0 ]] || die "$database names no sources; run cmake --preset dev"

if [[ $# -eq 0 ]]; then
  files=("${known[@]}")
elif [[ $1 == --changed ]]; then
  mapfile -t files < <({
    git diff --name-only --diff-filter=d "${2:-HEAD}"
    git ls-files --others --exclude-standard
  } | sort -u | grep -Fx -f <(printf '%s\n' "${known[@]}") || true)
else
  files=("$@")
fi

if [[ ${#files[@]} -eq 0 ]]; then
  echo "tidy: no sources changed"
  exit 0
fi
echo "tidy: ${#files[@]} files"
printf '%s\0' "${files[@]}" | xargs -0 -n 1 -P "$(nproc)" "$tidy" -p build/dev --quiet \
  --extra-arg=-include --extra-arg="$PWD/ci/tidy_source_location.hpp" --extra-arg=-Wno-unknown-warning-option
echo "tidy: clean"
