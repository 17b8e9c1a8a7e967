#!/usr/bin/env bash
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
#
# The nightly tier: every study in full, beside the gate (ci/test.sh). A part that fails does not keep the others from
# running; one that has passed on this very tree is not run again. Logs and summary.md are in build/nightly/.
# usage: ci/nightly.sh [GLOB...]      parts to run; --list names them        exit status 0: all of these have passed
# PARITY_NIGHTLY_SEED     of the battery's cases; the date (20261231) draws others every night, and is printed
# PARITY_NIGHTLY_SCALE    1: the counts below; 0.01: a hundredth of them, one fault family, one folder under asan
# PARITY_NIGHTLY_PROGRAM  a parity that is judged instead of build/release/cli/parity
# PARITY_NIGHTLY_OUT      where logs and results go
if [[ ${1:-} == --list ]]; then parity_listing=1; else parity_listing=0; fi
# shellcheck source=ci/setup.sh
source "$(dirname -- "${BASH_SOURCE[0]}")/setup.sh"

scale=${PARITY_NIGHTLY_SCALE:-1}
seed_of_night=${PARITY_NIGHTLY_SEED:-$(date -u +%Y%m%d)}
out=${PARITY_NIGHTLY_OUT:-$parity_root/build/nightly}
program=${PARITY_NIGHTLY_PROGRAM:-$parity_root/build/release/cli/parity}
wanted=("${@:-*}")
parts=()

if ! awk -v scale="$scale" 'BEGIN { exit !(scale ~ /^[0-9]*\.?[0-9]+$/ && scale > 0) }'; then
  die "PARITY_NIGHTLY_SCALE is '$scale'; use a number above 0"
fi
if [[ ! $seed_of_night =~ ^[0-9]{1,18}$ ]]; then die "PARITY_NIGHTLY_SEED is '$seed_of_night'; use a number"; fi

# scaled <count>: of the full tier's count what this run asks for, at least 2.
scaled() { awk -v count="$1" -v scale="$scale" 'BEGIN { n = int(count * scale + 0.5); print n < 2 ? 2 : n }'; }
whole() { awk -v scale="$scale" 'BEGIN { exit !(scale >= 1) }'; }

# What the results are of: every file of the tree, the scale and a program from elsewhere.
tree_key() {
  {
    find . \( -path ./build -o -path ./report -o -path ./.git -o -name __pycache__ \) -prune -o -type f -print0 | sort -z |
      xargs -0 sha256sum
    echo "$scale"
    if [[ -n ${PARITY_NIGHTLY_PROGRAM:-} ]]; then sha256sum "$program"; fi
  } | sha256sum | cut -d' ' -f1
}

is_wanted() {
  local glob
  for glob in "${wanted[@]}"; do
    # shellcheck disable=SC2053  # a pattern
    if [[ $1 == $glob ]]; then return 0; fi
  done
  return 1
}

# What a log comes to: the verdict if it has one, else its last line.
result_line() {
  local line
  line=$(grep -aE '^(PASS|FAIL) ' "$1" | tail -n 1 || true)
  if [[ -z $line ]]; then line=$(grep -av '^[[:space:]]*$' "$1" | tail -n 1 || true); fi
  printf '%s' "${line:-no output}" | tr -s '[:space:]|' ' '
}

# part <name> <command...>: runs it unless it has passed before; name.log and name.result (status, seconds, line) stay.
part() {
  local name=$1 began=$SECONDS status=0
  shift
  if ! is_wanted "$name"; then return 0; fi
  parts+=("$name")
  if ((parity_listing)); then return 0; fi
  if [[ -f $out/$name.result && $(cut -f1 "$out/$name.result") == pass ]]; then
    say "Part: $name has passed on this tree; remove $out/$name.result to run it again"
    return 0
  fi
  say "Part: $name"
  "$@" >"$out/$name.log" 2>&1 || status=$?
  printf '%s\t%s\t%s\n' "$([[ $status == 0 ]] && echo pass || echo "fail ($status)")" $((SECONDS - began)) \
    "$(result_line "$out/$name.log")" >"$out/$name.result"
}

