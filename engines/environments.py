# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A virtual environment for each engine and release, below build/field."""

from __future__ import annotations

import fcntl
import hashlib
import os
import pathlib
import subprocess
import sys

from processes import Absent
from registry import HERE, Engine, Run

ROOT = HERE.parent
BUILD = ROOT / "build" / "field"
WRITES_CAPTURES = ("h5py", "numpy")
# What `import torch` needs beside the wheel; the wheel itself is build/torch (ci/setup.sh torch).
WITH_TORCH = ("filelock", "typing-extensions", "sympy", "networkx", "jinja2", "fsspec", "setuptools<82", "safetensors")
LIBRARIES = ("nvidia-nvshmem-cu13", "nvidia-cufile", "nvidia-cusparselt-cu13")  # the wheel loads these, CPU or not


def pip(folder: pathlib.Path, *arguments: str) -> None:
    """Installs with the pip of this Python; without compiling, for an engine is started a few times only."""
    command = [sys.executable, "-m", "pip", "--python", folder / "bin/python", "install", "-q", "--no-compile",
               "--disable-pip-version-check", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise Absent(f"pip cannot install {' '.join(arguments)}: {done.stderr.strip().splitlines()[-1]}")


def torch_packages() -> pathlib.Path:
    """The folder that holds PyTorch."""
    found = list((ROOT / "build/torch").glob("lib/python3*/site-packages"))
    if not found or not (found[0] / "torch").is_dir():
        raise Absent("no PyTorch in build/torch; run ci/setup.sh torch")
    return found[0]


def torch_libraries(folder: pathlib.Path) -> pathlib.Path:
    """Links to the libraries that PyTorch loads and a CUDA toolkit lacks."""
    links = BUILD / "lib"
    if not links.is_dir():
        pip(folder, "--no-deps", *LIBRARIES)
        links.mkdir()
        for path in sorted(folder.glob("lib/python3*/site-packages/nvidia/**/lib*.so.*")):
            (links / path.name).symlink_to(path)
    return links


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
    if not (folder / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--clear", folder], check=True)
        pip(folder, *WRITES_CAPTURES, *(WITH_TORCH if torch else ()), *wanted)
        if torch:
            site = next(folder.glob("lib/python3*/site-packages"))
            (site / "torch_of_the_tree.pth").write_text(f"{torch_packages()}\n")
            torch_libraries(folder)
        (folder / "ready").touch()


def build(script: str, version: str, folder: pathlib.Path) -> None:
    """What a release needs besides packages of pip: `script` writes it into the environment, again if it or a C++ file
    of the adapters has changed."""
    if not script:
        return
    files = [HERE / script, *sorted((HERE / "adapters").glob("llama_cpp_*.?pp"))]
    state = hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
    built = folder / "built"
    if built.exists() and built.read_text(encoding="utf-8") == state:
        return
    done = subprocess.run([folder / "bin/python", HERE / script, version, folder], capture_output=True, text=True,
                          env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
    if done.returncode:
        raise Absent(f"{script} cannot build {version}: {done.stderr.strip()}")
    built.write_text(state, encoding="utf-8")
