// SPDX-FileCopyrightText: The parity authors
// SPDX-License-Identifier: Apache-2.0

// Draws what the address names, and moves there when it changes.

const missing = (text) => [h("h1", {}, "Not here"), h("p", {}, text)];

function runView(doc) {
  if (doc.goldens.length === 1) return goldenView(doc.goldens[0], {});
  const wrong = doc.goldens.filter((golden) => golden.verdict !== "pass");
  return [wrong.length > 0 ? verdictOf(wrong[0]) : h("section", {class: "verdict " + tone(doc.verdict), "aria-label": "Verdict"},
      h("h1", {}, h("span", {class: "word"}, wordOf(doc)), plural(doc.goldens.length, "golden")),
      h("p", {class: "muted"}, grouped(doc.goldens.reduce((sum, golden) => sum + golden.taps_judged, 0)) + " taps judged")),
    h("h2", {}, plural(doc.goldens.length, "golden") + (wrong.length ? ", " + wrong.length + " not passed" : "")),
    table("Goldens", [
      ["golden", (g) => h("a", {href: goldenLink(g)}, g.key)], ["candidate", (g) => g.candidate || "-"],
      ["verdict", (g) => h("span", {class: g.verdict === "pass" ? "good" : g.verdict === "fail" || g.verdict === "error" ? "bad" : "warn"}, wordOf(g))],
      ["first divergence", (g) => g.first_divergence ? h("code", {}, g.first_divergence.tap) : g.reason || "-"],
      ["worst", (g) => { const worst = g.records.reduce((a, b) => worse(a, b), null); return worst ? [bar(worst.budget_used), " ", ofLimit(worst.budget_used)] : "-"; }, true],
      ["judged", (g) => grouped(g.taps_judged), true], ["flips", (g) => grouped(g.records.reduce((n, r) => n + r.flips, 0)), true],
    ], [...wrong, ...doc.goldens.filter((golden) => golden.verdict === "pass")], (g) => (g.verdict === "pass" ? null : "bad-row"))];
}

const titleOf = (doc) => doc.isRun ? (doc.goldens.length === 1 ? doc.goldens[0].name : plural(doc.goldens.length, "golden"))
                                   : doc.kind.replace(/_/g, " ");
function crumbs(entries) {
  return h("nav", {class: "crumbs", "aria-label": "Where you are"}, h("ul", {}, entries.map(([text, href]) =>
    h("li", {}, href ? h("a", {href}, text) : h("span", {"aria-current": "page"}, text)))));
}

function placesOf(data) {
  const tabs = data.documents.map((doc) => [titleOf(doc), documentLink(doc), "d" + doc.number]);
  pairsOf(data.documents).forEach((pair, i) => tabs.push(["compared", "#/compare/" + i, "c" + i]));
  return tabs;
}

/** Returns [content, crumbs, tab] of what the address names. */
function viewOf(data, where) {
  if (where.view === "compare") {
    const pair = pairsOf(data.documents)[where.pair];
    return pair ? [compareView(pair), [], "c" + where.pair] : [missing("There are no two documents of one kind here."), [], ""];
  }
  const doc = data.documents[where.document] || data.documents[0];
  if (!doc.isRun) return [studyView(doc), [], "d" + doc.number];
  const tab = "d" + doc.number, single = doc.goldens.length === 1;
  if (!where.golden) return [runView(doc), [], tab];
  const golden = doc.goldens.find((g) => g.key === where.golden);
  if (!golden) return [missing("There is no golden '" + where.golden + "' here."), [[titleOf(doc), documentLink(doc)]], tab];
  const trail = single ? [] : [[titleOf(doc), documentLink(doc)]];
  if (where.view === "layer")
    return [layerView(golden, where.rest, where.options), [...trail, [golden.key, goldenLink(golden)], [where.rest]], tab];
  if (where.view === "tap") {
    const record = golden.records.find((r) => r.tap === where.rest);
    return [tapView(golden, where.rest, where.mode, data), [...trail, [golden.key, goldenLink(golden)],
      ...(record ? [[record.layer || "outside", layerLink(golden, record.layer, record.rank)], [record.short]] : [])], tab];
  }
  return [goldenView(golden, where.options), single ? [] : [...trail, [golden.key]], tab];
}

function draw(data, moved) {
  const [content, trail, tab] = viewOf(data, route(location.hash));
  const tabs = placesOf(data), main = document.getElementById("main");
  document.getElementById("top").replaceChildren(...fill(h("div"), {}, [h("span", {class: "brand"}, "parity"),
    tabs.length > 1 && h("nav", {"aria-label": "Documents"}, h("ul", {}, tabs.map(([text, href, name]) =>
      h("li", {}, h("a", {href, "aria-current": name === tab && "page"}, text))))),
    trail.length > 0 && crumbs(trail)]).childNodes);
  main.replaceChildren(...fill(h("div"), {}, [content]).childNodes);
  const heading = main.querySelector("h1");
  document.title = (heading ? heading.textContent.replace(/^(BROKEN|holds|ERROR|NOT SHOWN)/, "$1: ") : "report") + " – parity";
  if (moved) {
    main.focus({preventScroll: true});
    scrollTo(0, 0);
  }
}

function drawFoot(data) {
  const doc = data.documents[0], e = doc.environment;
  document.getElementById("foot").replaceChildren(h("p", {}, "parity " + [e.version + " " + e.build_type, e.compiler, e.os, e.cpu + ", " +
    e.threads + " threads", e.when].join(" · ")), ...fill(h("div"), {}, [data.documents.map((d) => command(d.command)),
    data.left_out && h("p", {}, "To stay small this page leaves out " + data.left_out + "; report.json has them.")]).childNodes);
}

const kData = load();
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  document.getElementById("main").focus();
});
addEventListener("hashchange", () => draw(kData, true));
draw(kData, false);
drawFoot(kData);
