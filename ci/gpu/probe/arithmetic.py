# SPDX-FileCopyrightText: The parity authors
# SPDX-License-Identifier: Apache-2.0
"""Forms of one thread: arithmetic, comparisons, conversions, bits, atomics. Source: PTX ISA 9.0, section 9.7."""
from forms import Form, simple

REALS = """
{add,sub,mul}{,.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32 f32 f32 f32
fma{.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32 f32 f32 f32 f32
div{.rn,.rz,.rm,.rp}{,.ftz}.f32 f32 f32 f32
{rcp,sqrt}{.rn,.rz,.rm,.rp}{,.ftz}.f32 f32 f32
{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.f32 f32 f32 f32
{neg,abs}{,.ftz}.f32 f32 f32
copysign.{f32 f32 f32 f32,f64 f64 f64 f64}
testp.{finite,infinite,number,notanumber,normal,subnormal}.{f32 pred f32,f64 pred f64}
{add,sub,mul}{,.rn,.rz,.rm,.rp}.f64 f64 f64 f64
fma{.rn,.rz,.rm,.rp}.f64 f64 f64 f64 f64
div{.rn,.rz,.rm,.rp}.f64 f64 f64 f64
{rcp,sqrt}{.rn,.rz,.rm,.rp}.f64 f64 f64
{min,max}.f64 f64 f64 f64
{neg,abs}.f64 f64 f64
{add,sub,mul}{,.rn}{,.ftz}{,.sat}.{f16 f16 f16 f16,f16x2 f16x2 f16x2 f16x2}
fma.rn{,.ftz}{,.sat,.relu}.{f16 f16 f16 f16 f16,f16x2 f16x2 f16x2 f16x2 f16x2}
{min,max}{,.ftz}{,.NaN}{,.xorsign.abs}.{f16 f16 f16 f16,f16x2 f16x2 f16x2 f16x2}
{neg,abs}{,.ftz}.{f16 f16 f16,f16x2 f16x2 f16x2}
{add,sub,mul}{,.rn}.{bf16 bf16 bf16 bf16,bf16x2 bf16x2 bf16x2 bf16x2}
fma.rn{,.relu}.{bf16 bf16 bf16 bf16 bf16,bf16x2 bf16x2 bf16x2 bf16x2 bf16x2}
{min,max}{,.NaN}{,.xorsign.abs}.{bf16 bf16 bf16 bf16,bf16x2 bf16x2 bf16x2 bf16x2}
{neg,abs}.{bf16 bf16 bf16,bf16x2 bf16x2 bf16x2}
"""

APPROXIMATE = """
{rcp,sqrt,rsqrt,ex2,lg2,sin,cos}.approx{,.ftz}.f32 f32 f32
tanh.approx.f32 f32 f32
div{.approx,.full}{,.ftz}.f32 f32 f32 f32
{rcp,rsqrt}.approx.ftz.f64 f64 f64
rsqrt.approx.f64 f64 f64
ex2.approx.{f16 f16 f16,f16x2 f16x2 f16x2}
ex2.approx.ftz.{bf16 bf16 bf16,bf16x2 bf16x2 bf16x2}
tanh.approx.{f16 f16 f16,f16x2 f16x2 f16x2,bf16 bf16 bf16,bf16x2 bf16x2 bf16x2}
"""

COMPARISONS = """
setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}{,.ftz}.f32 pred f32 f32
setp.{eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan}.{f64 pred f64 f64,f16 pred f16 f16,bf16 pred bf16 bf16}
setp.{eq,ne,lt,le,gt,ge}.{s16 pred b16 b16,s32 pred b32 b32,s64 pred b64 b64}
setp.{eq,ne,lo,ls,hi,hs,lt,le,gt,ge}.{u16 pred b16 b16,u32 pred b32 b32,u64 pred b64 b64}
set.{lt,geu,nan}{,.ftz}.{u32,s32,f32}.f32 b32 f32 f32
set.{lt,geu}.{f16,u16}.f16 b16 f16 f16
set.{lt,geu}.f16x2.f16x2 b32 f16x2 f16x2
set.{lt,geu}.{bf16,u16}.bf16 b16 bf16 bf16
set.{lt,hs}.{u32,f32}.u32 b32 b32 b32
slct.{b32,f32}.s32 b32 b32 b32 b32
slct{,.ftz}.b32.f32 b32 b32 b32 f32
"""

