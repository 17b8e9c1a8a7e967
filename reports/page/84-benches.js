// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Times with intervals, curves of the table, and counters.

const sorted = (list) => [...list].map(num).filter(Number.isFinite).sort((a, b) => a - b);
const at = (list, share) => list[Math.min(list.length - 1, Math.round(share * (list.length - 1)))];
function seconds(x) {
  const [factor, unit] = x >= 1 ? [1, "s"] : x >= 1e-3 ? [1e3, "ms"] : x >= 1e-6 ? [1e6, "µs"] : [1e9, "ns"];
  return number(x * factor, 3) + " " + unit;
}
function spread(row) {
  const all = sorted([...(row.samples || []), ...(row.again || [])]);
  return all.length ? {low: at(all, 0.05), mid: at(all, 0.5), high: at(all, 0.95)} : null;
}

/** One line: from the 5th to the 95th of 100 samples, and the median, on the scale of all rows. */
function intervalPlot(of, low, high, look = "one") {
  const x = (v) => 4 + 192 * (Math.log(v) - Math.log(low)) / Math.max(Math.log(high) - Math.log(low), 1e-9);
  const plot = svg("svg", {viewBox: "0 0 200 16", role: "img", "aria-label": seconds(of.low) + " to " + seconds(of.high), class: "interval"},
    svg("line", {x1: 0, x2: 200, y1: 8, y2: 8, class: "axis"}),
    svg("line", {x1: x(of.low), x2: x(of.high), y1: 8, y2: 8, class: "line " + look}),
    svg("circle", {cx: x(of.mid), cy: 8, r: 4, class: look}));
  plot.style.minWidth = "9rem";
  return plot;
}

function benchSection(doc, other = null) {
  const rows = doc.rows.map((row) => ({row, now: spread(row), then: other && spread(other.rows.find((r) => r.name === row.name) || {})}));
  const bounds = rows.flatMap((r) => [r.now, r.then]).filter(Boolean);
  const low = Math.min(...bounds.map((b) => b.low)), high = Math.max(...bounds.map((b) => b.high));
  const change = (r) => r.now && r.then ? r.now.low > r.then.high ? h("span", {class: "bad"}, "slower, " + number(r.now.mid / r.then.mid) + "x")
    : r.now.high < r.then.low ? h("span", {class: "good"}, "faster, " + number(r.then.mid / r.now.mid) + "x") : "the intervals overlap" : "-";
  return h("section", {}, h("h2", {}, "Times"), table("Times", [
    ["case", (r) => h("code", {}, r.row.name)], ["median", (r) => r.now ? seconds(r.now.mid) : r.row.why || "-", true],
    ["90 % of samples", (r) => r.now && [intervalPlot(r.now, low, high), r.then && intervalPlot(r.then, low, high, "two")]],
    ["from … to", (r) => r.now ? seconds(r.now.low) + " … " + seconds(r.now.high) : "", true],
    other ? ["against the other", change] : ["of its peak", (r) => r.row.share > 0 ? [bar(r.row.share), " ", ofLimit(r.row.share)] : "-"],
  ], rows, (r) => r.row.unsteady ? "bad-row" : null),
    h("p", {class: "muted"}, "Dot: median of both passes. Line: 5th to 95th of 100 samples" +
      (other ? "; second line: the other document." : ".") + " One logarithmic scale for all rows."));
}

