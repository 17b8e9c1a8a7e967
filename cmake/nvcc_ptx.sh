#!/bin/sh
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# nvcc -ptx behind the arguments of an ordinary compiler, because ccache keeps no result of `-ptx`: -c means -ptx.
# Source files are named from the root of the repository: the PTX of two checkouts is the same. Products and sums that nvcc
# left apart say that they round to nearest: the assembler for a GPU may join those that do not say it, and then the GPU
# gives other bits than the PTX machine (seen on an H100).
# usage: PARITY_NVCC=/path/to/nvcc nvcc_ptx.sh -c -o OUT.ptx SOURCE.cu ...
set -eu
root=$(cd -- "$(dirname -- "$0")/.." && pwd)
out= previous=
for argument; do
  shift
  if [ "$previous" = -o ]; then out=$argument; fi
  previous=$argument
  if [ "$argument" = -c ]; then argument=-ptx; fi
  set -- "$@" "$argument"
done
"$PARITY_NVCC" "$@"
case $out in
  *.ptx)
    sed -E -i -e 's/^(\t(@[^ ]+ )?(mul|add|sub))(\.ftz)?(\.sat)?\.(f32|f64|f16x?2?|bf16x?2?) /\1.rn\4\5.\6 /' "$out"
    sed -E -i -e '/^\t\.file\t/!b' -e ':up' -e 's|/[^/"]+/\.\./|/|' -e 'tup' -e "s|\"$root/|\"|" "$out"
    ;;
esac
