#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# The gate: installs what is missing, checks layering, format and documents, builds with warnings as errors, runs the
# tests: one that is skipped without leave (ci/check_skips.py) fails it too. A failed check does not hide the next one.
# usage: ci/test.sh [--all]        exit status 0: everything ran and passed
# --all: also the tests with the label `long`: studies of many random cases, the documents' commands, the browser, ptxas
# shellcheck source=ci/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

tests=(--label-exclude '^long$')
if [[ $# -gt 0 ]]; then
  if [[ $* != --all ]]; then die "unknown arguments '$*'; usage: ci/test.sh [--all]"; fi
  tests=()
fi
failed=()
# check <name> <command...>: runs it and remembers a failure.
check() {
  local name=$1
  shift
  say "Check: $name"
  "$@" 2>&1 || failed+=("$name")
}

install_packages "${parity_mpi[@]}" clang-format-14:clang-format-14 dpkg-shlibdeps:dpkg-dev groff:groff-base
# Not by default: 1.2 GB, and a gate that needs more of the network than packages is red for reasons that are nobody's.
# What is in build/torch already is used; without it the LibTorch kernels are left out and everything else is tested.
if [[ ${PARITY_TORCH:-0} == 1 ]]; then install_torch; fi
(install_python) || say "Python: its packages are not there, so that most tests of the Python package are skipped"

# With --all, the page is tested in Chromium, a package of Debian (100 MB, like MPI); elsewhere in the browser that is
# there. Its tools are 5 MB of pip packages: a gate without them has two tests less, and says so. PARITY_PAGE=0 leaves
# them out, 1 insists.
if [[ ${#tests[@]} == 0 && ${PARITY_PAGE:-auto} != 0 ]]; then
  if ! has_browser && grep -q '^ID=debian' /etc/os-release; then install_packages "${parity_page[@]}"; fi
  if [[ ${PARITY_PAGE:-auto} == 1 ]]; then install_page; else
    (install_page) || say "Page: no tools for it, so cli.page and cli.hosts are left out; PARITY_PAGE=1 insists on them"
  fi
fi

check "layering" python3 ci/check_layering.py
check "format" ci/format.sh --check
check "docs" python3 -B ci/check_docs.py

step "Configure (build/release)" "read the CMake message above; if packages changed, remove build/release and try again"
cmake --preset release >build/configure.log 2>&1 || {
  tail -n 20 build/configure.log >&2
  false
}

step "Build" "fix the compiler's first error above and run ci/test.sh again"
cmake --build --preset release --parallel "$(build_jobs)"

rm -f build/release/ctest.xml  # what is read afterwards is from this run
check "tests" ctest --preset release "${tests[@]}" --test-output-size-passed 65536 --parallel "$(build_jobs)"
check "skips" python3 ci/check_skips.py build/release/ctest.xml

if [[ ${#failed[@]} -gt 0 ]]; then
  printf -v names '%s, ' "${failed[@]}"
  die "failed: ${names%, }; see the messages above (JUnit: build/release/ctest.xml)"
fi
say "Everything passed (JUnit: build/release/ctest.xml)"
