// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The verdict: what is wrong first, where, and why.

const kWords = {fail: "BROKEN", error: "ERROR", mistrusted: "NOT SHOWN", unimplemented: "NOT SHOWN", skipped: "NOT SHOWN",
                not_recorded: "NOT SHOWN", pass: "holds", not_run: "NOT RUN"};
const tone = (status) => status === "pass" ? "tone-good" : status === "fail" || status === "error" ? "tone-bad" : "tone-warn";
const wordOf = (thing) =>
  thing.class === "rounds_differently" && thing.verdict === "fail" ? "ROUNDS DIFFERENTLY" : kWords[thing.verdict] || thing.verdict;

function firstWrong(golden) {
  const first = golden.first_divergence;
  return (first && golden.records.find((r) => r.tap === first.tap && (isWrong(r) || r.deviation))) ||
         golden.records.find(isWrong) || null;
}
const shownClass = (golden) => ({conforms: "the oracle's bits where they are claimed", wrong: "wrong under every way to round",
  rounds_differently: "right, rounded another way", not_shown: "not shown to be right"}[golden.class]);

function causesOf(golden) {
  if (golden.causes && golden.causes.length) {
    return golden.causes.map((cause) => {
      const what = ["fault", "parameter", "function", "profile"].find((name) => cause[name]);
      return h("p", {class: "cause"}, what ? [what + " ", h("code", {}, cause[what]), ": "] : null, cause.text,
               h("span", {class: "muted"}, ", explains " + ofLimit(cause.explains) + " of the failing taps"));
    });
  }
  const first = golden.first_divergence;
  return first && first.explanation ? h("p", {class: "cause"}, first.explanation) : null;
}
function valuesOf(golden, tap) {
  const first = golden.first_divergence;
  if (!first || !first.values || first.tap !== tap) return null;
  return first.values.kind + ": " + first.values.detail + " (" + ofLimit(first.values.explains) + " of the wrong elements)";
}
function extent(record) {
  if (!record.elements) return null;
  const used = num(record.budget_used);
  const limit = used === Infinity ? "none may deviate" : ofLimit(used) + (used > 1 ? " the limit" : " of the limit");
  return limit + ", " + grouped(record.failed) + " of " + grouped(record.elements) + " elements beyond it";
}
function worstText(record) {
  const worst = record.worst;
  if (!worst || !worst.index.length) return null;
  return (worst.at || "[" + worst.index.join(", ") + "]") + ": exact " + number(worst.exact, 6) + " (" + record.dtype + ": " +
         number(worst.rounded, 6) + "), got " + number(worst.got, 6) + " (" + number(worst.ulp) + " ulp)";
}

function verdictOf(golden) {
  const green = golden.verdict === "pass", record = green ? null : firstWrong(golden);
  const first = green ? null : golden.first_divergence;
  const rounding = new Set(golden.records.filter((r) => r.deviation).map((r) => r.tap)).size;
  const others = golden.records.filter((r) => isWrong(r) && (!record || r.tap !== record.tap));
  const names = [...new Set(others.map((r) => r.tap))];
  return h("section", {class: "verdict " + tone(golden.verdict), "aria-label": "Verdict"},
    h("h1", {}, h("span", {class: "word"}, wordOf(golden)), golden.name || golden.path),
    h("p", {class: "muted"}, [golden.candidate && "candidate " + golden.candidate, golden.layout, golden.oracle,
      golden.taps_judged + " taps judged", shownClass(golden)].filter(Boolean).join(" · ")),
    facts([
      ["why", golden.reason],
      ["first", record ? h("a", {href: tapLink(golden, record)}, h("code", {}, record.tap)) : first && h("code", {}, first.tap)],
      ["", record && [record.component, extent(record)].filter(Boolean).join(": ")],
      ["cause", !green && causesOf(golden)],
      ["rounding", rounding > 0 && plural(rounding, "tap") + (rounding === 1 ? " rounds" : " round") + " differently: right, with other bits"],
      ["ranks", golden.ranks && golden.ranks.text],
      ["where", record && record.where],
      ["worst", record && worstText(record)],
      ["says", record && record.reason],
      ["values", record && valuesOf(golden, record.tap)],
      ["repeat", record && command(record.repro)],
      ["also", names.length > 0 && plural(names.length, "more tap") + " fail" + (names.length === 1 ? "s" : "")],
      ["not shown", golden.not_shown && h("ul", {}, golden.not_shown.slice(0, 8).map((why) => h("li", {}, why)))],
    ]));
}
