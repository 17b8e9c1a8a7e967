// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// One tap: its error and what is known of it.

function worstTable(record) {
  const axes = record.axes ? record.axes.split(",") : [];
  const at = (index) => index.map((i, k) => (axes[k] || "") + " " + i).join(", ");
  const list = record.picture ? record.picture.worst : record.worst && record.worst.index.length
    ? [Object.assign({budget_used: record.budget_used}, record.worst)] : [];
  if (!list.length) return null;
  return h("section", {}, h("h2", {}, list.length > 1 ? "Worst elements" : "Worst element"), table("Worst elements", [
    ["at", (e) => h("code", {}, at(e.index))], ["exact", (e) => number(e.exact, 7), true],
    ["as " + record.dtype, (e) => number(e.rounded, 7), true], ["got", (e) => number(e.got, 7), true],
    ["ulp", (e) => (record.picture && num(e.ulp) > 0 ? "+" : "") + number(e.ulp), true], ["of the limit", (e) => ofLimit(e.budget_used), true]], list));
}

function boundText(record) {
  const b = record.bound;
  if (!b || !num(b.tolerance)) return null;
  const terms = [["rounding", b.rounding], ["noise", b.noise], ["oracle", b.oracle], ["last rounding", b.last], ["drift", b.drift]];
  return number(b.tolerance) + " at the worst element; of " +
         terms.filter(([, v]) => num(v) > 0).map(([name, v]) => name + " " + number(v)).join(", ");
}

function slicesSection(record) {
  const slices = (record.slices || []).filter((s) => s.positions > 1);
  if (!slices.length) return null;
  return h("section", {}, h("h2", {}, "Worst slices"), table("Worst slices", [
    ["slice", (s) => s.axis + " " + s.position + " of " + s.positions], ["elements beyond the limit", (s) => grouped(s.failed), true],
    ["of the limit", (s) => [bar(s.budget_used), " ", ofLimit(s.budget_used)], true]], slices));
}

function choiceSection(record) {
  const d = record.discrete;
  if (!d) return null;
  return h("section", {}, h("h2", {}, "Choices"), facts([
    ["rows", grouped(d.rows)], ["violations", grouped(d.violations)],
    ["flips", grouped(d.flips) + ", expected " + number(d.expected)], ["score error", "at most " + number(d.delta)]]),
    d.flipped && table("Flipped rows with their margins", [
      ["row", (f) => "sequence " + f.sequence + ", token " + f.token], ["chosen", (f) => f.chosen, true],
      ["instead of", (f) => f.left_out, true], ["margin", (f) => number(f.gap), true],
      ["error of both scores", (f) => number(f.reach), true]], d.flipped));
}

function otherRecords(golden, record) {
  const modes = golden.records.filter((other) => other.tap === record.tap);
  const ranks = golden.records.filter((other) => record.rank >= 0 && other.mode === record.mode && other.step === record.step &&
    other.layer === record.layer && other.short === record.short);
  const group = (label, list, name) => list.length > 1 && h("div", {class: "group", role: "group", "aria-label": label},
    list.map((other) => toggle(name(other) + (isGreen(other) ? "" : " ✕"), other === record, tapLink(golden, other))));
  return h("div", {class: "tools"}, group("Mode", modes, (other) => other.mode), group("Rank", ranks, (other) => "rank " + other.rank));
}

function aboutTap(golden, record, data) {
  const bits = record.bit_equal, noise = record.noise, bias = record.bias;
  return facts([
    ["status", h("span", {}, statusTag(record), record.elements ? " · " + extent(record) : "")],
    ["says", record.reason], ["where", record.where], ["values", valuesOf(golden, record.tap)],
    ["accepted", record.accepted], ["rounding", record.deviation && record.deviation.text + " (cost " + number(record.deviation.cost) + ")"],
    ["component", record.component + (record.variant ? ", " + record.variant : "")], ["span", record.span && record.span.join(", ")],
    ["shape", record.shape && "(" + record.axes.split(",").map((a, i) => a + " " + record.shape[i]).join(", ") + ") " + record.dtype],
    ["tolerance", boundText(record)],
    ["bits", bits && bits.total > 0 && grouped(bits.equal) + " of " + grouped(bits.total) + " as rounded, " +
      plural(bits.near_ties, "near-tie") + ", farthest " + number(bits.max_ulp) + " ulp"],
    ["bias", bias && num(bias.z) !== 0 && number(bias.z) + " standard errors in " + (bias.where || "the tap")],
    ["error", noise && num(noise.error) > 0 && number(noise.error) + " times the oracle's (root mean square)"],
    ["unnoticed", record.unnoticed && record.unnoticed.join("; ")],
    ["repeat", command(record.repro)],
    ["", !record.detailed && "This page has no more of this tap, to stay small (left out: " + data.left_out + "). The command above shows it."],
  ]);
}

function tapView(golden, tap, mode, data) {
  const record = golden.records.find((r) => r.tap === tap && r.mode === mode) || golden.records.find((r) => r.tap === tap);
  if (!record) return missing("There is no tap '" + tap + "' in " + golden.key + ".");
  const picture = record.picture;
  return [h("h1", {}, h("code", {}, shortTap(record))), h("p", {class: "muted"}, h("code", {}, record.tap)),
    otherRecords(golden, record), aboutTap(golden, record, data),
    picture && h("section", {}, h("h2", {}, "Errors"), h("div", {class: "columns"},
      h("div", {class: "panel"}, h("h3", {}, "Where"), mapFigure(picture.map)),
      h("div", {class: "panel"}, h("h3", {}, "How large"), ulpFigure(picture), magnitudeFigure(picture.magnitude)))),
    worstTable(record), slicesSection(record), choiceSection(record)];
}
