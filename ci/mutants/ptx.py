# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Operators on PTX: bugs as a compiler, or a hand that writes assembler, makes them."""
import re

from mutants.edits import Operator, exchanged, rule, rules

REGISTER = r"%\w+"
COMPARISONS = {"lt": "le", "le": "lt", "gt": "ge", "ge": "gt", "eq": "ne", "ne": "eq"}


def one_more_group(match: re.Match) -> str:
    return match[1] + str(int(match[2]) + 1)


def other_bit(match: re.Match) -> str:
    return match[1] + str(int(match[2]) ^ 16)


def further(match: re.Match) -> str:
    return f"{match[1]}+{int(match[2] or 0) + 2}]"


OPERATORS = [
    Operator("ptx barrier dropped", rule(r"^[ \t]*(?:@!?%p\d+ )?(?:bar|barrier)\.[\w.]+[^;]*;", "")),
    Operator("ptx wait dropped", rules(rule(r"^[ \t]*cp\.async\.(?:wait_group|commit_group|wait_all)[^;]*;", ""),
                                       rule(r"^[ \t]*wgmma\.(?:fence|commit_group|wait_group)\.[^;]*;", ""),
                                       rule(r"^[ \t]*(?:fence|membar|mbarrier\.arrive)\.[^;]*;", ""),
                                       rule(r"((?:cp\.async|wgmma)\.wait_group[\w.]*[ \t]+)(\d+)", one_more_group))),
    Operator("ptx predicate negated", rule(r"^([ \t]*)@(!?)(%p\d+)", lambda m: f"{m[1]}@{'' if m[2] else '!'}{m[3]}")),
    Operator("ptx bound off by one", rule(r"(\bsetp\.)(lt|le|gt|ge)(?=\.[su])", lambda m: m[1] + COMPARISONS[m[2]])),
    Operator("ptx comparison inverted", rule(r"(\bsetp\.)(eq|ne)(?=\.)", lambda m: m[1] + COMPARISONS[m[2]])),
    Operator("ptx rounding", rules(rule(r"\bcvt\.rn(?=\.(?:bf16|f16|bf16x2)\.)", "cvt.rz"),
                                   rule(r"\bcvt\.rni\b", "cvt.rzi"))),
    Operator("ptx operand", rules(
        exchanged(rf"\b(?:sub|div|shl|shr|setp)\.[\w.]+[ \t]+{REGISTER}, ({REGISTER}), ({REGISTER});", 1, 2),
        exchanged(rf"\bselp\.[\w.]+[ \t]+{REGISTER}, ([%\w]+), ([%\w]+), %p", 1, 2),
        exchanged(rf"\bfma\.[\w.]+[ \t]+{REGISTER}, {REGISTER}, ({REGISTER}), ({REGISTER});", 1, 2))),
    Operator("ptx constant", rules(rule(r"(\b(?:and|xor)\.b32[ \t]+%r\d+, %r\d+, )(\d+)(?=;)", other_bit),
                                   rule(r"(\b(?:shl|shr)\.[bus]\d+[ \t]+%\w+, %\w+, )(\d+)(?=;)", one_more_group),
                                   rule(r"(\badd\.s(?:32|64)[ \t]+%\w+, %\w+, )(-?\d+)(?=;)", one_more_group))),
    Operator("ptx registers", rules(exchanged(r"\bmma\.[\w.]+[^;]*?\},[^{;]*\{(%\w+), ?(%\w+)", 1, 2),
                                    exchanged(r"\bmma\.[^;]*?\},[^{;]*\{[^}]*\},[^{;]*\{(%\w+), ?(%\w+)\}", 1, 2),
                                    exchanged(r"\bldmatrix\.[\w.]+[ \t]+\{(%\w+), ?(%\w+)", 1, 2),
                                    exchanged(r"\b(?:ld|st)\.[\w.]*v\d[^;{]*\{(%\w+), ?(%\w+)", 1, 2))),
    Operator("ptx unaligned", rule(
        r"(\b(?:ld|st)\.(?:global|shared)[\w.]*[ \t]+(?:\{[^}]*\}, )?(?:%\w+, )?\[%\w+)(?:\+(\d+))?\]", further)),
    Operator("ptx start dropped", rule(r"^[ \t]*mov\.(?:b32|f32)[ \t]+%[rf]\d+, 0f00000000;", "")),
    Operator("ptx scale dropped", rule(rf"\bmul(?:\.rn)?\.f32([ \t]+{REGISTER}, {REGISTER}), [^;]*;", r"mov.f32\1;")),
    Operator("ptx mask dropped", rule(rf"\bselp\.([\w]+)([ \t]+{REGISTER}, [%\w]+), [%\w]+, %p\d+;", r"mov.\1\2;")),
]
