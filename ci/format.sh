#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# ci/format.sh            formats every C++ source
# ci/format.sh --check    changes nothing, fails if a file is not formatted
# ci/format.sh --changed  only files that differ from the last commit
# ci/format.sh FILE...    only these
set -euo pipefail
exec python3 "$(dirname -- "${BASH_SOURCE[0]}")/format.py" "$@"
