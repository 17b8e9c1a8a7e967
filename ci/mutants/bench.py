# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Where mutants are built: a copy of the device sources, and a folder of modules that holds the mutant alone."""
import pathlib
import shutil

from mutants import draw, judge, modules


class Bench:
    def __init__(self, root: pathlib.Path, work: pathlib.Path, build: pathlib.Path):
        self.root, self.build, self.tree, self.folder = root, build, work / "tree", work / "modules"
        shutil.copytree(root / "optimized/cuda", self.tree / "optimized/cuda")
        self.folder.mkdir()

    def compiled(self, module: modules.Module) -> str:
        """The PTX of the copy; "" where nvcc refuses it."""
        out = self.folder.parent / "mutant.ptx"
        command = modules.compile_command(self.build, module)
        source = self.tree / module.source.relative_to(self.root)
        # The copy's headers come first: those of the repository would hide an edit.
        command.insert(next(i for i, word in enumerate(command) if word.startswith("-I")), f"-I{self.tree}")
        status, _, _ = judge.run([*command, "-o", str(out), str(source)], 900, {})
        return out.read_text(encoding="utf-8") if status == 0 else ""

    def require_same(self, module: modules.Module) -> None:
        """The copy has to compile to the PTX of the build: else every mutant differs from it, also one that changes nothing."""
        if modules.meaning(self.compiled(module)) != modules.meaning(module.ptx.read_text(encoding="utf-8")):
            raise RuntimeError(f"{module.source} compiles to other PTX than {module.ptx}; build {module.ptx.name} again")

    def mutated(self, mutant: draw.Mutant) -> tuple[str, str]:
        """PTX of the mutant, and why there is none: "does not compile" or "same PTX"."""
        text = mutant.file.read_text(encoding="utf-8")
        if mutant.in_ptx:
            return mutant.edit.apply(text), ""
        copy = self.tree / mutant.file.relative_to(self.root)
        copy.write_text(mutant.edit.apply(text), encoding="utf-8")
        made = self.compiled(mutant.module)
        copy.write_text(text, encoding="utf-8")
        if not made:
            return "", "does not compile"
        built = mutant.module.ptx.read_text(encoding="utf-8")
        return (made, "") if modules.meaning(made) != modules.meaning(built) else ("", "same PTX")

    def install(self, module: modules.Module, ptx: str) -> None:
        for old in self.folder.iterdir():
            old.unlink()
        (self.folder / module.ptx.name).write_text(ptx, encoding="utf-8")
