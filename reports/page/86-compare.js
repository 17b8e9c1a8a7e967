// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Two documents of the same kind: what became better, worse, new or lost.

function pairsOf(documents) {
  const pairs = [];
  documents.forEach((doc, i) => documents.slice(i + 1).forEach((other) => {
    if ((doc.kind || "run") === (other.kind || "run")) pairs.push([doc, other]);
  }));
  return pairs;
}

function changesOf(golden, other) {
  const key = (record) => record.mode + " " + record.tap;
  const before = new Map(other.records.map((record) => [key(record), record]));
  const changes = [];
  for (const record of golden.records) {
    const old = before.get(key(record));
    before.delete(key(record));
    const from = old ? num(old.budget_used) : 0, to = num(record.budget_used);
    if (!old) changes.push({record, old: null, order: 2, text: "new"});
    else if (old.status !== record.status)
      changes.push({record, old, order: isGreen(record) ? 1 : 0, text: old.status + " → " + record.status});
    else if (Math.abs(to - from) > 0.1 * Math.max(1, Math.abs(from)))
      changes.push({record, old, order: to > from ? 3 : 4, text: to > from ? "uses more" : "uses less"});
  }
  for (const old of before.values()) changes.push({record: old, old, order: 2, text: "gone", gone: true});
  return changes.sort((a, b) => a.order - b.order);
}

function compareGoldens(golden, other) {
  const changes = changesOf(golden, other), shown = changes.slice(0, 300);
  const count = (order) => changes.filter((change) => change.order === order).length;
  return h("section", {}, h("h2", {}, golden.key), h("p", {}, changes.length === 0 ? "No tap differs by more than a tenth of its limit."
    : [[count(0), "worse"], [count(1), "better"], [count(2), "new or gone"], [count(3), "use more of the limit"], [count(4), "use less"]]
      .filter(([n]) => n > 0).map(([n, text]) => n + " " + text).join(" · ")),
    shown.length > 0 && table("Changes of " + golden.key, [
      ["tap", (c) => h("a", {href: tapLink(c.gone ? other : golden, c.record)}, h("code", {}, shortTap(c.record)))],
      ["mode", (c) => c.record.mode],
      ["change", (c) => h("span", {class: c.order === 0 ? "bad" : c.order === 1 ? "good" : ""}, c.text)],
      ["this", (c) => c.gone ? "-" : ofLimit(c.record.budget_used), true],
      ["other", (c) => c.old ? ofLimit(c.old.budget_used) : "-", true]], shown, (c) => c.order === 0 ? "bad-row" : null),
    changes.length > 300 && h("p", {class: "muted"}, "The first 300 of " + changes.length + "."));
}

function compareRuns(doc, other) {
  const match = doc.goldens.map((golden) => [golden, other.goldens.find((o) => o.key === golden.key)]);
  const lost = other.goldens.filter((o) => !doc.goldens.some((golden) => golden.key === o.key));
  return [table("Goldens of both runs", [
      ["golden", ([g]) => h("a", {href: goldenLink(g)}, g.key)], ["this", ([g]) => wordOf(g)], ["candidate", ([g]) => g.candidate || "-"],
      ["other", ([, o]) => o ? wordOf(o) : "not run"], ["candidate of the other", ([, o]) => (o && o.candidate) || "-"]], match,
      ([g, o]) => o && rank(g.verdict) > rank(o.verdict) ? "bad-row" : null),
    lost.length > 0 && h("p", {class: "warn"}, "Only in the other: " + lost.map((o) => o.key).join(", ")),
    match.filter(([, o]) => o).map(([g, o]) => compareGoldens(g, o))];
}

function compareStudies(doc, other) {
  const names = [...new Set([...Object.keys(doc.summary || {}), ...Object.keys(other.summary || {})])];
  const value = (of, name) => of.summary && of.summary[name] !== undefined ? plainValue(of.summary[name]) : "-";
  return names.length ? table("Summaries", [["figure", (name) => name.replace(/_/g, " ")], ["this", (name) => value(doc, name), true],
    ["other", (name) => value(other, name), true]], names) : h("p", {class: "muted"}, "Documents of this kind are not compared.");
}

function compareView([doc, other]) {
  const body = doc.isRun ? compareRuns(doc, other) : doc.kind === "bench" ? benchSection(doc, other) : compareStudies(doc, other);
  return [h("h1", {}, (doc.isRun ? "Two runs" : "Two documents of " + doc.kind) + " compared"),
    facts([["this", h("code", {}, doc.command)], ["other", h("code", {}, other.command)]]), body];
}
