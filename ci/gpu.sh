#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# The GPU lane: judges every CUDA kernel and model on the GPU of this machine, compares with the PTX machine, takes times
# and counters. At most ten minutes. Results, summary.md and the environment are in build/gpu/.
# usage: ci/gpu.sh               with a GPU
#        ci/gpu.sh --rehearse    the same without one: a stand-in of the driver runs launches on the PTX machine
#        ci/gpu.sh --pack DIR    the program and what it loads, for a machine that cannot build it
#        ci/gpu.sh --list        names the parts;   ci/gpu.sh GLOB... runs these
# PARITY_GPU_PROGRAM  a parity that runs instead of build/release/cli/parity: DIR/parity of --pack
# PARITY_GPU_OUT      where results go                PARITY_GPU_SECONDS  of the lane, 600
# exit status: 0 all parts passed; 1 one failed; 4 there is no GPU, or nothing to run on it
set -euo pipefail
cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.."
command -v python3 >/dev/null || { echo "ci/gpu.sh: error: python3 is missing; install it" >&2; exit 4; }
exec python3 -B ci/gpu/lane.py "$@"
