#!/usr/bin/env python3
# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""What ci/mutate_cuda.py draws, and what it takes for found."""
import collections
import json
import pathlib
import sys
import tempfile
import time
import unittest
import unittest.mock

import mutate_cuda
from mutants import bench, draw, edits, judge, modules, ptx, results, score, source, study

KERNEL = """#ifdef __CUDACC__
__device__ float f(const P& p, int64_t n) {
  float sum = 0.0F;
  for (int64_t h = threadIdx.x; h < p.width; h += blockDim.x) sum += a[h] * b[h];  // a < b
  if (n >= p.rows) return;
  memory[lane / 4] = sum;
  __syncthreads();
  return sees(n) ? sum * scale : 0.0F;
}
#else
void host(int64_t n) { if (n < 3) return; }
#endif
"""
PTX = """.version 9.0
.visible .entry first(
)
{
	.loc	1 2 3
	setp.lt.s32 	%p1, %r1, %r2;
	@%p1 bra 	$L1;
	bar.sync 	0; // all
}
.visible .entry second(
)
{
	@%p1 bra 	$L1;
	cvt.rn.bf16.f32 %rs1, %f1;
	cp.async.wait_group 1;
}
	.file	1 "elsewhere.cu"
"""


def made_by(of: list[edits.Operator], name: str, text: str) -> list[str]:
    """The lines that the operator makes, without blanks at both ends."""
    operator = next(o for o in of if o.name == name)
    return [line.strip() for edit in operator.find(text) for line in edits.changed_lines(text, edit)[2] if line.strip()]


