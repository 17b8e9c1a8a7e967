#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What is installed and packaged works elsewhere: moved, from another folder, without this tree.

usage: ci/install_test.py BUILD        exit status 1 and what is wrong
"""
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
GOLDEN = "golden/data/m3-text-only-aux"
FILES = ("share/man/man1/parity.1", "share/bash-completion/completions/parity", "share/zsh/site-functions/_parity",
         "share/fish/vendor_completions.d/parity.fish", "share/parity/faults/catalogue", "share/doc/parity/LICENSE",
         "share/parity/reports/schema/report.schema.json", "share/parity/cases/tiles.json", "share/doc/parity/docs/start.md",
         "share/parity/golden/manifest.json", f"share/parity/{GOLDEN}/activations.h5")


def call(*words: str, status: int = 0, **options) -> str:
    """What it prints; anything but `status` ends the test."""
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, check=False, **options)
    printed = done.stdout + done.stderr
    if done.returncode != status:
        sys.exit(f"FAIL  {' '.join(map(str, words))}: exit status {done.returncode}, not {status}:\n{printed[-2000:]}")
    return printed


def require(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"FAIL  {what}")


def check(prefix: pathlib.Path, elsewhere: pathlib.Path) -> None:
    """Everything of an installed tree, in a folder that holds nothing and with no variable of this one."""
    for name in FILES:
        require((prefix / name).exists(), f"{prefix} lacks {name}")
    options = {"cwd": elsewhere, "env": {"PATH": f"{prefix}/bin:/usr/bin:/bin", "HOME": str(elsewhere)}}
    parity = prefix / "bin/parity"
    doctor = call(parity, "doctor", **options)
    require(str(prefix / "share/parity/golden/data") in doctor, f"doctor does not find the goldens:\n{doctor}")
    printed = doctor + call(parity, "run", GOLDEN, **options) + call(parity, "list", "goldens", **options)
    printed += call(parity, "demo", **options)
    printed += call(parity, "run", prefix / "share/parity" / GOLDEN, "--candidate", "fault:rms_norm-without-one",
                    status=1, **options)
    require("m3-text-bf16" in printed, "the embedded goldens are not listed")
    require(str(ROOT) not in printed, f"a path of the tree that was built is printed:\n{printed}")
    words = call("bash", "-c", f'source "{prefix}/share/bash-completion/completions/parity"; '
                 f'COMP_LINE="parity run golden/data/m3-text-only" COMP_POINT=36 COMP_WORDS=(parity run x); '
                 f'_parity; echo "${{COMPREPLY[*]}}"', **options)
    require(GOLDEN in words, f"completion offers {words!r}")


def packages(build: pathlib.Path, folder: pathlib.Path) -> tuple[pathlib.Path, pathlib.Path]:
    """The .deb and the .tar.gz."""
    call("cpack", "--config", build / "CPackConfig.cmake", "-B", folder, cwd=build)
    return next(folder.glob("*.deb")), next(folder.glob("*.tar.gz"))


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: ci/install_test.py BUILD", file=sys.stderr)
        return 2
    build = pathlib.Path(arguments[0]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        call("cmake", "--install", build, "--prefix", folder / "first", "--component", "program")
        os.rename(folder / "first", folder / "moved here")
        check(folder / "moved here", elsewhere)
        deb, tar = packages(build, folder / "packages")
        depends = call("dpkg-deb", "-f", deb, "Depends")
        require("libhdf5" in depends and "libc6" in depends, f"the package depends on {depends}")
        call("dpkg-deb", "-x", deb, folder / "root")
        check(folder / "root/usr", elsewhere)
        (folder / "unpacked").mkdir()
        call("tar", "-xf", tar, "-C", folder / "unpacked", "--strip-components=1")
        check(folder / "unpacked", elsewhere)
        sizes = ", ".join(f"{path.name} {path.stat().st_size / 1e6:.1f} MB" for path in (deb, tar))
    print(f"PASS  installed and moved, {sizes}; depends on {depends.strip()}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
