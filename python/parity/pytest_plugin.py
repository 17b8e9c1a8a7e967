# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""`pytest --parity`: every kernel of a test module is judged, a test for each working type and lane (docs/python.md).

A test of your own takes the same parts by the fixture `parity_part`:

    @pytest.mark.parity(mine, cases=20)
    def test_mine(parity_part):
        parity_part.judge()

A failure is shown as the terminal shows it.
"""

from __future__ import annotations

import dataclasses

import pytest


@dataclasses.dataclass(frozen=True)
class Part:
    """The drawn cases of one kernel of one type in one lane, or the recorded calls of a golden."""

    kernel: object
    dtype: str = ""
    lane: str = ""
    golden: str = ""
    cases: int | None = None

    def __str__(self) -> str:
        return self.golden or f"{self.dtype}-{self.lane}"

    def judge(self, **options):
        """parity.judge of this part; a lane without a case (no exact cases of rms_norm in f32) skips its test."""
        import parity

        if self.golden:  # that nothing of a named golden is judged is a failure
            return parity.judge(self.kernel, golden=self.golden, quiet=True, **options)
        try:
            kernel = self.kernel.only(self.dtype)
            return parity.judge(kernel, lanes=[self.lane], cases=self.cases, quiet=True, **options)
        except parity.NotJudged as none:
            pytest.skip(last_sentence(none.verdict.text) or "no case is drawn")


def last_sentence(text: str) -> str:
    """The last line, and those that are indented because they continue it."""
    lines = text.splitlines()
    first = max((i for i, line in enumerate(lines) if not line.startswith(" ")), default=0)
    return " ".join(line.strip() for line in lines[first:])


def parts_of(kernel, cases: int | None = None, goldens=(), lanes=None) -> list[Part]:
    from parity.judging import LANES

    drawn = [Part(kernel, dtype, lane, cases=cases) for dtype in kernel.types for lane in lanes or LANES]
    return drawn + [Part(kernel, golden=golden) for golden in goldens]


def pytest_addoption(parser) -> None:
    group = parser.getgroup("parity")
    group.addoption("--parity", action="store_true", help="judge every @parity.kernel of the test modules")
    group.addoption(
        "--parity-cases", type=int, metavar="N", help="drawn cases of each type and lane (default: 20)", default=20
    )
    group.addoption(
        "--parity-golden",
        action="append",
        default=[],
        metavar="NAME",
        help="judge on the calls of this golden, too; may be repeated",
    )


def pytest_configure(config) -> None:
    config.addinivalue_line(
        "markers", "parity(kernel, cases=20, lanes=None, goldens=()): parts for the fixture parity_part"
    )


def pytest_generate_tests(metafunc) -> None:
    if "parity_part" not in metafunc.fixturenames:
        return
    marker = metafunc.definition.get_closest_marker("parity")
    if marker is None or not marker.args:
        raise pytest.UsageError(
            f"{metafunc.function.__name__} takes parity_part: mark it with @pytest.mark.parity(KERNEL)"
        )
    metafunc.parametrize("parity_part", parts_of(*marker.args, **{"cases": 20, **marker.kwargs}), ids=str)


@pytest.hookimpl(hookwrapper=True)
def pytest_pycollect_makeitem(collector, name, obj):
    outcome = yield
    if not collector.config.getoption("--parity") or type(obj).__module__ != "parity.kernels" or outcome.get_result():
        return
    if obj.__module__ != collector.obj.__name__:
        return  # imported from elsewhere, where it is judged
    options = collector.config.option
    parts = parts_of(obj, options.parity_cases, options.parity_golden)
    outcome.force_result([KernelItem.from_parent(collector, name=f"{name}[{part}]", part=part) for part in parts])


class KernelItem(pytest.Item):
    """One part of a kernel as a test."""

    def __init__(self, part: Part, **options):
        super().__init__(**options)
        self.part = part

    def runtest(self) -> None:
        self.part.judge()

    def reportinfo(self):
        code = getattr(self.part.kernel.function, "__code__", None)
        return self.path, (code.co_firstlineno - 1) if code else None, self.name


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    error = call.excinfo.value if call.excinfo else None
    if type(error).__module__ == "parity.verdicts":
        report = outcome.get_result()
        if report.failed:
            report.longrepr = error.verdict.text