INTEGERS = """
{add,sub,min,max}.{s16 b16 b16 b16,u16 b16 b16 b16,s32 b32 b32 b32,u32 b32 b32 b32,s64 b64 b64 b64,u64 b64 b64 b64}
{add,sub}.sat.s32 b32 b32 b32
{min,max}.relu.s32 b32 b32 b32
{min,max}.{s16x2,u16x2} b32 b32 b32
add.{s16x2,u16x2} b32 b32 b32
{mul,mul24}.{lo,hi}.{s32,u32} b32 b32 b32
mul.{lo,hi}.{s16 b16 b16 b16,u16 b16 b16 b16,s64 b64 b64 b64,u64 b64 b64 b64}
mul.wide.{s16 b32 b16 b16,u16 b32 b16 b16,s32 b64 b32 b32,u32 b64 b32 b32}
{mad,mad24}.{lo,hi}.{s32,u32} b32 b32 b32 b32
mad.{lo,hi}.{s16 b16 b16 b16 b16,u16 b16 b16 b16 b16,s64 b64 b64 b64 b64,u64 b64 b64 b64 b64}
mad.wide.{s16 b32 b16 b16 b32,u16 b32 b16 b16 b32,s32 b64 b32 b32 b64,u32 b64 b32 b32 b64}
mad.hi.sat.s32 b32 b32 b32 b32
sad.{s16 b16 b16 b16 b16,u16 b16 b16 b16 b16,s32 b32 b32 b32 b32,u32 b32 b32 b32 b32,s64 b64 b64 b64 b64}
{div,rem}.{s16 b16 b16 b16,u16 b16 b16 b16,s32 b32 b32 b32,u32 b32 b32 b32,s64 b64 b64 b64,u64 b64 b64 b64}
{abs,neg}.{s16 b16 b16,s32 b32 b32,s64 b64 b64}
{popc,clz,brev}.b32 b32 b32
{popc,clz}.b64 b32 b64
brev.b64 b64 b64
bfind{,.shiftamt}.{s32 b32 b32,u32 b32 b32,s64 b32 b64,u64 b32 b64}
bfe.{s32 b32 b32 small small,u32 b32 b32 small small,s64 b64 b64 smallx80 smallx80,u64 b64 b64 smallx80 smallx80}
bfe.{s32,u32} b32 b32 b32 b32
bfi.{b32 b32 b32 b32 small small,b64 b64 b64 b64 smallx80 smallx80}
bfi.b32 b32 b32 b32 b32 b32
{shl,shr}.{b16 b16 b16 small,b32 b32 b32 small,b64 b64 b64 smallx80}
shr.{s16 b16 b16 small,s32 b32 b32 small,s64 b64 b64 smallx80,u32 b32 b32 b32}
shf.{l,r}.{clamp,wrap}.b32 b32 b32 b32 small
{and,or,xor}.{b16 b16 b16 b16,b32 b32 b32 b32,b64 b64 b64 b64}
{not,cnot}.{b16 b16 b16,b32 b32 b32,b64 b64 b64}
lop3.b32 b32 b32 b32 b32 | {0x01,0x6a,0xe8,0xca,0x96}
prmt.b32{,.f4e,.b4e,.rc8,.ecl,.ecr,.rc16} b32 b32 b32 b32
{dp4a,dp2a.lo,dp2a.hi}.{s32,u32}.{s32,u32} b32 b32 b32 b32
fns.b32 b32 b32 small b32
bmsk.{clamp,wrap}.b32 b32 b32 b32
szext.{clamp,wrap}.{s32,u32} b32 b32 small
{vadd,vsub,vabsdiff,vmin,vmax}.{s32,u32}.{s32,u32}.{s32,u32}{,.sat} b32 b32 b32
{vadd2,vsub2,vabsdiff2,vmin2,vmax2,vavrg2}.{s32,u32}.{s32,u32}.{s32,u32} b32 b32 b32 b32
{vadd4,vsub4,vabsdiff4,vmin4,vmax4,vavrg4}.{s32,u32}.{s32,u32}.{s32,u32} b32 b32 b32 b32
"""

CONVERSIONS = """
cvt{.rn,.rz,.rm,.rp}.f32.{s32 f32 b32,u32 f32 b32,s64 f32 b64,u64 f32 b64,s16 f32 b16,u8 f32 b32,s8 f32 b32}
cvt{.rn,.rz,.rm,.rp}.{f16.s32 f16 b32,f16.u64 f16 b64,bf16.s32 bf16 b32,bf16.u64 bf16 b64,f64.s64 f64 b64}
cvt{.rn,.rz}.f16.f64 f16 f64
cvt{.rn,.rz}{,.relu}.bf16.f32 bf16 f32
cvt{.rn,.rz}{,.ftz}{,.sat}.f16.f32 f16 f32
cvt{.rn,.rz}{,.relu}{,.satfinite}.{f16x2,bf16x2}.f32 b32 f32 f32
cvt{.rn,.rz}{,.relu}{,.satfinite}.tf32.f32 b32 f32
cvt.rna{,.satfinite}.tf32.f32 b32 f32
cvt{,.ftz}{,.sat}.f32.{f16 f32 f16,bf16 f32 bf16}
cvt{,.sat}.f64.{f32 f64 f32,f16 f64 f16}
cvt{.rn,.rz,.rm,.rp}{,.ftz}{,.sat}.f32.f64 f32 f64
cvt{.rni,.rzi,.rmi,.rpi}{,.ftz}{,.sat}.f32.f32 f32 f32
cvt{.rni,.rzi,.rmi,.rpi}.{f16.f16 f16 f16,f64.f64 f64 f64,bf16.bf16 bf16 bf16}
cvt{.rni,.rzi,.rmi,.rpi}{,.ftz}.{s32.f32 b32 f32,u32.f32 b32 f32,s64.f32 b64 f32,u64.f32 b64 f32,u16.f32 b16 f32}
cvt{.rni,.rzi,.rmi,.rpi}.{s8.f32 b32 f32,u8.f32 b32 f32,s32.f64 b32 f64,u64.f64 b64 f64}
cvt{.rni,.rzi,.rmi,.rpi}.{s32.f16 b32 f16,u32.bf16 b32 bf16}
cvt{,.sat}.{s8.s32 b32 b32,u8.s32 b32 b32,s8.u32 b32 b32,u16.s32 b16 b32}
cvt{,.sat}.{s16.s64 b16 b64,u32.s64 b32 b64,s64.s32 b64 b32}
cvt{,.sat}.{u64.s32 b64 b32,s32.u64 b32 b64,s32.s8 b32 b32,u32.u8 b32 b32,s32.s16 b32 b16,u64.u16 b64 b16}
cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f32 b16 f32 f32
cvt.rn.satfinite{,.relu}.{e4m3x2,e5m2x2}.f16x2 b16 f16x2
cvt.rn{,.relu}.f16x2.{e4m3x2,e5m2x2} b32 b16
cvt.pack.sat.{s16,u16}.s32 b32 b32 b32
cvt.pack.sat.{s8,u8}.s32.b32 b32 b32 b32 b32
"""


