# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""A capture that an engine fills: calls to run, taps to write, and what was not computed (docs/captures.md).

Needs h5py and numpy, and imports them late: field.py reads what adapters declare without them. `parity capture init`
has written the file; a tap that the adapter neither
puts nor skips makes the run `not_shown`."""

from __future__ import annotations

import argparse
import json
import pathlib
from dataclasses import dataclass

from registry import read_options


def text(value) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


@dataclass(frozen=True)
class Call:
    """One forward call: its group `steps/NNN/`, its kind, and its inputs by name."""

    prefix: str
    kind: str
    tokens: dict  # input_ids, position_ids, attention_mask, …: (B, S) i64
    media: dict  # vision/<kind>/pixel_values: (P, F); vision/<kind>/grid_thw: (M, 3)


class Capture:
    """Opened with `with`; `unknown` lists what the engine has and the golden does not record."""

    def __init__(self, path: str, engine: str, mode: str = "r+"):
        import h5py

        self.file = h5py.File(path, mode)
        self.dtype = text(self.file.attrs["dtype"])
        self.unknown: set[str] = set()
        if mode == "r+":
            self.file.attrs.update(attention="other", experts="other", x_engine=engine)
        self.config = json.loads(text(self.file["config"][()]))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.file.close()

    def calls(self) -> list[Call]:
        """In the order in which the engine has to run them, on one cache."""
        found = []
        for name in sorted(self.file["steps"]):
            group = self.file[f"steps/{name}"]
            tokens = {key: value[()] for key, value in group["tokens"].items()} if "tokens" in group else {}
            media = {}
            for kind in group.get("vision", {}):
                media |= {f"vision/{kind}/{leaf}": group[f"vision/{kind}/{leaf}"][()]
                          for leaf in ("pixel_values", "grid_thw")}
            found.append(Call(f"steps/{name}/", text(group.attrs["kind"]), tokens, media))
        return found

    def put(self, tap: str, values, dtype: str = "") -> bool:
        """Writes a tap: values as numpy has them, in the golden's shape or one with as many elements. `dtype` is what
        the engine computed in, if it is not the golden's: the values are stored as they are then. False: no tap."""
        import numpy as np

        if tap not in self.file or "computed" not in self.file[tap].attrs:
            self.unknown.add(tap.split("/", 2)[-1])
            return False
        dataset, values = self.file[tap], np.asarray(values)
        if values.size != dataset.size:
            raise ValueError(f"{tap}: the engine has {values.shape}, the golden {dataset.shape}")
        values = values.reshape(dataset.shape)
        if dtype and dtype != text(dataset.attrs["dtype"]):
            attributes = dict(dataset.attrs)
            del self.file[tap]
            dataset = self.file.create_dataset(tap, data=values)
            dataset.attrs.update(attributes)
            dataset.attrs["dtype"] = dtype
        else:
            dataset[...] = values
        dataset.attrs["computed"] = "yes"  # last: a tap that was half written stays unfilled
        return True

    def add_cache(self, call: Call, tap: str, other: Call) -> None:
        """An empty dataset for a cache that the golden records after the call `other`, but not after `call`. What an
        operation reads is then as narrow as in the engine, in every call."""
        if call.prefix + tap not in self.file:
            like, slots = self.file[other.prefix + tap], call.tokens["attention_mask"].shape[1]
            dataset = self.file.create_dataset(call.prefix + tap, (*like.shape[:2], slots, like.shape[3]), "<f4")
            dataset.attrs.update({**like.attrs, "dtype": "f32", "computed": "no"})

    def own_weight(self, published: str, values) -> None:
        """A weight as the engine holds it, binary32, where its type or values are not those of the golden's run."""
        group = self.file.require_group("weights")
        group.attrs["own"] = "yes"
        group.create_dataset(published, data=values, dtype="<f4").attrs["dtype"] = "f32"

    def state(self, **statements: str) -> None:
        """Root attributes: rounding, function_ulps, ids_order, nothing, … as docs/captures.md lists them."""
        self.file.attrs.update(statements)


def arguments(description: str, known: dict[str, tuple[str, ...]]) -> argparse.Namespace:
    """What field.py gives every adapter: the capture, the checkpoint's folder, the release, and options of the run,
    `known` as the engine declares them."""
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    parser.add_argument("capture", help="written by `parity capture init GOLDEN CAPTURE`")
    parser.add_argument("checkpoint", type=pathlib.Path, help="the golden's folder checkpoint/")
    parser.add_argument("options", nargs="*", metavar="NAME=VALUE", help="options of the adapter")
    found = parser.parse_args()
    try:
        found.options = read_options(found.options, {"release": (), **known})
    except ValueError as error:
        parser.error(str(error))
    return found
