// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Elements, and numbers as the terminal prints them.
"use strict";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
  return element;
}
const h = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
const svg = (tag, attributes, ...children) =>
  fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);

/** Numbers that JSON lacks are strings. */
const num = (value) => (typeof value === "string" ? Number(value) : value);

function number(value, digits = 3) {
  const x = num(value);
  if (x === null || x === undefined) return "-";
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "NaN" : x > 0 ? "∞" : "-∞";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e6 || size < 1e-3) return x.toExponential(digits - 1).replace("e+", "e");
  return String(Number(x.toPrecision(digits)));
}
const grouped = (n) => String(n).replace(/\B(?=(\d{3})+(?!\d))/g, "\u202f");
const plural = (n, word) => grouped(n) + " " + word + (n === 1 ? "" : "s");

/** The used share of a limit: "43 %", and beyond the limit "6.95x". */
function ofLimit(used) {
  const x = num(used);
  if (Number.isNaN(x)) return "NaN";
  if (x === Infinity) return "none may deviate";
  if (x > 1) return x < 1.005 ? ">1x" : number(x) + "x";
  return x === 0 ? "0" : number(100 * x, 2) + " %";
}
/** The same in the two or three characters of a cell. */
function cellText(used) {
  const x = num(used);
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "NaN" : "∞";
  if (x > 1) return (x >= 1000 ? x.toExponential(0).replace("e+", "e") : x >= 9.95 ? Math.round(x) : x.toFixed(1)) + "x";
  return x === 0 ? "0" : x < 0.005 ? "<1" : String(Math.min(Math.round(100 * x), 100));
}
/** The class of a colour: h0 (nothing used) to h5 (at the limit), o1 to o3 beyond it. */
function shade(used) {
  const x = num(used);
  if (Number.isNaN(x)) return "o3";
  if (x > 1) return x <= 4 ? "o1" : x <= 100 ? "o2" : "o3";
  return x === 0 ? "h0" : x <= 0.1 ? "h1" : x <= 0.25 ? "h2" : x <= 0.5 ? "h3" : x <= 0.75 ? "h4" : "h5";
}

function bar(used) {
  const x = num(used), width = Number.isFinite(x) ? Math.min(100, Math.max(x > 0 ? 2 : 0, 100 * x)) : 100;
  const inner = h("i", {class: x > 1 || Number.isNaN(x) ? "over" : ""});
  inner.style.width = width + "%";
  return h("span", {class: "bar", "aria-hidden": "true"}, inner);
}

function command(text) {
  if (!text) return null;
  const button = h("button", {type: "button", "aria-label": "Copy the command"}, "copy");
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(text);
      button.textContent = "copied";
    } catch {  // pages of files may not write to the clipboard: select the text instead
      getSelection().selectAllChildren(button.previousElementSibling);
      button.textContent = "selected";
    }
    setTimeout(() => { button.textContent = "copy"; }, 1500);
  });
  return h("div", {class: "command"}, h("code", {}, text), button);
}

/** A list of [term, content]; entries without content are left out. */
function facts(entries) {
  const shown = entries.filter(([, content]) => content !== null && content !== undefined && content !== "" &&
                                                content !== false);
  return h("dl", {class: "facts"}, shown.map(([term, content]) => [h("dt", {}, term), h("dd", {}, content)]));
}

/** A table that scrolls by itself. `columns`: [title, cell of a row, is a number]. The first column heads the rows. */
function table(caption, columns, rows, rowClass = () => null) {
  const head = h("tr", {}, columns.map(([title, , n]) => h("th", {scope: "col", class: n ? "n" : null}, title)));
  const body = rows.map((row) => h("tr", {class: rowClass(row)}, columns.map(([, cell, n], i) =>
    i === 0 ? h("th", {scope: "row", class: n ? "n" : null}, cell(row)) : h("td", {class: n ? "n" : null}, cell(row)))));
  return h("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
           h("table", {class: "list"}, h("caption", {class: "hidden"}, caption), h("thead", {}, head), h("tbody", {}, body)));
}