def carries() -> list[Form]:
    """Extended precision: the carry goes from one instruction to the next."""
    chains = {"add": "add.cc.u32 o0, i0, i1; addc.cc.u32 o1, i1, i2; addc.u32 o2, i2, i0;",
              "sub": "sub.cc.u32 o0, i0, i1; subc.cc.u32 o1, i1, i2; subc.u32 o2, i2, i0;",
              "mad": "mad.lo.cc.u32 o0, i0, i1, i2; madc.hi.cc.u32 o1, i0, i1, i2; madc.lo.u32 o2, i1, i2, i0;"}
    return [Form(f"{name}.cc.u32 chain", ("b32",) * 3, ("b32",) * 3, text) for name, text in chains.items()]


ATOMIC = {"add": ("u32", "u64", "f32", "f64"), "min": ("s32", "u32", "s64", "u64"), "max": ("s32", "u32", "s64", "u64"),
          "and": ("b32", "b64"), "or": ("b32", "b64"), "xor": ("b32", "b64"), "exch": ("b32", "b64"),
          "inc": ("u32",), "dec": ("u32",)}
ATOMIC_HALF = {"add.noftz": ("f16", "f16x2", "bf16", "bf16x2")}


def drawn_as(kind: str) -> str:
    return kind if kind[0] in "fb" and kind[1:2] not in "36" or kind in ("f32", "f64") else "b" + kind[1:]


def atomics() -> list[Form]:
    """Each lane has a cell of its own: what was there, and what is there afterwards."""
    found = []
    for names in (ATOMIC, ATOMIC_HALF):
        for what, kinds in names.items():
            for kind in kinds:
                drawn = drawn_as(kind)
                size = "b64" if kind.endswith("64") else "b16" if kind in ("f16", "bf16") else "b32"
                found.append(Form(f"atom.global.{what}.{kind}", (drawn, drawn), (drawn, drawn),
                                  f"st.global.{size} [%cell], i0; atom.global.{what}.{kind} o0, [%cell], i1; "
                                  f"ld.global.{size} o1, [%cell];"))
                found.append(Form(f"atom.shared.{what}.{kind}", (drawn, drawn), (drawn, drawn),
                                  f"shl.b32 t0, %thread, 3; add.u32 t0, t0, %base; st.shared.{size} [t0], i0; "
                                  f"atom.shared.{what}.{kind} o0, [t0], i1; ld.shared.{size} o1, [t0];",
                                  fill="b32", shared=1024))
                if what.startswith("add"):
                    found.append(Form(f"red.global.{what}.{kind}", (drawn, drawn), (drawn,),
                                      f"st.global.{size} [%cell], i0; red.global.{what}.{kind} [%cell], i1; "
                                      f"ld.global.{size} o0, [%cell];"))
    found += [Form("atom.global.add.v4.f32", ("f32",) * 8, ("f32",) * 4,
                   "st.global.v4.b32 [%cell], {i0, i1, i2, i3}; atom.global.v4.f32.add {o0, o1, o2, o3}, [%cell], "
                   "{i4, i5, i6, i7}; ld.global.v4.b32 {o0, o1, o2, o3}, [%cell];"),
              Form("atom.global.cas.b32", ("b32", "b32"), ("b32", "b32"),
                   "st.global.b32 [%cell], i0; atom.global.cas.b32 o0, [%cell], i0, i1; ld.global.b32 o1, [%cell];")]
    return found


def forms() -> list[Form]:
    return [*simple(REALS), *simple(APPROXIMATE, loose="approximate"), *simple(COMPARISONS), *simple(INTEGERS),
            *simple(CONVERSIONS), *carries(), *atomics()]