class Operators(unittest.TestCase):
    def test_of_source_make_the_bug_that_they_name(self):
        for name, before, after in [
                ("barrier dropped", "__syncthreads();", ";"),
                ("wait dropped", "commit_copies();", ";"),
                ("wait dropped", "ring.wait_until_full();", ";"),
                ("wait dropped", "  wait(barrier(), 0);", ";"),
                ("wait dropped", "wait_for_products<1>();", "wait_for_products<(1) + 1>();"),
                ("barrier dropped", 'asm volatile("bar.sync 1, %0;" ::"n"(8) : "memory");', ";"),
                ("bound off by one", "if (h < width) x;", "if (h <= width) x;"),
                ("tail off by one", "n = width - 1;", "n = width;"),
                ("wrong fragment", "row = lane / 4;", "row = lane % 4;"),
                ("wrong swizzle", "chunk ^ (row % 8)", "chunk + (row % 8)"),
                ("register order", "multiply_add(s, a, b[0], b[1])", "multiply_add(s, a, b[1], b[0])"),
                ("wrong stage", "load(stage ^ 1)", "load(stage)"),
                ("wrong stage", "wait(empty(stage_), turn_ ^ 1U);", "wait(empty(stage_), turn_);"),
                ("mask dropped", "x = sees ? y : 0;", "x = true ? y : 0;"),
                ("mask inverted", "if (a == b) x;", "if (a != b) x;"),
                ("scale dropped", "y = x * scale;", "y = x;"),
                ("scale squared", "y = x * scale;", "y = x * scale * scale;"),
                ("start dropped", "float sum = 0.0F;", "float sum;"),
                ("combine without rescale", "total = total * shrink + sum;", "total = total + sum;"),
                ("32-bit index", "const int64_t n = 0;", "const int32_t n = 0;"),
                ("unaligned vector", "*reinterpret_cast<uint4*>(to)", "*reinterpret_cast<uint4*>( 1 + to)"),
                ("wrong operand", "p.v", "p.k"),
                ("wrong rounding", "cvt.rn.bf16.f32", "cvt.rz.bf16.f32")]:
            self.assertIn(after, made_by(source.OPERATORS, name, before), name)
        moved = made_by(source.OPERATORS, "barrier moved", "  x = y;\n  __syncthreads();\n")
        self.assertEqual(moved, ["__syncthreads();", "x = y;"])

    def test_of_ptx_make_the_bug_that_they_name(self):
        for name, before, after in [
                ("ptx barrier dropped", "\tbar.sync 0;\n\tret;", None),
                ("ptx wait dropped", "cp.async.wait_group 1;", "cp.async.wait_group 2;"),
                ("ptx wait dropped", "wgmma.wait_group.sync.aligned 0;", "wgmma.wait_group.sync.aligned 1;"),
                ("ptx wait dropped", "wgmma.fence.sync.aligned;", None),
                ("ptx predicate negated", "@%p1 bra $L;", "@!%p1 bra $L;"),
                ("ptx bound off by one", "setp.lt.s32 %p1, %r1, %r2;", "setp.le.s32 %p1, %r1, %r2;"),
                ("ptx comparison inverted", "setp.eq.s32 %p1, %r1, 0;", "setp.ne.s32 %p1, %r1, 0;"),
                ("ptx rounding", "cvt.rn.bf16.f32 %rs1, %f1;", "cvt.rz.bf16.f32 %rs1, %f1;"),
                ("ptx operand", "sub.s32 %r1, %r2, %r3;", "sub.s32 %r1, %r3, %r2;"),
                ("ptx constant", "and.b32 %r1, %r2, 31;", "and.b32 %r1, %r2, 15;"),
                ("ptx registers", "ld.global.v2.f32 {%f1, %f2}, [%rd1];", "ld.global.v2.f32 {%f2, %f1}, [%rd1];"),
                ("ptx unaligned", "ld.global.f32 %f1, [%rd1+4];", "ld.global.f32 %f1, [%rd1+6];"),
                ("ptx start dropped", "mov.f32 %f1, 0f00000000;\nret;", "ret;"),
                ("ptx scale dropped", "mul.f32 %f1, %f2, %f3;", "mov.f32 %f1, %f2;"),
                ("ptx mask dropped", "selp.f32 %f1, %f2, 0f00000000, %p1;", "mov.f32 %f1, %f2;")]:
            made = made_by(ptx.OPERATORS, name, before)
            self.assertTrue(made == [] if after is None else after in made or made == [], (name, made))
            self.assertTrue(next(o for o in ptx.OPERATORS if o.name == name).find(before), name)

    def test_see_neither_comments_nor_the_host(self):
        file = pathlib.Path(tempfile.mkdtemp()) / "norm.cu"
        file.write_text(KERNEL, encoding="utf-8")
        module = modules.Module("norm", file, file.with_suffix(".ptx"))
        bounds = draw.of_source(module, file.parent, next(o for o in source.OPERATORS if o.name == "bound off by one"))

        self.assertEqual([choice.mutant().where for group in bounds for choice in group], ["norm.cu:4", "norm.cu:5"])
        file.unlink()
        file.parent.rmdir()


class Drawing(unittest.TestCase):
    def setUp(self):
        self.place = tempfile.TemporaryDirectory()
        root = pathlib.Path(self.place.name)
        (root / "optimized/cuda/norm").mkdir(parents=True)
        for name in ("one", "two"):
            (root / f"optimized/cuda/norm/{name}.cu").write_text(KERNEL, encoding="utf-8")
        (root / "build/optimized/cuda").mkdir(parents=True)
        self.modules = modules.found(root, root / "build")
        for module in self.modules:
            module.ptx.write_text(PTX, encoding="utf-8")
        self.root = root
        self.addCleanup(self.place.cleanup)

    def keys(self, seed: int) -> list[str]:
        return [mutant.key for mutant in draw.drawn(self.modules, self.root, seed)]

    def test_is_repeated_by_its_seed_and_draws_each_once(self):
        keys = self.keys(7)

        self.assertEqual(keys, self.keys(7))
        self.assertNotEqual(keys, self.keys(8))
        self.assertEqual(sorted(keys), sorted(set(keys)))
        self.assertEqual(set(keys), set(self.keys(8)))

    def test_takes_each_operator_of_each_module_before_a_second_of_one(self):
        mutants = list(draw.drawn(self.modules, self.root, 7))
        cells = {(m.module.name, m.operator) for m in mutants}

        self.assertEqual(len({(m.module.name, m.operator) for m in mutants[: len(cells)]}), len(cells))
        self.assertEqual({"one", "two"}, {m.module.name for m in mutants})

    def test_tells_equal_lines_of_a_kernel_apart(self):
        for module in self.modules:
            twice = PTX.replace("\tbar.sync 	0; // all\n", "\tbar.sync 	0;\n" * 2)
            module.ptx.write_text(twice, encoding="utf-8")
        draw.read.cache_clear()
        keys = [key for key in self.keys(7) if "barrier" in key and "ptx" in key]

        self.assertEqual((len(keys), len(set(keys))), (4, 4))

    def test_names_the_kernel_of_the_ptx(self):
        places = {m.where.split(":")[0] for m in draw.drawn(self.modules, self.root, 7) if m.in_ptx}

        self.assertEqual(places, {"first", "second"})

    def test_takes_ptx_that_differs_in_comments_and_places_for_the_same(self):
        other = PTX.replace(".loc\t1 2 3", ".loc\t1 9 3").replace("// all", "").replace("elsewhere", "here")

        self.assertEqual(modules.meaning(PTX), modules.meaning(other))
        self.assertNotEqual(modules.meaning(PTX), modules.meaning(PTX.replace("bar.sync \t0;", "")))


