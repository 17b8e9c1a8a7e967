// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Documents of commands other than run: what is common to all, and the matrix of selftest.

const isList = (value) => Array.isArray(value) && value.length > 0 && value.every((row) => row && typeof row === "object");
const plainValue = (value) => value === null ? "-" : typeof value === "number" ? number(value, 4) : typeof value === "boolean"
  ? (value ? "yes" : "no") : typeof value === "string" ? value : Array.isArray(value) ? value.map(plainValue).join(", ")
  : Object.entries(value).map(([name, v]) => name + " " + plainValue(v)).join(", ");

/** Any list of objects as a table: columns are the names that its rows have. */
function anyTable(title, rows) {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter((name) => !rows.some((row) => isList(row[name])));
  if (!names.length) return null;
  const isNumber = (name) => rows.every((row) => row[name] === undefined || typeof row[name] === "number");
  const bad = (row) => ["fail", "survived", "broken"].includes(row.status || row.verdict) || row.failed > 0 ? "bad-row" : null;
  return h("section", {}, h("h2", {}, title.replace(/_/g, " ")), table(title, names.map((name) =>
    [name.replace(/_/g, " "), (row) => row[name] === undefined ? "-" : plainValue(row[name]), isNumber(name)]),
    rows.slice(0, 1000), bad), rows.length > 1000 && h("p", {class: "muted"}, "The first 1000 of " + rows.length + "."));
}

function studyHead(doc) {
  const summary = Object.entries(doc.summary || {}).filter(([, value]) => typeof value !== "object");
  const single = Object.entries(doc).filter(([name, value]) => typeof value !== "object" && !["schema_version", "kind", "verdict",
    "command", "number", "isRun"].includes(name));
  return h("section", {class: "verdict " + tone(doc.verdict === "not_run" ? "skipped" : doc.verdict), "aria-label": "Verdict"},
    h("h1", {}, h("span", {class: "word"}, {pass: "holds", fail: "BROKEN"}[doc.verdict] || "NOT RUN"), doc.kind.replace(/_/g, " ")),
    facts([...(doc.headlines || []).map((line) => ["", line]), ...[...summary, ...single].slice(0, 16).map(([name, value]) =>
      [name.replace(/_/g, " "), name.endsWith("rate") || name.startsWith("share") ? ofLimit(value) : plainValue(value)]),
      ["repeat", command(doc.command)]]));
}

/** Rows are faults, columns are goldens; a cell says by how many thresholds the fault shows there. */
function selftestMatrix(doc) {
  const planted = doc.faults.filter((fault) => fault.fixtures && fault.fixtures.length);
  const name = (path) => path.replace(/\/+$/, "").split("/").pop();
  const columns = [...new Set(planted.flatMap((fault) => fault.fixtures.map((f) => name(f.fixture))))];
  if (!columns.length) return null;
  const cell = (fault, column) => {
    const found = fault.fixtures.find((f) => name(f.fixture) === column);
    if (!found) return h("td", {class: "none"}, h("span", {class: "hidden"}, "not planted"));
    const seen = found.verdict === "fail", times = num(found.signal_over_threshold);
    const text = !seen ? "no" : !Number.isFinite(times) ? "yes" : times >= 1000 ? times.toExponential(0).replace("e+", "e") : number(times, 2);
    return h("td", {}, h("span", {class: seen ? (times >= 4 ? "h4 cell" : "h2 cell") : "o1 cell",
      title: fault.id + " on " + column + ": " + (seen ? "noticed, " + number(times) + " thresholds" : "not noticed") + ", " +
             plural(found.changed_taps || 0, "tap") + " changed"}, text));
  };
  return h("section", {}, h("h2", {}, "Faults by golden"),
    h("p", {class: "muted"}, "How many thresholds the fault exceeds; no: planted and not noticed; empty: not planted there."),
    h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": "Faults by golden"}, h("table", {class: "heat"},
      h("caption", {class: "hidden"}, "Faults by golden"),
      h("thead", {}, h("tr", {}, h("td", {}), columns.map((c) => h("th", {scope: "col"}, h("span", {}, c))))),
      h("tbody", {}, planted.map((fault) => h("tr", {}, h("th", {scope: "row", title: fault.title}, fault.id),
        columns.map((c) => cell(fault, c))))))));
}

function faultTable(doc) {
  return h("section", {}, h("h2", {}, "Faults"), table("Faults", [
    ["fault", (f) => h("code", {}, f.id)], ["what it does", (f) => f.title], ["component", (f) => f.component],
    ["status", (f) => h("span", {class: f.status === "killed" ? "good" : f.status === "survived" ? "bad" : "muted"}, f.status)],
    ["first wrong tap", (f) => f.named_tap ? h("code", {}, f.named_tap) : "-"], ["taps off", (f) => f.distance === undefined ? "-" : f.distance, true],
    ["thresholds", (f) => number(f.signal_over_threshold), true]], doc.faults, (f) => (f.status === "survived" ? "bad-row" : null)));
}

function studyView(doc) {
  const lists = Object.entries(doc).filter(([name, value]) => isList(value) && name !== "headlines");
  const own = doc.kind === "selftest" && isList(doc.faults) ? [selftestMatrix(doc), faultTable(doc)]
    : doc.kind === "bench" ? [benchSection(doc)] : doc.kind === "table" ? [curveSection(doc)]
    : doc.kind === "counters" ? [counterSection(doc)] : [];
  const hidden = {selftest: ["faults"], bench: ["rows"], counters: ["cases"], table: []}[doc.kind] || [];
  return [studyHead(doc), own, lists.filter(([name]) => !hidden.includes(name)).map(([name, rows]) => anyTable(name, rows))];
}
