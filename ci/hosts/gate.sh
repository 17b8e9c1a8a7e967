#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# Runs `parity gate` in a CI job and shows the result where the host shows results: summary, annotations, outputs.
# Its exit status is the gate's. usage, in the folder of the policy: ci/hosts/gate.sh
#   PARITY_PROGRAM   the program; empty: the one that ci/hosts/build.sh built
#   PARITY_POLICY    parity.toml      PARITY_OUT    parity-report
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")/../.." && pwd)
program=${PARITY_PROGRAM:-$here/build/release/cli/parity}
out=${PARITY_OUT:-parity-report}

status=0
"$program" gate --policy "${PARITY_POLICY:-parity.toml}" --out-folder "$out" --quiet || status=$?

if [[ -n ${GITHUB_STEP_SUMMARY:-} && -s $out/summary.md ]]; then
  head -c 1000000 "$out/summary.md" >>"$GITHUB_STEP_SUMMARY"  # the host refuses more than 1 MiB
fi
if [[ -n ${GITHUB_ACTIONS:-} && -s $out/report.sarif ]]; then
  python3 -B "$here/ci/hosts/annotate.py" "$out/report.sarif"
fi
if [[ -n ${GITHUB_OUTPUT:-} ]]; then
  echo "report=$out/report.html" >>"$GITHUB_OUTPUT"
fi
exit "$status"
