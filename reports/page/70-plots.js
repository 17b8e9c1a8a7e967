// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// The plots of a tap: where errors are, how large they are, and how they grow with the values.

/** The error map as cells of SVG with the letters of its axes. */
function mapFigure(map) {
  const left = 46, top = 18, side = Math.max(4, Math.min(10, 420 / Math.max(map.rows, map.columns)));
  const width = left + map.columns * side + 4, height = top + map.rows * side + 22;
  const looks = new Map();  // one path for each colour: thousands of elements would be slow to draw and to read out
  map.budget.forEach((used, i) => {
    const x = left + (i % map.columns) * side, y = top + Math.floor(i / map.columns) * side, length = side - 0.5;
    looks.set(shade(used), (looks.get(shade(used)) || "") + "M" + x + " " + y + "h" + length + "v" + length + "h-" + length + "z");
  });
  const cells = [...looks].map(([look, d]) => svg("path", {d, class: "fill-" + look}));
  const over = map.budget.filter((used) => num(used) > 1).length;
  const title = "Map of errors: " + over + " of " + map.budget.length + " cells beyond the limit";
  const drawing = svg("svg", {viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": title}, cells,
    svg("text", {x: left, y: 12}, map.column_axis + " → " + map.column_extent),
    svg("text", {x: 2, y: top + 10}, map.row_axes || "-"), svg("text", {x: 2, y: top + 24}, "↓ " + map.row_extent));
  drawing.style.maxWidth = Math.max(width, 150) * 1.3 + "px";
  const pointed = h("p", {class: "muted", "aria-live": "off"}, "Point at a cell to see its numbers.");
  drawing.addEventListener("pointermove", (event) => {
    const box = drawing.getBoundingClientRect(), scale = width / box.width;
    const column = Math.floor(((event.clientX - box.left) * scale - left) / side);
    const row = Math.floor(((event.clientY - box.top) * scale - top) / side);
    if (column < 0 || row < 0 || column >= map.columns || row >= map.rows) return;
    const first = (cell, cells, extent) => Math.ceil(cell * extent / cells);
    const range = (cell, cells, extent) => first(cell, cells, extent) + (extent > cells ? "…" + (first(cell + 1, cells, extent) - 1) : "");
    pointed.textContent = map.column_axis + " " + range(column, map.columns, map.column_extent) + ", " + (map.row_axes || "row") + " " +
      range(row, map.rows, map.row_extent) + ": " + ofLimit(map.budget[row * map.columns + column]) + " of the limit";
  });
  return h("figure", {}, drawing, pointed, h("figcaption", {},
    "Largest budget used in each cell. Across: axis " + map.column_axis + " (" + map.column_extent + "); down: " +
    (map.row_axes || "one row") + " (" + map.row_extent + "). " + over + " of " + map.budget.length + " cells exceed the limit."));
}

const binName = (bin) => bin.from === 0 && bin.to === 0 ? "0" : num(bin.to) <= 0
  ? (num(bin.from) === -Infinity ? "<" + number(bin.to) : number(bin.from) + "…" + number(bin.to))
  : num(bin.to) === Infinity ? ">" + number(bin.from) : number(bin.from) + "…" + number(bin.to);

/** Signed error in ulp; counts on a logarithmic scale, so that a few wrong elements show among many right ones. */
function ulpFigure(picture) {
  const bins = picture.ulp, most = Math.max(...bins.map((bin) => bin.elements), 1);
  const width = 460, base = 150, step = (width - 20) / Math.max(bins.length, 1);
  const tall = (n) => n === 0 ? 0 : 12 + 108 * Math.log10(n) / Math.max(Math.log10(most), 1);
  const bars = bins.map((bin, i) => {
    const x = 10 + i * step, high = tall(bin.elements);
    return [svg("rect", {x: x + 1, y: base - high, width: Math.max(step - 2, 1), height: high, class: "one"},
                svg("title", {}, binName(bin) + " ulp: " + bin.elements)),
            svg("text", {x: x + step / 2, y: base - high - 4, "text-anchor": "middle"}, grouped(bin.elements)),
            svg("text", {x: x + step / 2, y: base + 15, "text-anchor": "middle"}, binName(bin))];
  });
  return h("figure", {}, svg("svg", {viewBox: "0 0 " + width + " 185", role: "img", "aria-label": "Histogram of signed errors in ulp"},
    svg("line", {x1: 5, x2: width - 5, y1: base, y2: base, class: "axis"}), bars,
    svg("text", {x: width / 2, y: 181, "text-anchor": "middle"}, "got − rounded, in ulp")),
    h("figcaption", {}, "Elements by signed error (counts on a logarithmic scale)." +
      (picture.no_numbers ? " " + plural(picture.no_numbers, "element") + " with NaN or infinity are left out." : "")));
}

/** Error against magnitude: a trend means precision, single octaves mean outliers. */
function magnitudeFigure(bins) {
  const shown = bins.filter((bin) => num(bin.largest) > 0 || num(bin.allowed) > 0);
  if (!shown.length) return null;
  const values = shown.flatMap((bin) => [bin.largest, bin.rms, bin.allowed]).map(num).filter((x) => x > 0 && Number.isFinite(x));
  const low = Math.floor(Math.log10(Math.min(...values))), high = Math.ceil(Math.log10(Math.max(...values)) + 1e-9);
  const width = 460, step = (width - 60) / shown.length;
  const y = (v) => 14 + 130 * (high - Math.log10(Math.max(num(v), 10 ** low))) / Math.max(high - low, 1);
  const x = (i) => 50 + (i + 0.5) * step;
  const limit = shown.map((bin, i) => num(bin.allowed) > 0 ? (x(i) - step / 2) + "," + y(bin.allowed) + " " + (x(i) + step / 2) + "," + y(bin.allowed) : "").join(" ");
  const label = (i) => shown.length <= 10 || i % Math.ceil(shown.length / 10) === 0;
  return h("figure", {}, svg("svg", {viewBox: "0 0 " + width + " 185", role: "img", "aria-label": "Errors by the magnitude of the exact value"},
    [low, high].map((e) => [svg("text", {x: 44, y: y(10 ** e) + 4, "text-anchor": "end"}, "1e" + e),
                            svg("line", {x1: 48, x2: width - 5, y1: y(10 ** e), y2: y(10 ** e), class: "axis"})]),
    shown.map((bin, i) => [
      num(bin.largest) > 0 && svg("line", {x1: x(i), x2: x(i), y1: y(bin.rms), y2: y(bin.largest), class: "axis"}),
      num(bin.largest) > 0 && svg("circle", {cx: x(i), cy: y(bin.largest), r: 4, class: num(bin.largest) > num(bin.allowed) ? "two" : "one"},
        svg("title", {}, "largest " + number(bin.largest) + ", rms " + number(bin.rms) + ", allowed " + number(bin.allowed) + ", " + plural(bin.elements, "element"))),
      num(bin.rms) > 0 && svg("circle", {cx: x(i), cy: y(bin.rms), r: 2.5, class: "soft"}),
      label(i) && svg("text", {x: x(i), y: 160, "text-anchor": "middle"}, number(bin.from, 2))]),
    svg("polyline", {points: limit, class: "limit"}),
    svg("text", {x: width / 2, y: 181, "text-anchor": "middle"}, "|exact|, by octaves")),
    h("figcaption", {}, "|got − exact|: the largest (dot) and root mean square (small dot) of each octave; dashed: the largest tolerance there."));
}
