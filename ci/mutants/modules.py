# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Modules of CUDA kernels: their files, which components run them, and how nvcc is called."""
import dataclasses
import pathlib
import re
import shlex
import subprocess

# Components of modules that are not named as their component.
COMPONENTS = {"attention": ["attention_dense", "attention_block_sparse", "vision_attention"],
              "attention_outer": ["attention_block_sparse"],
              "norm_rope": ["norm_rope", "norm_rope_append"]}
HOPPER = "_sm90"  # files that are compiled for compute capability 9.0
ENTRY = re.compile(r"^\.visible \.entry (\w+)\(", re.MULTILINE)
INCLUDE = re.compile(r'^#include "(optimized/cuda/[^"]+)"', re.MULTILINE)


@dataclasses.dataclass(frozen=True)
class Module:
    name: str
    source: pathlib.Path  # NAME.cu
    ptx: pathlib.Path  # as the build has it

    @property
    def components(self) -> list[str]:
        name = self.name.removesuffix(HOPPER)
        return COMPONENTS.get(name, [name])

    @property
    def hopper(self) -> bool:
        return self.name.endswith(HOPPER)

    @property
    def entries(self) -> set[str]:
        """Names of its kernels."""
        return set(ENTRY.findall(self.ptx.read_text(encoding="utf-8")))

    def place(self, checked: bool) -> str:
        """What --kernel takes: where its kernels run, without or with checks."""
        if self.hopper:
            return "cuda-host:sm90-checked" if checked else "cuda-host:sm90"
        return ("cuda-host:checked" if checked else "cuda-host") + (":fused" if self.fused else "")

    @property
    def fused(self) -> bool:
        """Whether its kernels replace a chain of components."""
        return "kernels.fuse<" in self.source.read_text(encoding="utf-8")


def found(root: pathlib.Path, build: pathlib.Path) -> list[Module]:
    """Every .cu file, with the name that the build gives its PTX."""
    def ptx(stem: str) -> pathlib.Path:
        return build / "optimized/cuda" / f"{stem}.{'90a' if stem.endswith(HOPPER) else '80'}.ptx"

    return [Module(source.stem, source, ptx(source.stem)) for source in sorted((root / "optimized/cuda").glob("*/*.cu"))]


def device_files(root: pathlib.Path, source: pathlib.Path) -> list[pathlib.Path]:
    """The .cu file, and every header of device/ that it includes."""
    seen: list[pathlib.Path] = []
    waiting = [source]
    while waiting:
        file = waiting.pop(0)
        if file in seen:
            continue
        seen.append(file)
        waiting += [root / name for name in INCLUDE.findall(file.read_text(encoding="utf-8"))]
    return [file for file in seen if file.suffix in (".cu", ".cuh")]


def device_half(text: str) -> tuple[int, int]:
    """Where the code of the device stands: between the two branches of __CUDACC__, or everywhere in a header."""
    begin = text.find("#ifdef __CUDACC__")
    if begin < 0:
        return 0, len(text)
    end = text.find("\n#else", begin)
    return begin, end if end >= 0 else len(text)


def meaning(ptx: str) -> str:
    """PTX without what differs between equal kernels: comments, source lines, names for debuggers."""
    body = ptx.split("\n\t.file\t")[0].split("\n\t.section\t")[0]
    lines = (re.sub(r"//.*", "", line).strip() for line in body.split("\n"))
    return "\n".join(line for line in lines if line and not line.startswith((".loc", ".file")))


def compile_command(build: pathlib.Path, module: Module) -> list[str]:
    """How the build makes PTX, without its input, its output and what it writes beside it."""
    told = subprocess.run(["ninja", "-C", str(build), "-t", "commands", f"optimized/cuda/{module.ptx.name}"],
                          capture_output=True, text=True, check=True).stdout.strip().split("\n")[-1]
    words = shlex.split(next(part for part in told.split(" && ") if "PARITY_NVCC=" in part))
    compiler = next(word for word in words if word.startswith("PARITY_NVCC="))
    script = next(word for word in words if word.endswith("nvcc_ptx.sh"))  # it also edits the PTX
    words = words[words.index(script):]
    for flag in ("-MF", "-MT", "-o"):
        at = words.index(flag)
        del words[at: at + 2]
    return ["env", compiler, *(word for word in words if word not in ("-MD", str(module.source)))]