class Compiling(unittest.TestCase):
    def test_reads_the_header_that_is_mutated(self):
        with tempfile.TemporaryDirectory() as place:
            work, compiler = pathlib.Path(place), pathlib.Path(place) / "compiler"
            # Prints the header that the first -I folder holds, as nvcc would find it.
            compiler.write_text("""#!/bin/sh
for word; do case $word in
  -I*) [ -n "$first" ] || first=${word#-I} ;;
  -o) next=1 ;;
  *) [ -z "$next" ] || out=$word; next= ;;
esac; done
cat "$first/optimized/cuda/device/block_join.cuh" >"$out"
""", encoding="utf-8")
            compiler.chmod(0o755)
            module = next(m for m in modules.found(mutate_cuda.ROOT, work) if m.name == "rms_norm")
            module.ptx.parent.mkdir(parents=True)
            module.ptx.write_text(PTX, encoding="utf-8")
            header = mutate_cuda.ROOT / "optimized/cuda/device/block_join.cuh"
            at = header.read_text(encoding="utf-8").index("__syncthreads")
            edit = edits.Edit(at, at + 16, ";")
            mutant = draw.Choice(module, "barrier dropped", header, "joined_in_block", edit).mutant()
            with unittest.mock.patch.object(modules, "compile_command",
                                            return_value=[str(compiler), f"-I{mutate_cuda.ROOT}"]):
                made, why_not = bench.Bench(mutate_cuda.ROOT, work, work).mutated(mutant)

        self.assertEqual((why_not, made), ("", mutant.edit.apply(header.read_text(encoding="utf-8"))))

    def test_needs_the_ptx_of_the_build_where_nothing_is_mutated(self):
        with tempfile.TemporaryDirectory() as place:
            work = pathlib.Path(place)
            module = next(m for m in modules.found(mutate_cuda.ROOT, work) if m.name == "rms_norm")
            module.ptx.parent.mkdir(parents=True)
            module.ptx.write_text(PTX, encoding="utf-8")
            its_bench = bench.Bench(mutate_cuda.ROOT, work, work)
            for made, same in ((PTX.replace("// all", ""), True), (PTX.replace("cvt.rn", "cvt.rz"), False)):
                with self.subTest(same=same), unittest.mock.patch.object(its_bench, "compiled", return_value=made):
                    if same:
                        its_bench.require_same(module)
                    else:
                        self.assertRaisesRegex(RuntimeError, "rms_norm.cu compiles to other PTX", its_bench.require_same, module)


def battery(tap: str, reason: str) -> str:
    return json.dumps({"components": [{"component": "norm", "first": {"tap": tap, "reason": reason}}]})


