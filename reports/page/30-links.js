// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Addresses within the page: #/0/m3-text-bf16/layer/text 0, #/0/m3-text-bf16/tap/isolated/steps/000/…

const encode = (text) => encodeURIComponent(text).replace(/%2F/g, "/").replace(/%20/g, "+");
const decode = (text) => {
  try {
    return decodeURIComponent(text.replace(/\+/g, " "));
  } catch {
    return text;
  }
};
const documentLink = (doc) => "#/" + doc.number;
const goldenLink = (golden, options = {}) => {
  const given = Object.entries(options).filter(([, value]) => value).map(([name, value]) => name + "=" + value);
  return "#/" + golden.document.number + "/" + encode(golden.key) + (given.length ? "?" + given.join("&") : "");
};
const layerLink = (golden, layer, rankNumber = -1) => "#/" + golden.document.number + "/" + encode(golden.key) + "/layer/" +
  encode(layer || "outside") + (rankNumber >= 0 ? "?rank=" + rankNumber : "");
const tapLink = (golden, record) => "#/" + golden.document.number + "/" + encode(golden.key) + "/tap/" + record.mode + "/" +
  encode(record.tap);

/** What the address names: {document, golden, view, rest, options}. */
function route(hash) {
  const [path, query] = hash.replace(/^#\/?/, "").split("?");
  const parts = path.split("/");
  const options = Object.fromEntries((query || "").split("&").filter(Boolean).map((pair) => pair.split("=")));
  if (parts[0] === "compare") return {view: "compare", pair: Number(parts[1] || 0), options};
  return {document: Number(parts[0] || 0), golden: decode(parts[1] || ""), view: parts[2] || "", mode: parts[3] || "",
          rest: decode(parts.slice(parts[2] === "tap" ? 4 : 3).join("/")), options};
}
const isCell = (element) => element instanceof HTMLElement && element.matches(".heat a");

/** Arrow keys, Home and End move among the cells of the heat map; only one cell is a tab stop. */
function walkCells(event) {
  if (!isCell(event.target)) return;
  const rows = [...event.target.closest("table").querySelectorAll("tbody tr")].map((row) => [...row.querySelectorAll("a")]);
  const column = (cell) => (cell.closest("td, th").cellIndex);
  const y = rows.findIndex((row) => row.includes(event.target)), x = rows[y].indexOf(event.target);
  const near = (row) => row && row.reduce((best, cell) =>
    Math.abs(column(cell) - column(event.target)) < Math.abs(column(best) - column(event.target)) ? cell : best, row[0]);
  const to = {ArrowLeft: () => rows[y][x - 1], ArrowRight: () => rows[y][x + 1], ArrowUp: () => near(rows[y - 1]),
              ArrowDown: () => near(rows[y + 1]), Home: () => rows[y][0], End: () => rows[y][rows[y].length - 1]}[event.key];
  const next = to && to();
  if (!to) return;
  event.preventDefault();
  if (!next) return;
  event.target.tabIndex = -1;
  next.tabIndex = 0;
  next.focus();
}
