#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Records the goldens of presets.py again, each with the release that its preset names, and recomputes those that
# check_golden.py supports.
# usage: golden/capture/regenerate.sh OUT_FOLDER [PRESET_GLOB]
#
# PYTHON_5_12_0 is the command that starts a Python with transformers 5.12.0; it may have arguments. For a release without
# such a variable, an environment is made in $PARITY_VENVS (default: build/venvs). Goldens of processors and of ranks need
# torchvision 0.26.0, pillow and accelerate 1.15.0, too.
set -euo pipefail

out=${1:?usage: regenerate.sh OUT_FOLDER [PRESET_GLOB]}
glob=${2:-*}
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
venvs=${PARITY_VENVS:-$here/../../build/venvs}
export PYTHONDONTWRITEBYTECODE=1

# run <release> <argument...>: the Python of that release.
run() {
  local release=$1 variable=PYTHON_${1//./_} python
  shift
  if [[ -n ${!variable:-} ]]; then
    read -ra python <<<"${!variable}"
  else
    python=("$venvs/$release/bin/python")
    if [[ ! -f $venvs/$release/complete ]]; then
      python3 -m venv "$venvs/$release"
      "$venvs/$release/bin/pip" install --quiet torch==2.11.0 "transformers==$release" h5py safetensors numpy \
        torchvision==0.26.0 pillow accelerate==1.15.0
      touch "$venvs/$release/complete"
    fi
  fi
  "${python[@]}" "$@"
}

# releases: lines "preset release" of presets.py.
releases() {
  python3 -c 'import sys; sys.path.insert(0, sys.argv[1])
import presets
for name, preset in presets.PRESETS.items(): print(name, preset.transformers)' "$here"
}

listed=$(releases)
matched=0
while read -r preset release <&3; do
  # shellcheck disable=SC2053  # a pattern
  [[ $preset == $glob ]] || continue
  matched=1
  folder=$out/$preset
  [[ $preset == *-long-* ]] && folder=$out/../long/$preset
  run "$release" "$here/capture_hf.py" --out "$folder" --preset "$preset"
  # What check_golden.py can compute: growing caches, and a loss divided by the number of labels.
  if [[ $preset =~ ^m[23]-(text|vl|even|ranks)- && $preset != *-items ]]; then
    run "$release" "$here/check_golden.py" "$folder"
  fi
  [[ $preset == *-ranks-* ]] || continue
  mkdir -p "$out/../ranks/$preset"
  for layout in tp-8 ep-8 tp-2 ep-2; do
    [[ $preset == *f32 && $layout == *2 ]] && continue  # bf16 shows as much
    run "$release" "$here/capture_ranks.py" "$folder" "--${layout%-*}" "${layout#*-}" \
      --out "$out/../ranks/$preset/$layout.h5"
  done
  [[ $preset == m3-ranks-bf16 ]] || continue
  run "$release" "$here/capture_ranks.py" "$folder" --tp 2 --ep 2 --out "$out/../ranks/$preset/tp-2-ep-2.h5"
done 3<<<"$listed"
if ((!matched)); then
  echo "regenerate.sh: no preset matches $glob; golden/capture/presets.py has all" >&2
  exit 1
fi

[[ $glob == '*' ]] || exit 0
run 5.12.0 "$here/capture_processor.py" --out "$out/../processors/m3-processor"
run 5.23.0 "$here/capture_processor.py" --out "$out/../processors/m3-processor-5.23" --drawn 0
