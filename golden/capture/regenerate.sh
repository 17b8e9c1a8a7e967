#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Records every golden of golden/data/ again and checks it. usage: golden/capture/regenerate.sh OUT_FOLDER
#
# PYTHON_5_1_0, PYTHON_5_12_0, PYTHON_5_13_0, PYTHON_5_17_0, PYTHON_5_18_0, PYTHON_5_23_0 and PYTHON_4_56_2 are the commands that start a Python with that
# transformers release, e.g.
#   python3 -m venv v1 && v1/bin/pip install torch==2.11.0 transformers==5.1.0 h5py safetensors numpy
#   python3 -m venv v12 && v12/bin/pip install torch==2.11.0 transformers==5.12.0 h5py safetensors numpy
#   python3 -m venv v13 && v13/bin/pip install torch==2.11.0 transformers==5.13.0 h5py safetensors numpy
#   python3 -m venv v18 && v18/bin/pip install torch==2.11.0 transformers==5.18.0 h5py safetensors numpy
#   python3 -m venv v23 && v23/bin/pip install torch==2.11.0 transformers==5.23.0 h5py safetensors numpy
#   python3 -m venv v4 && v4/bin/pip install torch==2.11.0 transformers==4.56.2 h5py safetensors numpy
#   PYTHON_5_1_0=v1/bin/python PYTHON_5_12_0=v12/bin/python PYTHON_5_13_0=v13/bin/python PYTHON_5_23_0=v23/bin/python \
#     PYTHON_4_56_2=v4/bin/python golden/capture/regenerate.sh golden/data
# A command may have arguments: PYTHON_5_13_0="env PYTHONPATH=folder v12/bin/python".
set -euo pipefail

out=${1:?usage: regenerate.sh OUT_FOLDER (with PYTHON_5_1_0 … PYTHON_4_56_2 set, see the head of this file)}
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
read -ra python_5_1_0 <<<"${PYTHON_5_1_0:?set PYTHON_5_1_0 to a Python with transformers 5.1.0}"
read -ra python_5_12_0 <<<"${PYTHON_5_12_0:?set PYTHON_5_12_0 to a Python with transformers 5.12.0}"
read -ra python_5_13_0 <<<"${PYTHON_5_13_0:?set PYTHON_5_13_0 to a Python with transformers 5.13.0}"
read -ra python_4_56_2 <<<"${PYTHON_4_56_2:?set PYTHON_4_56_2 to a Python with transformers 4.56.2}"
read -ra python_5_17_0 <<<"${PYTHON_5_17_0:?set PYTHON_5_17_0 to a Python with transformers 5.17.0}"
read -ra python_5_18_0 <<<"${PYTHON_5_18_0:?set PYTHON_5_18_0 to a Python with transformers 5.18.0}"
read -ra python_5_23_0 <<<"${PYTHON_5_23_0:?set PYTHON_5_23_0 to a Python with transformers 5.23.0}"
export PYTHONDONTWRITEBYTECODE=1

for preset in m3-text-bf16 m3-text-f32 m3-text-f64 m3-text-only-aux m3-vl-bf16 m3-cache-f32 m2-cache-f32 m3-static-f32 \
    m3-text-only-items m3-items m2-even-f32; do
  "${python_5_12_0[@]}" "$here/capture_hf.py" --out "$out/$preset" --preset "$preset"
done
for preset in m3-text-pergroup-bf16 m3-text-sdpa-bf16 m3-text-partial-bf16; do
  "${python_5_13_0[@]}" "$here/capture_hf.py" --out "$out/$preset" --preset "$preset"
done
for preset in m2-text-bf16 m2-text-f32 m2-static-f32; do
  "${python_5_1_0[@]}" "$here/capture_hf.py" --out "$out/$preset" --preset "$preset"
done
for preset in text01-bf16 text01-f32 text01-cache-f32 text01-tiles-bf16 \
    text01-heads-sequence-f32 text01-heads-token-f32 text01-heads-question-f32 \
    text01-heads-number-f32 text01-heads-labels-f32; do
  "${python_4_56_2[@]}" "$here/capture_hf.py" --out "$out/$preset" --preset "$preset"
done
# … with torchvision 0.26.0 and pillow beside it
"${python_5_12_0[@]}" "$here/capture_processor.py" --out "$out/../processors/m3-processor"
"${python_5_23_0[@]}" "$here/capture_processor.py" --out "$out/../processors/m3-processor-5.23" --drawn 0
"${python_5_17_0[@]}" "$here/capture_hf.py" --out "$out/m3-vl-axial-f32" --preset m3-vl-axial-f32
for preset in m3-vl-f32 m3-cache-bf16 m3-even-f32 m3-even-bf16 m3-ranks-f32 m3-ranks-bf16 m2-ranks-f32 m2-ranks-bf16; do
  "${python_5_23_0[@]}" "$here/capture_hf.py" --out "$out/$preset" --preset "$preset"
done
"${python_5_23_0[@]}" "$here/capture_hf.py" --out "$out/../long/m3-long-bf16" --preset m3-long-bf16
# … with accelerate 1.15.0 beside it
for preset in m3-ranks-bf16 m3-ranks-f32 m2-ranks-bf16 m2-ranks-f32; do
  mkdir -p "$out/../ranks/$preset"
  for layout in tp-8 ep-8 tp-2 ep-2; do
    [[ $preset == *f32 && $layout == *2 ]] && continue  # bf16 shows as much
    "${python_5_23_0[@]}" "$here/capture_ranks.py" "$out/$preset" "--${layout%-*}" "${layout#*-}" \
      --out "$out/../ranks/$preset/$layout.h5"
  done
done
"${python_5_23_0[@]}" "$here/capture_ranks.py" "$out/m3-ranks-bf16" --tp 2 --ep 2 --out "$out/../ranks/m3-ranks-bf16/tp-2-ep-2.h5"
"${python_5_18_0[@]}" "$here/capture_hf.py" --out "$out/m2-even-bf16" --preset m2-even-bf16
"${python_5_12_0[@]}" "$here/check_golden.py" "$out"/m2-text-{bf16,f32} "$out"/m[23]-{even,ranks}-{bf16,f32}
"${python_5_12_0[@]}" "$here/check_golden.py" "$out"/m3-text-{bf16,f32,f64,only-aux,pergroup-bf16,sdpa-bf16,partial-bf16} "$out"/m3-vl-{bf16,f32}