/** Speed-up curves: a line per column of the table that is a quotient, by context length. */
function curveSection(doc) {
  if (!isList(doc.rows) || doc.rows[0].context === undefined) return null;
  const names = ["dense_over_msa", "sdpa_over_msa", "layer_ratio", "published"].filter((name) =>
    doc.rows.some((row) => Number.isFinite(num(row[name]))));
  return [...new Set(doc.rows.map((row) => row.phase))].map((phase) => {
    const rows = doc.rows.filter((row) => row.phase === phase);
    const xs = rows.map((row) => Math.log2(row.context)), left = Math.min(...xs), right = Math.max(...xs);
    const tops = rows.flatMap((row) => names.map((name) => num(row[name]))).filter(Number.isFinite);
    const top = Math.max(...tops, 1.2) * 1.1, x = (c) => 50 + 380 * (right > left ? (Math.log2(c) - left) / (right - left) : 0.5);
    const y = (v) => 150 - 135 * v / top;
    const looks = ["one", "two", "soft", "axis"];
    const curves = names.map((name, k) => {
      const points = rows.filter((row) => Number.isFinite(num(row[name])));
      return [svg("polyline", {points: points.map((row) => x(row.context) + "," + y(num(row[name]))).join(" "), class: "line " + looks[k], fill: "none"}),
        points.map((row) => svg("circle", {cx: x(row.context), cy: y(num(row[name])), r: 3.5, class: looks[k]}, svg("title", {}, name + " " + number(row[name])))),
        svg("text", {x: 440, y: 24 + 16 * k}, name.replace(/_/g, " ")), svg("circle", {cx: 432, cy: 20 + 16 * k, r: 4, class: looks[k]})];
    });
    return h("section", {}, h("h2", {}, "Speed-up, " + phase), h("figure", {}, svg("svg", {viewBox: "0 0 580 185", role: "img",
      "aria-label": "Speed-up by context length, " + phase}, svg("line", {x1: 45, x2: 430, y1: y(1), y2: y(1), class: "limit"}),
      svg("line", {x1: 45, x2: 430, y1: 150, y2: 150, class: "axis"}), svg("text", {x: 40, y: y(1) + 4, "text-anchor": "end"}, "1x"),
      svg("text", {x: 40, y: y(top) + 10, "text-anchor": "end"}, number(top, 2) + "x"), curves,
      rows.map((row) => svg("text", {x: x(row.context), y: 166, "text-anchor": "middle"}, row.context >= 1024 ? row.context / 1024 + "K" : row.context)),
      svg("text", {x: 240, y: 182, "text-anchor": "middle"}, "context length"))));
  });
}

const most = (lines, n) => [...lines].sort((a, b) => b.instructions - a.instructions).slice(0, n);
function counterSection(doc) {
  return doc.cases.map((one) => h("section", {}, h("h2", {}, h("code", {}, one.name)), one.why && h("p", {}, one.why),
    one.launches.map((launch) => {
      const g = launch.total.global || {}, load = g.load || {}, store = g.store || {}, shared = launch.total.shared || {};
      const times = (bytes, ideal) => ideal > 0 ? grouped(bytes) + " (" + number(bytes / ideal) + "x ideal)" : grouped(bytes || 0);
      return [facts([["kernel", h("code", {}, launch.kernel)], ["blocks", grouped(launch.blocks)], ["instructions", grouped(launch.total.instructions || 0)],
        ["bytes read", launch.unique_bytes && times(launch.unique_bytes.read, one.ideal.read)],
        ["bytes written", launch.unique_bytes && times(launch.unique_bytes.written, one.ideal.written)],
        ["sectors", load.sectors + store.sectors > 0 && grouped(load.sectors + store.sectors) + ", at least " + grouped(load.least_sectors + store.least_sectors)],
        ["bank conflicts", shared.conflicts], ["registers", launch.assembled && launch.assembled.registers + ", " + launch.assembled.spilled_bytes + " bytes spilled"]]),
        h("details", {}, h("summary", {}, "Lines that cost most"), table("Lines that cost most", [
          ["source", (l) => h("code", {}, l.file ? l.file + ":" + l.line : "PTX line " + l.ptx_line)], ["instruction", (l) => l.opcode],
          ["instructions", (l) => grouped(l.instructions), true], ["lanes", (l) => grouped(l.lanes), true]], most(launch.lines, 25)))];
    })));
}
