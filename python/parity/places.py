# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Where goldens and captures are."""

from __future__ import annotations

import pathlib

from parity import program
from parity.signatures import nearest

FOLDERS = ("", "golden/data", "golden/cut", "golden/processors")


def folder_of(golden) -> pathlib.Path:
    """The folder of a golden: an open one, a path, or the name of one that comes with the program.

    Raises FileNotFoundError with the nearest name.
    """
    given, known = pathlib.Path(getattr(golden, "folder", golden)), []
    for root in [pathlib.Path("/")] if given.is_absolute() else program.shared():
        for below in FOLDERS:
            if (root / below / given / "activations.h5").is_file():
                return (root / below / given).resolve()
            if below and (root / below).is_dir():
                known += [path.name for path in (root / below).iterdir()]
    raise FileNotFoundError(
        f"{given} is no golden{nearest(given.name, known)}; `parity list goldens` names those that "
        "come with the program"
    )


def place_of(recording) -> str:
    """The path of a golden, of a capture, or of either that is open."""
    if hasattr(recording, "put"):
        return str(recording.path)
    if hasattr(recording, "folder") or not pathlib.Path(recording).is_file():
        return str(folder_of(recording))
    return str(recording)