class Judging(unittest.TestCase):
    def test_names_what_kills(self):
        race = "the PTX machine found in norm.cu: race: norm_f32, block (0,0,0)"

        self.assertEqual(judge.killed_by(0, "", "")[0], "")
        self.assertEqual(judge.killed_by(None, "", "")[0], "timeout")
        self.assertEqual(judge.killed_by(1, battery("out", "3 of 4 beyond"), "")[0], "wrong values")
        self.assertEqual(judge.killed_by(1, battery("", race), "")[0], "race")
        self.assertEqual(judge.killed_by(1, battery("", "norm writes outside its output out"), "")[0], "guard")
        self.assertEqual(judge.killed_by(1, battery("", "unknown opcode"), "")[0], "error")
        self.assertEqual(judge.killed_by(70, "", "crashed")[0], "error")

    def test_ends_a_child_with_its_children(self):
        began = time.monotonic()
        status, _, _ = judge.run(["sh", "-c", "sleep 60 & sleep 60"], 0.2, {})

        self.assertIsNone(status)
        self.assertLess(time.monotonic() - began, 30)  # the pipe would stay open as long as one of them lives

    def test_gives_every_place_its_checks_under_several_schedules(self):
        root = mutate_cuda.ROOT
        found = {module.name: module for module in modules.found(root, root / "build")}
        places = {name: [stage.arguments[stage.arguments.index("--kernel") + 1]
                         for stage in judge.stages(found[name], 8, 3) if "--kernel" in stage.arguments]
                  for name in ("rms_norm", "add_norm", "linear_sm90")}

        self.assertEqual([stage.schedule for stage in judge.stages(found["rms_norm"], 8, 3)], [0, 0, 1, 2, 0, 0])
        self.assertEqual(places, {
            "rms_norm": ["cuda-host"] + ["cuda-host:checked"] * 3 + ["cuda-host"],
            "add_norm": ["cuda-host:fused"] + ["cuda-host:checked:fused"] * 3 + ["cuda-host:fused"],
            "linear_sm90": ["cuda-host:sm90"] + ["cuda-host:sm90-checked"] * 3 + ["cuda-host:sm90"]})
        self.assertEqual(found["linear_sm90"].components, ["linear"])
        self.assertEqual(found["linear_sm90"].ptx.name, "linear_sm90.90a.ptx")


PROGRAM = """#!/bin/sh
# A program that starts what STARTS names, and finds the mutant `bar` where checks are on.
echo "$*" >>"$0.calls"
for kernel in STARTS; do echo "parity: kernel $kernel of one is started" >&2; done
case "$*" in *checked*) grep -q bar "$PARITY_CUDA_MODULES"/*.ptx && exit 1 ;; esac
exit 0
"""


