# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A virtual environment for each engine and release, below build/field."""

from __future__ import annotations

import fcntl
import os
import pathlib
import sys

import packages
from processes import Absent, Failed, finish, last_lines, run
from registry import HERE, Engine, Run

ROOT = HERE.parent
BUILD = ROOT / "build" / "field"
BUILD_LIMIT_S = 7200  # llama.cpp, with one compiler at a time on a busy machine
WRITES_CAPTURES = ("h5py", "numpy")
# What `import torch` needs beside the wheel; the wheel itself is build/torch (ci/setup.sh torch).
WITH_TORCH = ("filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec", "setuptools<82", "safetensors")
LIBRARIES = ("nvidia-nvshmem-cu13", "nvidia-cufile", "nvidia-cusparselt-cu13")  # the wheel loads these, CPU or not


def pip(folder: pathlib.Path, *arguments: str) -> None:
    """Installs with the pip of this Python; without compiling, for an engine is started a few times only. Absent only
    without an index: a package that cannot be built, or a release that there is not, is a failure."""
    command = [sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "-q", "--no-compile",
               "--disable-pip-version-check", *arguments]
    done = finish(command, "pip", BUILD_LIMIT_S)
    if done.returncode:
        kind = Absent if packages.is_unreachable(done.stderr) else Failed
        raise kind(f"pip cannot install {' '.join(arguments)}:\n  {last_lines(done)}")


def torch_packages() -> pathlib.Path:
    """The folder that holds PyTorch."""
    found = list((ROOT / "build/torch").glob("lib/python3*/site-packages"))
    if not found or not (found[0] / "torch").is_dir():
        raise Absent("no PyTorch in build/torch; run ci/setup.sh torch")
    return found[0]


def torch_libraries(folder: pathlib.Path) -> None:
    """Links in BUILD/lib to the libraries that PyTorch loads and a CUDA toolkit lacks, in the first environment that
    needs them; in another one if that is gone."""
    links = BUILD / "lib"
    links.mkdir(parents=True, exist_ok=True)
    present = list(links.iterdir())
    if present and all(link.exists() for link in present):
        return
    pip(folder, "--no-deps", *LIBRARIES)
    for link in present:
        link.unlink()
    for path in sorted(folder.glob("lib/python3*/site-packages/nvidia/**/lib*.so.*")):
        (links / path.name).symlink_to(path)


def environment(engine: Engine, one: Run) -> tuple[pathlib.Path, dict]:
    """(its Python, its environment variables); installs what is not there yet."""
    wanted = [requirement.format(version=one.version, **one.given) for requirement in engine.pip]
    named = [f"{engine.name}-{one.version}", *wanted] if engine.build else wanted
    folder = BUILD / "env" / "_".join(named).replace("==", "-")
    variables = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "PYTHONPATH": str(HERE), "HF_HUB_OFFLINE": "1",
                 "TOKENIZERS_PARALLELISM": "false"}
    folder.parent.mkdir(parents=True, exist_ok=True)
    with open(folder.parent / f"{folder.name}.lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        install(wanted, engine.torch, folder)
        build(engine.build, one.version, folder)
    if engine.torch:
        variables["LD_LIBRARY_PATH"] = f"{BUILD / 'lib'}:{variables.get('LD_LIBRARY_PATH', '')}"
    return folder / "bin/python", variables


def install(wanted: list[str], torch: bool, folder: pathlib.Path) -> None:
    """An environment with these packages, made again if they, this Python or the folder of PyTorch are others."""
    requirements = (*WRITES_CAPTURES, *(WITH_TORCH if torch else ()), *wanted)
    state = "\n".join((sys.version, *requirements, str(torch_packages() if torch else "")))
    ready = folder / "ready"
    if not ready.exists() or ready.read_text(encoding="utf-8") != state:
        run([sys.executable, "-m", "venv", "--without-pip", "--clear", folder], "venv")
        pip(folder, *requirements)
        if torch:
            site = next(folder.glob("lib/python3*/site-packages"))
            (site / "torch_of_the_tree.pth").write_text(f"{torch_packages()}\n")
        ready.write_text(state, encoding="utf-8")
    if torch:
        torch_libraries(folder)


def build(script: str, version: str, folder: pathlib.Path) -> None:
    """What a release needs besides packages of pip: `script` writes it into the environment, and knows whether what is
    there is up to date."""
    if script:
        run([folder / "bin/python", HERE / script, version, folder], f"{script} {version}", limit_s=BUILD_LIMIT_S,
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
