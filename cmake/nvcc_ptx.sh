#!/bin/sh
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# nvcc -ptx behind the arguments of an ordinary compiler, because ccache keeps no result of `-ptx`: -c means -ptx.
# Source files are named from the root of the repository: the PTX of two checkouts is the same.
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
  *.ptx) sed -E -i -e '/^\t\.file\t/!b' -e ':up' -e 's|/[^/"]+/\.\./|/|' -e 'tup' -e "s|\"$root/|\"|" "$out" ;;
esac
