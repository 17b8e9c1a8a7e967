// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The heat map: a row for each layer (and rank), a column for each component, the budget that is used in each cell.

function cellOf(golden, row, column, record, firstTap) {
  if (!record) return h("td", {class: "none"}, h("span", {class: "hidden"}, "not run"));
  const judged = ["pass", "fail", "mistrusted"].includes(record.status);
  const text = judged ? cellText(record.budget_used) + (record.status === "mistrusted" ? "?" : "")
                      : {error: "err", skipped: "skip"}[record.status] || "–";
  const failing = record.status === "fail" && !(num(record.budget_used) > 1);
  const look = record.status === "error" ? "o3" : failing ? "o1" : judged ? shade(record.budget_used) : record.status === "unimplemented" ? "unsure" : "idle";
  const label = column + ", " + (row.layer || "outside the layers") + (row.rank >= 0 ? ", rank " + row.rank : "") + ": " +
                (judged ? ofLimit(record.budget_used) + " of the limit, " : "") + record.status + ", " + record.short;
  return h("td", {}, h("a", {href: tapLink(golden, record), tabindex: "-1", "aria-label": label, title: label,
                             class: look + (record.status === "mistrusted" ? " unsure" : "") +
                                    (record.tap === firstTap ? " first" : "")}, failing ? "fail" : text));
}

function heatMap(golden, records, perRank, extra = {}) {
  const matrix = matrixOf(records, perRank);
  if (!matrix.rows.length) return h("p", {class: "muted"}, "Nothing was judged in this mode.");
  const first = firstWrong(golden);
  const map = h("table", {class: "heat"},
    h("caption", {}, extra.caption || "Budget used, in percent of the limit; beyond it in multiples"),
    h("thead", {}, h("tr", {}, h("td", {}), matrix.columns.map((name) => h("th", {scope: "col"}, h("span", {}, name))))),
    h("tbody", {}, matrix.rows.map((row) => h("tr", {class: row.rank >= 0 ? "rank" : null},
      h("th", {scope: "row"}, h("a", {href: layerLink(golden, row.layer, row.rank), tabindex: "-1"},
        (row.layer || "outside") + (row.rank >= 0 ? " · rank " + row.rank : ""))),
      matrix.columns.map((column) => cellOf(golden, row, column, row.cells.get(column), first && first.tap))))));
  const start = map.querySelector("td a.first") || map.querySelector("a");
  if (start) start.tabIndex = 0;
  map.addEventListener("keydown", walkCells);
  return h("div", {class: "scroll"}, map);
}

function heatKey() {
  const steps = [["h0", "0"], ["h1", "≤10 %"], ["h2", "≤25 %"], ["h3", "≤50 %"], ["h4", "≤75 %"], ["h5", "≤100 %"],
                 ["o1", "≤4x"], ["o2", "≤100x"], ["o3", "more"], ["unsure", "not shown"]];
  return h("div", {class: "key"}, "of the limit:", steps.map(([look, text]) => h("span", {class: look}, text)),
           "empty or skip: not judged · framed: first divergence");
}

function toggle(text, pressed, href) {
  return h("button", {type: "button", "aria-pressed": String(pressed), onclick: () => { location.hash = href; }}, text);
}

function heatSection(golden, options) {
  const modes = [...new Set(golden.records.map((record) => record.mode))];
  const chosen = modes.includes(options.mode) ? options.mode : modes[0];
  const several = golden.ranksOf.length > 1, perRank = several && options.ranks !== "joined";
  const records = golden.records.filter((record) => record.mode === chosen);
  return h("section", {}, h("h2", {}, "Layers and components"),
    h("div", {class: "tools"},
      h("div", {class: "group", role: "group", "aria-label": "Mode"}, modes.map((mode) =>
        toggle(mode, mode === chosen, goldenLink(golden, {mode, ranks: options.ranks})))),
      several && h("div", {class: "group", role: "group", "aria-label": "Ranks"},
        toggle("a row per rank", perRank, goldenLink(golden, {mode: chosen})),
        toggle("ranks joined", !perRank, goldenLink(golden, {mode: chosen, ranks: "joined"}))),
      h("span", {class: "muted"}, "arrow keys move, Enter opens a tap")),
    heatMap(golden, records, perRank), heatKey());
}
