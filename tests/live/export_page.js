// SPDX-License-Identifier: GPL-2.0-or-later
//
// export_page.js PAGE - the page's own script run on just as much of a document as it uses: a click on a frame
// makes it and what is in it as wide as the whole, search counts what matches once, Esc undoes both.
"use strict";
const fs = require("fs"), assert = require("assert");

class Element {
  constructor(tag, attributes) {
    this.tagName = tag.toUpperCase();
    this.attributes = attributes || {};
    this.children = [];
    this.listeners = {};
    this.textContent = "";
  }
  getAttribute(name) { return this.attributes[name]; }
  setAttribute(name, value) { this.attributes[name] = String(value); }
  removeAttribute(name) { delete this.attributes[name]; }
  appendChild(child) { this.children.push(child); }
  querySelectorAll(what) {
    const [tag, name] = what.split("."), all = [];
    for (const c of this.children) {
      if ((!tag || c.tagName === tag.toUpperCase()) && (!name || c.attributes.class === name))
        all.push(c);
      all.push(...c.querySelectorAll(what));
    }
    return all;
  }
  querySelector(what) { return this.querySelectorAll(what)[0] || null; }
  addEventListener(type, f) { this.listeners[type] = f; }
  closest(what) { return what === "g.f" && this.tagName === "G" ? this : null; }
  send(type, target) { this.listeners[type]({target: target || this}); }
}

function add(to, tag, attributes, text) {
  const e = new Element(tag, attributes);
  e.textContent = text || "";
  to.appendChild(e);
  return e;
}

const page = fs.readFileSync(process.argv[2], "utf8"), sections = [];
for (const part of page.split('<section class="event">').slice(1)) {
  const s = new Element("section"), controls = add(s, "div", {class: "controls"}), svg = add(s, "svg");
  controls.hidden = true;
  for (const tag of ["input", "button", "output"])
    add(controls, tag);
  controls.children[0].value = "";
  const frame = /<g class="f"><title>([^<]*)<\/title><rect x="([^"]*)" y="([^"]*)" width="([^"]*)"[^>]*>(<text[^>]*>[^<]*)?/g;
  for (const m of part.matchAll(frame)) {
    const g = add(svg, "g", {class: "f"});
    add(g, "title", {}, m[1]);
    add(g, "rect", {x: m[2], y: m[3], width: m[4]});
    if (m[5])
      add(g, "text", {}, m[5].replace(/.*>/, ""));
  }
  sections.push(s);
}
global.document = {
  listeners: {},
  activeElement: new Element("body"),
  querySelectorAll: () => sections,
  querySelector: () => sections[0].querySelector("input"),
  createElementNS: (ns, tag) => new Element(tag),
  addEventListener(type, f) { this.listeners[type] = f; },
};
(0, eval)(page.match(/<script>([^]*?)<\/script>/)[1]);

const svg = sections[0].querySelector("svg"), gs = svg.children, found = sections[0].querySelector("output");
const width = (g) => +g.querySelector("rect").getAttribute("width"), x = (g) => +g.querySelector("rect").getAttribute("x");
const hidden = (g) => g.getAttribute("display") === "none", before = gs.map((g) => [x(g), width(g)]);
assert(gs.length > 5 && sections[0].querySelector("div").hidden === false);

let narrow = 1;
gs.forEach((g, i) => { if (i && width(g) < 600 && width(g) > 100) narrow = i; });
svg.send("click", gs[narrow]);
assert(Math.abs(width(gs[narrow]) - 1200) < 1e-6 && x(gs[narrow]) === 0);
assert(width(gs[0]) === 1200 && gs[0].getAttribute("class") === "f up");
for (const g of gs)
  assert(hidden(g) || (x(g) >= -1e-3 && x(g) + width(g) <= 1200.01));
assert(gs.some(hidden));
global.document.listeners.keydown({key: "Escape"});
gs.forEach((g, i) => assert(!hidden(g) && Math.abs(x(g) - before[i][0]) < 1e-6 && Math.abs(width(g) - before[i][1]) < 1e-6));

const input = sections[0].querySelector("input");
input.value = "ALL";
input.send("input");
assert(/^\d+ frames?, 100\.00% /.test(found.textContent), found.textContent);
input.value = "no such name";
input.send("input");
assert.strictEqual(found.textContent, "0 frames, 0.00% of what is drawn");
input.value = "";
input.send("input");
assert.strictEqual(found.textContent, "");
console.log("ok: html: the script zooms and searches " + gs.length + " frames");
