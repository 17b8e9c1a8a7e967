#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Installs what is missing, builds the program, judges every golden of golden/, leaves the result in report/.
# usage: ci/demo.sh [further options of `parity run`]        exit status: that of `parity run`
# shellcheck source=ci/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

goldens=(golden/data/*/ golden/processors/*/ golden/cut/*/)
[[ -d ${goldens[0]} ]] || die "golden/data/ holds no golden; check the checkout, it is part of the repository"

# shellcheck disable=SC2119
install_packages

# build_program [CMake option...]
build_program() {
  step "Configure (build/release)" "read the CMake message above; if packages changed, remove build/release and try again"
  cmake --preset release "$@" >build/configure.log 2>&1 || {
    tail -n 20 build/configure.log >&2
    false
  }
  step "Build build/release/cli/parity" "fix the compiler's first error above and run ci/demo.sh again"
  cmake --build --preset release --target cli/parity --parallel "$(build_jobs)"
}

# Nobody waits for kernels that a verdict on recordings does not need: a first build compiles these afterwards.
first=()
if (($# == 0)) && [[ ! -x build/release/cli/parity ]]; then first=(-DPARITY_KERNELS=OFF); fi
build_program "${first[@]}"

step "Judge ${#goldens[@]} goldens" "read the messages above"
mkdir -p report
rm -f report/report.json report/report.xml report/report.md  # what is there afterwards is from this run
status=0
expected=()
(($# > 0)) || expected=(--manifest golden/manifest.json)  # further options may leave things out on purpose
build/release/cli/parity run "${goldens[@]%/}" "${expected[@]}" \
  --json report/report.json --junit report/report.xml --markdown report/report.md "$@" || status=$?

for file in report/report.json report/report.xml report/report.md; do
  if [[ -s $file ]]; then say "Wrote $file"; elif ((status <= 1)); then die "parity run did not write $file"; fi
done
case $status in
  0) say "All goldens passed" ;;
  1) say "Not every golden passed" ;;
  *)
    printf '%s: error: parity run ended with status %d; read its message above\n' "$parity_script" "$status" >&2
    exit "$status"
    ;;
esac
if ((${#first[@]} > 0)); then
  say "Now the kernels that --candidate and --kernel can name: cpu, cuda-host"
  build_program
fi
((status == 0)) || die "a golden failed or was not fully judged; read report/report.md"
