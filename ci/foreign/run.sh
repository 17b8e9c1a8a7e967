#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Kernels of released packages on the PTX machine; prints the tables of docs/ptx-field.md.
# usage: ci/foreign/run.sh [NAME...]      cases by part of their name
#        ci/foreign/run.sh --prepare      only fetches what the cases need
# exit status: 0 all right; 1 a kernel is wrong or refused; 77 no packages, no build/torch or no nvcc
# Fetches packages with pip into build/foreign; build/torch comes from ci/setup.sh torch. No GPU is needed.
set -euo pipefail

root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build/foreign
torch=$root/build/torch/lib/python3.11/site-packages

skip() {
  echo "skipped: $*" >&2
  exit 77
}

[[ -d $torch ]] || skip "no LibTorch in build/torch; run ci/setup.sh torch"
[[ -x /usr/local/cuda/bin/nvcc ]] || skip "no nvcc in /usr/local/cuda"
if [[ ! -f $build/ready ]]; then
  python3.11 -m venv "$build/venv" || skip "no python3.11 with venv"
  "$build/venv/bin/pip" install -q triton==3.9.0 numpy typing_extensions sympy filelock jinja2 networkx fsspec \
    packaging einops || skip "pip cannot fetch packages"
  # PyTorch of PyPI loads these; nothing calls them here.
  "$build/venv/bin/pip" install -q --no-deps nvidia-nvshmem-cu13 nvidia-cufile nvidia-cusparselt-cu13 ||
    skip "pip cannot fetch packages"
  mkdir -p "$build/lib"
  find "$build/venv/lib/python3.11/site-packages/nvidia" \
    \( -name libcufile.so.0 -o -name libcusparseLt.so.0 -o -name libnvshmem_host.so.3 \) \
    -exec ln -sf {} "$build/lib/" \;
  touch "$build/ready"
fi
if [[ ${1:-} == --prepare ]]; then exit 0; fi
cmake --preset release >"$build/configure.log" 2>&1
cmake --build --preset release --target parity_program_parity_ptx >"$build/build.log" 2>&1
LD_LIBRARY_PATH=$build/lib PYTHONPATH=$torch:$root/engines TRITON_CACHE_DIR=$build/cache \
  exec "$build/venv/bin/python" -B "$root/ci/foreign/run.py" "$@"
