# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""The results of a study, in a file: a study that is ended goes on."""
import hashlib
import json
import pathlib

from mutants import draw, judge, modules


def subject_of(root: pathlib.Path, of: list[modules.Module], seed: int) -> str:
    """What was mutated: sources, PTX and the seed, wherever they lie. Rows of another subject say nothing."""
    files = sorted({file for module in of for file in modules.device_files(root, module.source)})
    told = hashlib.sha256(f"{seed} {[module.name for module in of]}".encode())
    for file in files:
        told.update(file.read_bytes())
    for module in of:
        told.update(modules.meaning(module.ptx.read_text(encoding="utf-8")).encode())
    return told.hexdigest()


def harness_of(program: str) -> str:
    """What judged: the program, and the stages. With another one, survivors that nobody explained are judged again."""
    told = hashlib.sha256(pathlib.Path(program).read_bytes())
    told.update(pathlib.Path(judge.__file__).read_bytes())
    return told.hexdigest()


class Results:
    def __init__(self, file: pathlib.Path | None, subject: str, harness: str, equivalents: dict[str, str]):
        self.file, self.subject, self.harness, self.equivalents = file, subject, harness, equivalents
        self.rows: list[dict] = []
        self.redrawn: dict[str, str] = {}  # why, by key
        self.baselines: dict[str, dict[str, judge.Baseline]] = {}
        if file and file.exists():
            self._read(json.loads(file.read_text(encoding="utf-8")))

    def _read(self, told: dict) -> None:
        if told.get("subject") != self.subject:
            print(f"{self.file} is of other kernels or another seed; all mutants are tested again", flush=True)
            return
        self.redrawn = told["redrawn"]
        same = told["harness"] == self.harness
        for row in told["mutants"]:
            row["equivalent"] = self.equivalents.get(row["key"], "")
            if same or row["killed_by"] or row["equivalent"]:
                self.rows.append(row)
        if same:
            self.baselines = {module: {stage: judge.Baseline(seconds, frozenset(started))
                                       for stage, (seconds, started) in stages.items()}
                              for module, stages in told["baselines"].items()}

    def write(self) -> None:
        if not self.file:
            return
        baselines = {module: {stage: (base.seconds, sorted(base.started)) for stage, base in stages.items()}
                     for module, stages in self.baselines.items()}
        told = {"subject": self.subject, "harness": self.harness, "redrawn": self.redrawn, "baselines": baselines,
                "mutants": self.rows}
        fresh = self.file.with_suffix(".part")  # a run that is ended while it writes leaves the last results
        fresh.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        fresh.replace(self.file)

    def knows(self, key: str) -> bool:
        return key in self.redrawn or any(row["key"] == key for row in self.rows)

    def baseline(self, module: str, stage: str) -> judge.Baseline | None:
        return self.baselines.get(module, {}).get(stage)

    def keep_baseline(self, module: str, stage: str, made: judge.Baseline) -> None:
        self.baselines.setdefault(module, {})[stage] = made
        self.write()

    def draw_again(self, key: str, why: str) -> None:
        self.redrawn[key] = why
        self.write()

    def keep(self, mutant: draw.Mutant, outcome: judge.Outcome) -> dict:
        row = {"key": mutant.key, "module": mutant.module.name, "operator": mutant.operator, "where": mutant.where,
               "before": mutant.before, "after": mutant.after, "killed_by": outcome.killed_by, "stage": outcome.stage,
               "seconds": round(outcome.seconds, 1), "detail": outcome.detail[:300],
               "equivalent": self.equivalents.get(mutant.key, "")}
        self.rows.append(row)
        self.write()
        return row