# Levels of the CPU kernels that this processor has.
cpu_levels() {
  local level
  for level in avx2 avx512 avx512_bf16 amx_bf16; do
    if PARITY_CPU_LEVEL=$level "$program" doctor >/dev/null 2>&1; then echo "$level"; fi
  done
}

# Backends whose kernels this build has.
backends() {
  local name
  for name in cpu torch cuda-host; do
    if "$program" doctor 2>/dev/null | grep -E "^backends .*\b$name\b" >/dev/null; then echo "$name"; fi
  done
}

# CUDA kernels on the PTX machine with every check, each seed another order of warps.
schedules() {
  local seed status=0
  for seed in $(seq 1 "$(scaled 10)"); do
    PARITY_PTX_SEED=$seed "$program" battery --kernel cuda-host:checked --lanes boundary,special --cases 6 --brief || status=1
  done
  return $status
}

fuzz() {
  cmake --build --preset release --target parity_golden_test --parallel "$(build_jobs)" &&
    PARITY_FUZZ_SEEDS=$(scaled 50) build/release/golden/parity_golden_test --gtest_filter='HostileFilesTest.RandomDamage*'
}

# Every parser of what others wrote, under the sanitizers: an input that crashes, takes a second or more memory than its
# size and 64 MiB fails the part.
fuzz_parser() {
  cmake --preset fuzz && cmake --build --preset fuzz --target "$1_fuzz" --parallel "$(build_jobs)" &&
    build/fuzz/fuzz/"$1"_fuzz --runs "$(scaled 1000000)" --seed "$seed_of_night" "fuzz/corpus/$1"
}

# Making and judging a layer of the published size, every expert of it, in at most 3 GiB.
layer_memory() {
  python3 -B ci/peak_memory.py 3072 "$program" run --synthetic m3 --layers 3 --tokens "$(scaled 2304)" --mode isolated --quiet
}

# Files that the build compiles in batches, and headers, each by itself.
alone() { cmake --preset release && python3 -B ci/check_alone.py build/release --jobs "$(build_jobs)"; }

asan() {
  local target=all pattern=.
  whole || { target=parity_core_test && pattern='^core\.'; }
  cmake --preset asan && cmake --build --preset asan --target "$target" --parallel "$(build_jobs)" &&
    ctest --preset asan --tests-regex "$pattern" --parallel "$(build_jobs)"
}

# The documented commands that the gate leaves out; all of them at full scale only.
readme() {
  whole || { python3 -B ci/readme_commands.py --list "$program" && return; }
  python3 -B ci/readme_commands.py --slow "$program"
}

