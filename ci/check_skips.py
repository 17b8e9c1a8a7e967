#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Nothing is green that was not executed: fails when ctest skipped a test that is not on the short list below.

usage: ci/check_skips.py CTEST.XML        (JUnit, as `ctest --output-junit` writes it)
"""
import pathlib
import sys
import xml.etree.ElementTree as ElementTree

# Test: why it may be skipped. Every entry must name a test that exists.
ALLOWED = {
    "cli.CaptureCommand.IsFilledByTheExample": "needs h5py and numpy, which parity does not",
    **{f"python.{file}": "needs packages of Python (ci/setup.sh python)" for file in (
        "arrays", "hostile", "imports", "judge", "pytest_plugin", "recordings", "serving")},
    **{f"python.{file}": "needs torch, jax or mlx: up to 3 GB"
       for file in ("op", "other_arrays", "page", "torch", "triton")},
    **{f"optimized.DriverPlaceWithDriver.{claim}": "cuda.driver runs it, with a stand-in of the driver" for claim in (
        "HoldsWhatIsWrittenFilledAndCleared", "RunsKernels", "TimesWhatAGraphHolds",
        "SaysWhatAGraphCannotHold", "CopiesFromTheHostAsPartOfAGraph", "FlushesByLinesOfACache",
        "LaunchesOneGraphAsOftenAsAsked", "RunsNothingWhileItRecords", "RefusesToRecordWhatAGraphCannotHold",
        "KnowsItsRoom", "FillsWithPatternsOfAnyLength", "NamesTheKernelOfARefusedLaunch",
        "NamesTheKernelThatFailedAndRunsNothingAfterIt", "ShowsWhatTheDriversCompilerSays")},
    **{f"optimized.DriverStandIn.{claim}": "cuda.driver runs it" for claim in (
        "WritesTensorMapsByTheRulesOfTheDriver", "RefusesMemoryAndWaitingDuringACapture")},
    "optimized.DriverPlace.SaysWhatToDoWithoutADriver": "of machines without an NVIDIA driver",
    **{f"optimized.MachineKernels.{claim}": "needs nvcc, which is optional" for claim in (
        "AreCountedInTheThreadThatAsks", "AreThereForEachComputeCapabilityFromEight", "CheckShapes", "NameTheModuleAndTheKernelThatAreMissing",
        "RunAtTheirPlaceAlone", "WithChecksReadNothingThatNobodyWrote")},
    **{f"benches.CountedKernels.{claim}": "needs nvcc, which is optional" for claim in (
        "AreTheSameTwiceAndWithSeveralWorkers", "ASampleIsNotJudgedAndSaysSo", "FailTheGateByTwoPercent",
        "FollowTheSchemaAndComeBack", "NeedWhatTheAssemblerSays")},
    **{f"benches.CountedTableKernels.{claim}": "needs nvcc, which is optional" for claim in (
        "BytesInClosedFormAreThoseOfAFullLaunch", "ASampleScalesToWhatTheWholeLaunchCosts",
        "KeysThatNobodySelectsAreNotCounted", "CostTheSameWhateverTheOperandsHold")},
    **{f"benches.SparseChoiceKernels.{claim}": "needs nvcc, which is optional" for claim in (
        "OfTheVariantUnionAreAlwaysComputedTogether",
        "TokensWithMuchInCommonAreComputedTogetherAndOthersByKeyBlock")},
    "cases.Beside.ComparesTheKernelsOfTwoBackends": "needs nvcc, which is optional",
    "golden.HostileFilesTest.AFileThatMayNotBeReadIsNamed": "the superuser may read everything",
}


def violations(junit: str, allowed: dict[str, str]) -> list[str]:
    """One line per test that was not run without leave, per entry of the list that names no test, and for no tests at all."""
    root = ElementTree.fromstring(junit)
    cases = [case for case in root.iter("testcase") if case.get("name")]
    names = {case.get("name") for case in cases}
    found = [] if cases else ["no test was run"]
    for case in cases:
        skip = case.find("skipped")
        if (skip is None and case.get("status") == "run") or case.get("status") == "fail":
            continue
        if case.get("name") not in allowed:
            message = (skip.get("message") if skip is not None else "") or case.get("status") or "no reason given"
            found.append(f"{case.get('name')} was not run ({message}): make it run, or list it with a reason")
    found += [f"{name} is on the list of skips and is no test: take it off" for name in sorted(set(allowed) - names)]
    return found


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: ci/check_skips.py CTEST.XML", file=sys.stderr)
        return 2
    path = pathlib.Path(arguments[0])
    if not path.is_file():
        print(f"ci/check_skips.py: {path} is not there; run ctest first", file=sys.stderr)
        return 1
    found = violations(path.read_text(encoding="utf-8"), ALLOWED)
    for line in found:
        print(f"ci/check_skips.py: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
