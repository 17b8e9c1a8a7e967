// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The documents of the page: runs with their records, and what other commands wrote.

const kRow = ["tap", "component", "mode", "status", "layer", "elements", "failed", "budget_used", "relative_error", "equal",
              "flips"];

/** "ranks/03/steps/000/text/layers/07/mlp/out" is of rank 3, of the row "text 7", and short "mlp/out". */
function placeOf(tap) {
  const parts = tap.split("/");
  const rank = parts[0] === "ranks" ? Number(parts[1]) : -1;
  const rest = rank >= 0 ? parts.slice(2) : parts;
  const step = rest[0] === "steps" ? rest[1] : "";
  const own = step ? rest.slice(2) : rest;
  const at = own.indexOf("layers");
  if (at < 0) return {rank, step, layer: "", short: own.join("/")};
  return {rank, step, layer: [...own.slice(0, at), Number(own[at + 1])].join(" "), short: own.slice(at + 2).join("/")};
}

function recordsOf(golden) {
  return golden.rows.map((row, i) => {
    const record = Object.assign({}, golden.details[i]);
    kRow.forEach((name, k) => { record[name] = row[k]; });
    record.tap = golden.taps[row[0]];
    record.component = golden.components[row[1]];
    record.detailed = i in golden.details;
    return Object.assign(record, placeOf(record.tap), {layerNumber: row[4]});
  });
}

const isWrong = (record) => record.status === "fail" || record.status === "error";
const isGreen = (record) => record.status === "pass";
const rank = (status) => ["skipped", "not_recorded", "pass", "unimplemented", "mistrusted", "error", "fail"].indexOf(status);

/** The worse of two records for a cell: by status, then by the budget that is used. */
function worse(a, b) {
  if (!a) return b;
  if (rank(a.status) !== rank(b.status)) return rank(a.status) > rank(b.status) ? a : b;
  const x = num(a.budget_used), y = num(b.budget_used);
  return Number.isNaN(y) || y > x ? b : a;
}

/** Rows of the heat map: layers in plan order; "" holds what is in no layer. */
function matrixOf(records, perRank) {
  const rows = new Map();
  for (const record of records) {
    const key = perRank ? record.layer + "|" + record.rank : record.layer;
    if (!rows.has(key)) rows.set(key, {layer: record.layer, rank: perRank ? record.rank : -1, cells: new Map(), worst: null});
    const row = rows.get(key);
    row.cells.set(record.component, worse(row.cells.get(record.component), record));
    row.worst = worse(row.worst, record);
  }
  const columns = [...new Set(records.map((record) => record.component))];
  const order = [...new Set(records.map((record) => record.layer))].sort((a, b) => a === "" ? -1 : b === "" ? 1 : 0);
  const listed = [...rows.values()].sort((a, b) => order.indexOf(a.layer) - order.indexOf(b.layer) || a.rank - b.rank);
  return {columns, rows: listed};
}

/** Taps with their record in each mode, in plan order. */
function byTap(records) {
  const taps = new Map();
  for (const record of records) {
    if (!taps.has(record.tap)) taps.set(record.tap, {tap: record.tap, first: record, modes: {}});
    taps.get(record.tap).modes[record.mode] = record;
  }
  return [...taps.values()];
}

function load() {
  const data = JSON.parse(document.getElementById("data").textContent);
  const names = new Map();
  for (const [i, doc] of data.documents.entries()) {
    doc.number = i;
    doc.isRun = !doc.kind;
    for (const golden of doc.isRun ? doc.goldens : []) {
      const count = (names.get(i + golden.name) || 0) + 1;
      names.set(i + golden.name, count);
      golden.key = (golden.name || golden.path || "golden") + (count > 1 ? "~" + count : "");
      golden.records = recordsOf(golden);
      golden.document = doc;
      golden.ranksOf = [...new Set(golden.records.map((record) => record.rank))].filter((r) => r >= 0);
    }
  }
  return data;
}
