// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// A golden, and one of its layers.

const shortTap = (record) => (record.rank >= 0 ? "rank " + record.rank + " · " : "") +
  (record.step ? "step " + Number(record.step) + " · " : "") + (record.layer ? record.layer + " · " : "") + record.short;

function statusTag(record) {
  const look = isGreen(record) ? "good" : isWrong(record) ? "bad" : "warn";
  return h("span", {class: look}, record.accepted ? "accepted" : record.deviation ? "rounds differently" : record.status);
}
function usage(record) {
  if (!record) return h("span", {class: "muted"}, "-");
  if (!["pass", "fail", "mistrusted"].includes(record.status)) return statusTag(record);
  return [bar(record.budget_used), " ", ofLimit(record.budget_used)];
}

function tapTable(golden, records, caption, name = (tap) => shortTap(tap.first)) {
  const modes = [...new Set(records.map((record) => record.mode))];
  const wrongIn = (tap) => Object.values(tap.modes).find(isWrong) || Object.values(tap.modes).find((r) => !isGreen(r));
  return table(caption, [
    ["tap", (tap) => h("a", {href: tapLink(golden, wrongIn(tap) || tap.first)}, h("code", {}, name(tap)))],
    ["component", (tap) => tap.first.component],
    ["status", (tap) => statusTag(wrongIn(tap) || tap.first)],
    ...modes.map((mode) => [mode, (tap) => usage(tap.modes[mode]), true]),
    ["same bits", (tap) => tap.first.elements ? ofLimit(Math.floor(1000 * tap.first.equal / tap.first.elements) / 1000) : "-", true],
    ["elements", (tap) => grouped(tap.first.elements), true],
  ], byTap(records), (tap) => (wrongIn(tap) ? "bad-row" : null));
}

/** Rows of ids that differ from the exact choice, with the margins of the scores. */
function flipSection(golden) {
  const flipping = golden.records.filter((record) => record.flips > 0);
  if (!flipping.length) return null;
  return h("section", {}, h("h2", {}, "Flips"), h("p", {class: "muted"},
    "Choices of experts or blocks that differ because scores nearly tie. Allowed up to a number that margins lead to expect."),
    table("Flips", [
      ["tap", (r) => h("a", {href: tapLink(golden, r)}, h("code", {}, shortTap(r)))], ["mode", (r) => r.mode],
      ["flips", (r) => grouped(r.flips), true],
      ["expected", (r) => r.discrete ? number(r.discrete.expected) : "-", true],
      ["smallest margin", (r) => r.discrete && r.discrete.flipped ?
        number(Math.min(...r.discrete.flipped.map((flip) => num(flip.gap)))) : "-", true],
    ], flipping));
}

function linkSection(golden) {
  if (!golden.links || !golden.links.length) return null;
  const wrong = golden.links.filter((link) => link.bytes !== link.expected);
  return h("details", {open: wrong.length > 0}, h("summary", {}, "Messages between ranks: " +
    (wrong.length ? plural(wrong.length, "count") + " that the plan does not expect" : "as many bytes as the plan expects")),
    table("Messages between ranks", [["rank", (l) => "rank " + l.rank], ["layer", (l) => l.layer < 0 ? "outside" : l.layer],
      ["received by", (l) => l.component], ["messages", (l) => grouped(l.messages), true],
      ["bytes", (l) => grouped(l.bytes), true], ["by the plan", (l) => grouped(l.expected), true]], golden.links));
}

function notesSection(golden) {
  const capture = golden.capture;
  const lines = [...(golden.notes || []), ...((capture && capture.stated) || []).map((s) => "the capture states: " + s),
                 ...((capture && capture.not_computed) || []).map((s) => "not computed: " + s)];
  return [
    golden.coverage && h("details", {}, h("summary", {}, "Coverage by component"), table("Coverage", [
      ["component", (c) => c.component], ["judged", (c) => grouped(c.judged), true], ["recorded", (c) => grouped(c.of), true],
      ["share", (c) => bar(c.of ? c.judged / c.of : 0)]], golden.coverage)),
    lines.length > 0 && h("details", {}, h("summary", {}, plural(lines.length, "remark")), h("ul", {}, lines.map((l) => h("li", {}, l)))),
  ];
}

function goldenView(golden, options) {
  const wrong = golden.records.filter((record) => !isGreen(record) && record.status !== "skipped");
  const taps = new Set(wrong.slice(0, 400).map((record) => record.tap));
  return [verdictOf(golden), heatSection(golden, options),
    wrong.length > 0 && h("section", {}, h("h2", {}, "Taps that did not pass"),
      tapTable(golden, golden.records.filter((record) => taps.has(record.tap)), "Taps that did not pass")),
    flipSection(golden), linkSection(golden), notesSection(golden)];
}

function layerView(golden, layer, options) {
  const named = layer === "outside" ? "" : layer, wanted = options.rank === undefined ? -1 : Number(options.rank);
  const records = golden.records.filter((record) => record.layer === named && (wanted < 0 || record.rank === wanted));
  const layers = [...new Set(golden.records.map((record) => record.layer))];
  const at = layers.indexOf(named), title = named || "Outside the layers";
  const link = (to, text) => to !== undefined && h("a", {href: layerLink(golden, to, wanted)}, text);
  if (!records.length) return missing("There is no layer '" + layer + "' in " + golden.key + ".");
  return [h("h1", {}, title + (wanted >= 0 ? ", rank " + wanted : "")),
    h("p", {class: "muted"}, plural(byTap(records).length, "tap") + " in plan order · ",
      link(layers[at - 1], "previous: " + (layers[at - 1] || "outside")), " ", link(layers[at + 1], "next: " + layers[at + 1])),
    tapTable(golden, records, "Taps of " + title, (tap) => (tap.first.rank >= 0 && wanted < 0 ? "rank " + tap.first.rank + " · " : "") +
      (tap.first.step ? "step " + Number(tap.first.step) + " · " : "") + tap.first.short)];
}