class Studying(unittest.TestCase):
    def setUp(self):
        place = tempfile.TemporaryDirectory()
        self.addCleanup(place.cleanup)
        self.root = pathlib.Path(place.name)
        (self.root / "optimized/cuda/norm").mkdir(parents=True)
        (self.root / "build/optimized/cuda").mkdir(parents=True)
        (self.root / "optimized/cuda/norm/one.cu").write_text("", encoding="utf-8")
        self.modules = modules.found(self.root, self.root / "build")
        self.modules[0].ptx.write_text(PTX.replace("bar.sync 	0; // all", ""), encoding="utf-8")

    def started(self, starts: str, equivalents: dict[str, str]) -> study.Study:
        program = self.root / "program"
        program.write_text(PROGRAM.replace("STARTS", starts), encoding="utf-8")
        program.chmod(0o755)
        options = mutate_cuda.parsed(["--program", str(program)])
        subject = results.subject_of(self.root, self.modules, 1)
        kept = results.Results(self.root / "results.json", subject, results.harness_of(str(program)), equivalents)
        work = pathlib.Path(tempfile.mkdtemp(dir=self.root))
        return study.Study(options, bench.Bench(self.root, work, self.root / "build"), kept)

    def judged(self, of: study.Study, text: str) -> dict:
        mutants = list(draw.drawn(self.modules, self.root, 1))
        of.judge(next(mutant for mutant in mutants if mutant.kernel == "first"), text)
        return of.results.rows[-1]

    def calls(self) -> list[str]:
        return (self.root / "program.calls").read_text(encoding="utf-8").splitlines()

    def test_refuses_a_module_of_which_no_stage_starts_a_kernel(self):
        with self.assertRaisesRegex(RuntimeError, "no stage launches second of one"):
            self.started("first", {}).run(self.modules)

    def test_ends_at_the_first_stage_that_finds_the_mutant(self):
        row = self.judged(self.started("first second", {}), "bar")

        self.assertEqual((row["stage"], row["killed_by"]), ("checked, schedule 0", "wrong values"))
        self.assertEqual(len(self.calls()), 4)  # two stages, with the module as it is and with the mutant

    def test_refuses_a_module_that_fails_under_one_schedule_as_it_is(self):
        of = self.started("first second", {})
        program = self.root / "program"
        program.write_text(program.read_text(encoding="utf-8").replace(
            "exit 0", '[ "$PARITY_PTX_SEED" = 1 ] && exit 1\nexit 0'), encoding="utf-8")

        with self.assertRaisesRegex(RuntimeError, "one fails in checked, schedule 1 without a mutation"):
            self.judged(of, "other")

    def test_leaves_out_stages_that_do_not_start_the_mutated_kernel(self):
        of = self.started("second", {})
        of.results.keep_baseline("one", judge.VALUES, judge.Baseline(1.0, frozenset(["first", "second"])))
        self.judged(of, "bar")

        self.assertFalse(of.results.rows[-1]["killed_by"])
        self.assertEqual(len(self.calls()), 6)  # the mutant in values alone; three checks, lanes and guards as they are

    def test_goes_on_with_what_the_file_holds(self):
        self.judged(self.started("first second", {}), "bar")
        again = self.started("first second", {})

        self.assertEqual([row["killed_by"] for row in again.results.rows], ["wrong values"])
        self.assertTrue(again.results.knows(again.results.rows[0]["key"]))
        self.assertTrue(again.results.baseline("one", judge.VALUES))

    def test_judges_survivors_again_with_another_program_and_begins_again_with_other_kernels(self):
        missed = self.judged(self.started("first second", {}), "other")
        listed = self.started("first second", {missed["key"]: "why"})
        other = self.started("second first", {})
        self.modules[0].ptx.write_text(PTX, encoding="utf-8")

        self.assertEqual([row["equivalent"] for row in listed.results.rows], ["why"])
        self.assertEqual(other.results.rows, [])
        self.assertEqual(self.started("first second", {}).results.baselines, {})


def row(killed_by: str, equivalent: str = "") -> dict:
    return {"key": "k", "operator": "o", "module": "m", "killed_by": killed_by, "equivalent": equivalent}


class Scores(unittest.TestCase):
    def verdict(self, rows: list[dict]) -> str:
        return score.summary(rows, collections.Counter()).split("\n")[-1].split()[0]

    def test_leave_equivalents_out(self):
        rows = [row("race"), row("race"), row("", "no thread is there"), row("")]
        self.assertEqual(score.score(rows), (200 / 3, 25.0))

    def test_fail_below_the_least_and_above_the_most(self):
        self.assertEqual(self.verdict([row("race")] * 97 + [row("")] * 3), "PASS")
        self.assertEqual(self.verdict([row("race")] * 96 + [row("")] * 4), "FAIL")
        self.assertEqual(self.verdict([row("race")] * 80 + [row("", "why")] * 20), "PASS")
        self.assertEqual(self.verdict([row("race")] * 79 + [row("", "why")] * 21), "FAIL")
        self.assertEqual(self.verdict([]), "FAIL")

    def test_refuse_an_equivalent_that_was_found(self):
        with self.assertRaisesRegex(RuntimeError, "remove them"):
            score.score([row("race", "because")])

    def test_of_the_shipped_list_have_reasons(self):
        listed = json.loads(mutate_cuda.EQUIVALENTS.read_text(encoding="utf-8"))
        self.assertTrue(all(len(reason) > 20 and key.count("/") >= 3 for key, reason in listed.items()))


if __name__ == "__main__":
    sys.exit(unittest.main())
