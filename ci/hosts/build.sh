#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Builds the program for a CI job: packages, then only what `parity gate` needs. usage: ci/hosts/build.sh
# shellcheck source=ci/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/../setup.sh"

install_packages

step "Configure (build/release)" "read the CMake message above"
cmake --preset release -D PARITY_BUILD_TESTS=OFF -D PARITY_BUILD_BENCHES=OFF >build/configure.log 2>&1 || {
  tail -n 20 build/configure.log >&2
  false
}

step "Build build/release/cli/parity" "read the compiler's first error above"
cmake --build --preset release --target cli/parity --parallel "$(build_jobs)"