# Bugs planted in the CUDA kernels are found. The seed is fixed: somebody has looked at the survivors of its mutants.
mutants() { python3 -B ci/mutate_cuda.py --program "$program" --count "$(scaled 120)" --json "$out/mutants.json"; }
# Every kernel for every GPU that the driver would assemble it for: 8.0, 9.0a, 10.0a.
assembly() {
  local ptxas
  ptxas=$(sed -n 's/^PARITY_PTXAS:FILEPATH=//p' build/release/CMakeCache.txt)
  python3 -B ci/check_spills.py --every-gpu "$ptxas" build/release/optimized/cuda/*.ptx
}
# Every f32 of what an H100 has answered, and all that the gate asks, too.
hardware() {
  local forms='*'
  whole || forms='every f32: cvt.rzi.u32.f32'
  cmake --preset release && cmake --build --preset release --target parity_ptx --parallel "$(build_jobs)" &&
    python3 -B ci/gpu/probe/probe.py --against ci/gpu/probe/h100.json.xz build/release/optimized/ptx/parity_ptx "$forms"
}
# The GPU lane without a GPU: every part of it, at small counts.
gpu_rehearsal() {
  cmake --build --preset release --target parity_driver_stand_in --parallel "$(build_jobs)" &&
    PARITY_GPU_PROGRAM=$program PARITY_GPU_OUT=$out/gpu PARITY_GPU_SECONDS=3600 ci/gpu.sh --rehearse
}
# Drawn models, divided among ranks in every dimension: each rank computes its part of what one process computes.
ranks() {
  local layout
  for layout in '--tp 2' '--tp 4' '--tp 8' '--ep 2' '--ep 4' '--dp 2' '--cp 2' '--cp 4' '--tp 2 --ep 2' '--tp 4 --dp 2' \
    '--ep 2 --dp 2' '--tp 2 --ep 2 --dp 2' '--tp 2 --cp 2' '--ep 2 --cp 2 --dp 2'; do
    # shellcheck disable=SC2086
    "$program" run --synthetic "$1" --cases "$(scaled 25)" $layout --candidate reference --quiet || return
  done
}
# A rank that dies, hangs, throws or runs out of memory at drawn moments is named by all others.
rank_misfortunes() {
  cmake --build --preset release --target parity_misfortune --parallel "$(build_jobs)" &&
    python3 -B ci/rank_misfortunes.py "$program" build/release/ranks/libparity_misfortune.so --seed "$seed_of_night" \
      --moments "$(scaled 200)" --engine "$(command -v mpirun >/dev/null && echo both || echo threads)"
}
# Threads that exchange messages, under the thread sanitizer.
tsan() {
  cmake --preset tsan && cmake --build --preset tsan --target parity_ranks_test --parallel "$(build_jobs)" &&
    ctest --preset tsan --tests-regex '^ranks$'
}
has_ptx() { compgen -G 'build/release/optimized/cuda/*.ptx' >/dev/null; }

battery() { "$program" battery --seed "$seed_of_night" --cases "$(scaled 1000)" "$@"; }
battery_at() { PARITY_CPU_LEVEL=$1 battery "${@:2}"; }

# can_start <command...>: whether what a part needs is here. Only 77 says that it is not: the part shows other failures.
can_start() {
  local status=0
  "$@" || status=$?
  [[ $status != 77 ]]
}

run_parts() {
  local faults='*' level seed name
  whole || faults='rms_norm-*'
  part every-fixture "$program" selftest --every-fixture --faults "$faults"
  part explain "$program" selftest --explain --faults "$faults"
  part false-alarms "$program" selftest --false-alarms "$(scaled 10000)"
  part calibration "$program" selftest --false-alarms "$(scaled 10000)" --calibration
  for seed in 21 22 23; do
    part "corruptions-$seed" "$program" selftest --corruptions "$(scaled 300)" --seed "$seed" --explain
  done
  for name in $(backends); do
    part "faults-$name" "$program" selftest --candidate "$name" --explain --faults "$faults"
  done
  part leave-one-out "$program" selftest --leave-one-out --faults "$faults"
  part drawn-own-roundings "$program" selftest --false-alarms "$(scaled 10000)" --own-roundings --seed "$seed_of_night"
  part drawn-values "$program" selftest --value-corruptions "$(scaled 500)" --seed "$seed_of_night"
  part drawn-damaged-captures "$program" selftest --damaged-captures "$(scaled 300)" --seed "$seed_of_night"
  part drawn-rank-faults "$program" selftest --ranks "$(scaled 2)" --seed "$seed_of_night"
  part judges "$program" selftest --judges --faults "$faults"
  part guards "$program" selftest --guards
  part battery-reference battery --kernel reference
  part battery-correct battery --kernel correct
  part battery-large "$program" battery --kernel correct --lanes large --large "$(scaled 20)" --seed "$seed_of_night"
  for level in $(cpu_levels); do
    part "battery-cpu-$level" battery_at "$level" --kernel cpu
    part "battery-fused-$level" battery_at "$level" --kernel cpu:fused
  done
  if ((parity_listing)) || has_ptx; then
    part battery-cuda battery --kernel cuda-host
    part battery-cuda-fused battery --kernel cuda-host:fused
    part relations-cuda "$program" relations --candidate cuda-host
    part goldens-cuda-checked "$program" run golden/data/*/ golden/cut/*/ --candidate cuda-host:checked --quiet --no-explain \
      --manifest golden/manifest-cuda-host.json
    part schedules schedules
  fi
  part battery-faults "$program" battery --faults --cases 20  # fewer do not reach every fault
  part relations "$program" relations
  part relations-cpu "$program" relations --candidate cpu
  part relations-faults "$program" relations --faults
  for name in m3 m2 text01; do
    part "models-$name" "$program" run --synthetic "$name" --cases "$(scaled 100)" --quiet
    part "ranks-$name" ranks "$name"
  done
  part rank-misfortunes rank_misfortunes
  part layer-memory layer_memory
  if ((parity_listing)) || has_ptx; then
    part mutants mutants
    part assembly assembly
    part gpu-rehearsal gpu_rehearsal
  fi
  part hardware hardware
  part readme readme
  part alone alone
  part fuzz fuzz
  for name in fuzz/*_fuzz.cpp; do
    name=$(basename "$name" _fuzz.cpp)
    part "fuzz-$name" fuzz_parser "$name"
  done
  part asan asan
  part tsan tsan
  # Kernels of released packages on the PTX machine, where the packages can be had.
  if ((parity_listing)) || { is_wanted foreign && can_start ci/foreign/run.sh --prepare; }; then
    part foreign ci/foreign/run.sh
  fi
  # Releases of other engines, where these can be had.
  if ((parity_listing)) || { is_wanted engines && can_start engines/field.py --prepare; }; then
    part engines engines/field.py --parity "$program"
  fi
}

# A row for each part, Markdown.
summary() {
  local name status seconds line
  printf '| part | result | s | last line |\n|---|---|---|---|\n'
  for name in "${parts[@]}"; do
    IFS=$'\t' read -r status seconds line <"$out/$name.result"
    printf '| %s | %s | %s | %s |\n' "$name" "$status" "$seconds" "$line"
  done
}

if ((parity_listing)); then
  wanted=('*')
  run_parts
  printf '%s\n' "${parts[@]}"
  exit 0
fi

mkdir -p "$out"
key=$(tree_key)
if [[ ! -f $out/key || $(<"$out/key") != "$key" ]]; then
  rm -f "$out"/*.result "$out"/*.log "$out/mutants.json"
  printf '%s\n' "$key" >"$out/key"
fi
if [[ ! -f $out/seed || $(<"$out/seed") != "$seed_of_night" ]]; then
  rm -f "$out"/{battery,drawn}-*.result
  printf '%s\n' "$seed_of_night" >"$out/seed"
fi

if [[ -z ${PARITY_NIGHTLY_PROGRAM:-} ]]; then
  install_packages "${parity_mpi[@]}"
  step "Build build/release/cli/parity" "read build/nightly.log and run ci/nightly.sh again"
  { cmake --preset release && cmake --build --preset release --target cli/parity --parallel "$(build_jobs)"; } >build/nightly.log 2>&1
fi

say "Seed of the battery's cases: $seed_of_night (PARITY_NIGHTLY_SEED=$seed_of_night for the same again)"
run_parts
[[ ${#parts[@]} -gt 0 ]] || die "no part matches ${wanted[*]}; see ci/nightly.sh --list"
summary | tee "$out/summary.md"
failed=()
for name in "${parts[@]}"; do
  if [[ $(cut -f1 "$out/$name.result") != pass ]]; then failed+=("$name"); fi
done
if [[ ${#failed[@]} -gt 0 ]]; then die "failed: ${failed[*]} (logs: $out)"; fi
say "Every part passed (logs: $out)"
