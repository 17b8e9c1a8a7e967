# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Operators on the device half of CUDA C++: bugs as they are made by hand."""
import re

from mutants.edits import Operator, exchanged, rule, rules

# The statement before a barrier, and the barrier: one line each.
STEP_AND_BARRIER = r"^([^\n{}#]+;) *\n( *__sync(?:threads|warp)\(\);)"
VALUE = r"[A-Za-z_][\w.]*(?:\[[^\]\n]*\])*"

def the_other(match: re.Match) -> str:
    """The remainder for the quotient, and the quotient for the remainder."""
    return match[0].replace(match[1], "/" if match[1] == "%" else "%")


OPERATORS = [
    Operator("barrier dropped", rules(rule(r"__sync(?:threads|warp)\(\);", ";"), rule(r"\bmeet\(group\);", ";"),
                                      rule(r'asm volatile\("bar\.sync[^;]*;[^;]*;', ";"))),
    Operator("barrier moved", exchanged(STEP_AND_BARRIER, 1, 2)),
    Operator("wait dropped", rules(rule(r"wait_for_(?:copies|products)<[^;]*>\(\);", ";"),
                                   rule(r"(?<!inline void )\b(?:commit_copies|begin_products|end_products|publish_barriers)\(\);", ";"),
                                   rule(r"\b[\w.]+\.(?:wait_until_full|release)\(\);", ";"),
                                   rule(r"^( *)wait\([^;{]*\);", r"\1;"),
                                   rule(r"wait_for_(copies|products)<([^;]*)>\(\)", r"wait_for_\1<(\2) + 1>()"))),
    Operator("bound off by one", rules(rule(r" < (?=[\w(])", " <= "), rule(r" <= ", " < "), rule(r" >= ", " > "),
                                       rule(r"(?<=[\w)]) > (?=[\w(])", " >= "))),
    Operator("tail off by one", rules(rule(r"(?<=[\w)\]]) ([+-]) 1(?![\w.])", ""),
                                      rule(r" < (p\.\w+|\w+\.count|last|stages)\b", r" < \1 - 1"))),
    Operator("wrong fragment", rules(rule(r"\blane ([%/]) (\d+|kWarp)", the_other),
                                     rule(r"threadIdx\.x\)? ([%/]) (\d+|kWarp|kChunks)", the_other),
                                     rule(r"of\[i\]\[j\]\[2 \* half\]", "of[i][j][2 * half + 1]"))),
    Operator("wrong swizzle", rules(rule(r" \^ ", " + "), rule(r"__shfl_xor_sync\((.*), (\d|distance)\)",
                                                               r"__shfl_xor_sync(\1, 2 * \2)"))),
    Operator("register order", rules(exchanged(r"multiply_add\([^,;]*, [^,;]*, (b\[\d\]), (b\[\d\])\)", 1, 2),
                                     exchanged(r"packed\((\w\[\d\]), (\w\[\d\])\)", 1, 2),
                                     exchanged(r"(bits\.x), (bits\.y)", 1, 2))),
    Operator("wrong stage", rules(rule(r"\bstage \^ 1", "stage"), rule(r"\bi % (Shape::kStages)", r"(i + 1) % \1"),
                                  rule(r"stage \^= 1", "stage ^= 0"), rule(r"(\w+_) \^= 1;", ";"),
                                   rule(r"\bturn_ \^ 1U", "turn_"), rule(r"\bring_?\.go_on\(\)", "(void)0"))),
    Operator("mask dropped", rules(rule(r"[\w.!\[\]()]+(?: (?:[<>]|[<>=!]=) [\w.:\[\]()]+)? \? ", "true ? "),
                                   rule(r"^ *if \([^;\n{}]*\) (?:continue|return);", ""),
                                   rule(r" && [\w.()!\[\]:]+(?: (?:[<>]|[<>=!]=) [\w.:]+)?(?=[);& ])", ""),
                                   rule(r" & (unmasked\(tile\)|low_bits\([\w.]+\)|bits|exponents)", ""))),
    Operator("mask inverted", rules(rule(r" == ", " != "), rule(r" != ", " == "),
                                    rule(r"\bif \(([^;\n{}]*)\) (continue|return)", r"if (!(\1)) \2"),
                                    rule(r"(?<![\w)]) ?!(?=[a-z]\w*[.(\]\[ &)])", " "))),
    Operator("scale dropped", rules(rule(rf" \* (?:{VALUE})(?=[;,) ])(?! \+ \w+\.(?:stride))", ""),
                                    rule(rf" / (?:{VALUE}|static_cast<float>\([\w.]+\))(?=[;,) ])", ""))),
    Operator("scale squared", rules(rule(rf" \* ({VALUE})(?=[;,) ])", r" * \1 * \1"))),
    Operator("start dropped", rules(rule(r"(\bfloat \w+) = 0\.0F(?=[;,])", r"\1"),
                                    rule(r"(\bfloat [\w\[\]:]+)(?: = )?\{\};", r"\1;"),
                                    rule(r"(\btotal\[2\]|\bsum)\{\}", r"\1"))),
    Operator("combine without rescale", rules(rule(r"^( *)[\w.\[\] *+]+ \*= \w+;", r"\1;"), rule(r" \* shrink\b", ""))),
    Operator("32-bit index", rules(rule(r"\bint64_t\b(?=[ {(>])(?! \w+_?\[)", "int32_t"))),
    Operator("unaligned vector", rules(
        rule(r"(reinterpret_cast<(?:const )?(?:uint4|float4|uint32_t|float2)\*>\()", r"\1 1 + "),
        rule(r"(copy_async\([^,;]*,) (\w)", r"\1 1 + \2"))),
    Operator("wrong operand", rules(exchanged(r"\b(p\.residual)\b[^;]*\b(p\.branch)\b", 1, 2), rule(r"\bp\.v\b", "p.k"),
                                    rule(r"\bp\.k\b", "p.v"),
                                    rule(r"\b(a|b|k)\[?i?\]?\.y\b", lambda m: m[0][:-1] + "x"),
                                    rule(r"\bgate\b", "up"), rule(r"\bup\b", "gate"),
                                    exchanged(r"\b(\w+)\((\w+), (\w+)\)", 2, 3))),
    Operator("wrong rounding", rules(rule(r"\bcvt\.rn\b", "cvt.rz"), rule(r"\brintf\b", "truncf"),
                                     rule(r"narrow<T>\(((?:[^()]|\([^()]*\))*)\)",
                                          r"narrow<T>(widen(narrow<Bf16>(\1)))"))),
]
