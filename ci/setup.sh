#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# usage: ci/setup.sh          the build's packages
#        ci/setup.sh package  and what makes packages of parity
#        ci/setup.sh cuda     and nvcc, in build/cuda, where no toolkit has it: 0.3 GB
#        ci/setup.sh mpi      and Open MPI, for ranks that are processes
#        ci/setup.sh page     and Chromium (100 MB) with axe-core and readers of YAML and JUnit (5 MB), which test the page
#        ci/setup.sh python   and numpy, h5py and others for the tests of the Python package, in build/python: 0.1 GB
#        ci/setup.sh torch    and LibTorch, in build/torch: 1.2 GB, so only on request; PARITY_TORCH=1 ci/test.sh does it too
# Sourced by ci/demo.sh and ci/test.sh: steps with elapsed time, one clear line on failure, and the packages of
# Debian 12 and Ubuntu 24.04 that the build needs (only those that are missing; nothing is installed twice).

set -Eeuo pipefail

parity_root=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/.." && pwd)
parity_script=${0##*/}
parity_step="Packages"
parity_hint="read the messages above"
SECONDS=0

# A command (there may be a newer one than the distribution's) and the package that brings it.
parity_tools=(g++:g++ cmake:cmake ninja:ninja-build ccache:ccache mold:mold python3:python3)
parity_page=(chromium:chromium)
parity_mpi=(mpirun:openmpi-bin mpicc:libopenmpi-dev)
parity_libraries=(libhdf5-dev libeigen3-dev libfmt-dev nlohmann-json3-dev libcli11-dev libtomlplusplus-dev libssl-dev zlib1g-dev libgtest-dev libgmock-dev libbenchmark-dev)

say() { printf '[%3ds] %s\n' "$SECONDS" "$*"; }

die() {
  trap - ERR
  printf '%s: error: %s\n' "$parity_script" "$*" >&2
  exit 1
}

# step <what begins> <what to do if it fails>
step() {
  parity_step=$1
  parity_hint=$2
  say "$parity_step"
}

trap 'die "\"$parity_step\" failed; $parity_hint"' ERR

package_is_installed() {
  [[ $(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null) == ii* ]]
}

# The packages that are missing, one per line. Arguments: further command:package pairs.
missing_packages() {
  local pair library
  for pair in "${parity_tools[@]}" "$@"; do
    command -v "${pair%%:*}" >/dev/null || printf '%s\n' "${pair#*:}"
  done
  for library in "${parity_libraries[@]}"; do
    package_is_installed "$library" || printf '%s\n' "$library"
  done
}

apt_get() {
  local as_root=()
  if [[ $EUID -ne 0 ]]; then as_root=(sudo); fi
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y \
    -o Acquire::Retries=3 -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@"
}

# install_packages [command:package...]: the build's packages and these, where missing.
install_packages() {
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    say "Packages: no apt-get here; the build will name what it misses (list: ci/setup.sh)"
    return
  fi
  local missing log attempt
  read -r -d '' -a missing <<<"$(missing_packages "$@")" || true  # not mapfile < <(...): a bare chroot has no /dev/fd
  if [[ ${#missing[@]} -eq 0 ]]; then
    say "Packages: nothing is missing"
    return
  fi
  if [[ $EUID -ne 0 ]] && ! command -v sudo >/dev/null; then
    die "packages are missing and there is no sudo; as root: apt-get install ${missing[*]}"
  fi
  say "Packages: installing ${missing[*]}"
  log=$parity_root/build/packages.log
  for attempt in 1 2 3; do
    if { apt_get update && apt_get install --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
      say "Packages: installed"
      return
    fi
    say "Packages: attempt $attempt of 3 failed"
    sleep $((attempt * 3))
  done
  tail -n 15 "$log" >&2
  die "apt-get could not install the packages (log: build/packages.log); try: apt-get install ${missing[*]}"
}

# LibTorch out of the pip package, found by cmake/FindLibTorch.cmake; the package cannot be imported, and need not be. The
# wheel is of CUDA's build and loads libcudart and libcupti: where no toolkit has them, they come from wheels too.
install_torch() {
  local folder=$parity_root/build/torch packages=(torch==2.11.0) log=$parity_root/build/torch.log
  if [[ -n $(compgen -G "$folder/lib/python3*/site-packages/torch/lib/libtorch_cpu.so") ]]; then
    say "LibTorch: build/torch is there"
    return
  fi
  if ! ldconfig -p | grep -q 'libcudart\.so\.13' && [[ ! -e /usr/local/cuda/lib64/libcudart.so.13 ]]; then
    packages+=(nvidia-cuda-runtime==13.0.96 nvidia-cuda-cupti==13.0.85)
  fi
  say "LibTorch: installing ${packages[*]} in build/torch"
  python3 -c 'import ensurepip' 2>/dev/null || apt_get install --no-install-recommends python3-venv >"$log" 2>&1
  { python3 -m venv "$folder" && "$folder/bin/pip" install --no-deps "${packages[@]}"; } >"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    die "LibTorch could not be installed (log: build/torch.log); python3-venv and 3 GB of disk are needed"
  }
}

# What the tests of the Python package use. ctest finds it; without it they are skipped, and ci/check_skips.py says so.
install_python() {
  local folder=$parity_root/build/python log=$parity_root/build/python.log
  local packages=("numpy>=1.22" "h5py>=3" "ml_dtypes" "gguf" "pytest>=7")
  if "$folder/bin/python3" -c 'import numpy, h5py, ml_dtypes, gguf, pytest' 2>/dev/null; then
    say "Python: build/python is there"
    return
  fi
  say "Python: installing ${packages[*]} in build/python"
  python3 -c 'import ensurepip' 2>/dev/null || apt_get install --no-install-recommends python3-venv >"$log" 2>&1
  { python3 -m venv "$folder" && "$folder/bin/pip" install "${packages[@]}"; } >"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    die "the packages for Python could not be installed (log: build/python.log); python3-venv is needed"
  }
}

# nvcc out of pip packages, found by cmake/ParityCuda.cmake. nvvm and crt are of nvcc's version: ptxas refuses the output
# of later ones.
install_cuda() {
  local folder=$parity_root/build/cuda log=$parity_root/build/cuda.log found
  found=$(command -v nvcc || compgen -G '/usr/local/cuda/bin/nvcc' || compgen -G "$folder/bin/nvcc" || true)
  if [[ -n $found ]]; then
    say "CUDA: $found is there"
    return
  fi
  local packages=(nvidia-cuda-nvcc==13.0.88 nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88
    nvidia-cuda-runtime==13.0.96 nvidia-cuda-cccl==13.0.85)
  say "CUDA: installing ${packages[*]} in build/cuda"
  python3 -m pip --version >/dev/null 2>&1 || apt_get install --no-install-recommends python3-pip >"$log" 2>&1
  python3 -m pip install --no-deps --upgrade --target "$folder/packages" "${packages[@]}" >"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    die "nvcc could not be installed (log: build/cuda.log); python3-pip and 1 GB of disk are needed"
  }
  chmod +x "$folder"/packages/nvidia/cu13/bin/* "$folder"/packages/nvidia/cu13/nvvm/bin/*
  ln -sfn packages/nvidia/cu13/bin "$folder/bin"
}

# What tests the HTML page and the files for code hosts. The package of axe-core drives a browser, too, which is not needed.
install_page() {
  local folder=$parity_root/build/page log=$parity_root/build/page.log
  if [[ -n $(compgen -G "$folder/lib/python3*/site-packages/junitparser") ]]; then
    say "Page: build/page is there"
    return
  fi
  say "Page: installing axe-core, PyYAML, check-jsonschema and junitparser in build/page"
  python3 -c 'import ensurepip' 2>/dev/null || apt_get install --no-install-recommends python3-venv >"$log" 2>&1
  { python3 -m venv "$folder" && "$folder/bin/pip" install --no-deps axe-playwright-python==0.1.8 &&
    "$folder/bin/pip" install PyYAML==6.0.3 check-jsonschema==0.39.0 junitparser==5.0.3; } >"$log" 2>&1 || {
    tail -n 15 "$log" >&2
    die "the tools that test the page could not be installed (log: build/page.log)"
  }
}

# Chromium is a package of Debian; Ubuntu has a snap in its place, and most of its runners have a browser.
has_browser() {
  command -v chromium >/dev/null || command -v chromium-browser >/dev/null || command -v google-chrome >/dev/null
}

# One compile job per core, and at least 1.5 GiB of memory for each.
build_jobs() {
  local cores memory_mib=0
  cores=$(nproc 2>/dev/null || echo 2)
  if [[ -r /proc/meminfo ]]; then
    memory_mib=$(($(sed -n 's/^MemAvailable: *\([0-9]*\).*/\1/p' /proc/meminfo) / 1024))
  fi
  if ((memory_mib > 0 && memory_mib / 1536 < cores)); then cores=$((memory_mib / 1536)); fi
  echo $((cores > 0 ? cores : 1))
}

# ccache must not break a build on a machine where the home folder cannot be written.
if [[ -z ${CCACHE_DIR:-} && ! -w ${HOME:-/nonexistent} ]]; then
  export CCACHE_DIR=$parity_root/build/ccache
fi

cd -- "$parity_root"
mkdir -p build

if [[ ${BASH_SOURCE[0]} == "$0" ]]; then  # run, not sourced
  case ${1:-} in
    package) install_packages dpkg-shlibdeps:dpkg-dev ;;
    mpi) install_packages "${parity_mpi[@]}" ;;
    page) has_browser && install_packages || install_packages "${parity_page[@]}" ;;
    *) install_packages ;;
  esac
  case ${1:-} in
    cuda) install_cuda ;;
    torch) install_torch ;;
    page) install_page ;;
    python) install_python ;;
  esac
fi
