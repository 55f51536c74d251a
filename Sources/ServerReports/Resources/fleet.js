"use strict";
const rows = [];
const state = { __proto__: null, sort: "line", dir: "asc", question: "ats", show: "passed,failed,unknown", q: "" };
const step = 100;
const byId = (id) => document.getElementById(id);
const table = byId("hosts");
const rank = { __proto__: null, failed: 0, unknown: 1, passed: 2 };
const keys = {
  __proto__: null, line: (r) => r.l, host: (r) => r.n, ats: (r) => rank[r.o.ats], fcp: (r) => rank[r.o.fcp] ?? 3,
  trust: (r) => rank[r.o.trust], days: (r) => r.c ? r.c.daysLeft : Infinity, tls: (r) => r.v[0] || "", time: (r) => r.t,
};
const compare = new Intl.Collator("en", { numeric: true }).compare;
const outcomes = {
  __proto__: null, passed: ["pass", "\u2713", "PASS"], failed: ["fail", "\u2717", "FAIL"],
  unknown: ["unknown", "?", "UNKNOWN"],
};
let found = [], shown = 0, isCut = false;

function load() {
  for (const line of byId("data").textContent.split("\n").filter(Boolean)) {
    try { rows.push(JSON.parse(line)); } catch { isCut = true; }
  }
  isCut = isCut || !document.querySelector("footer");
  for (const r of rows) r.x = text(r);
}

function text(r) {
  return [r.n, r.a, ...r.f.flatMap((f) => [f.code, f.message]), ...r.v, ...r.s, ...r.g,
    ...(r.c ? [r.c.subject, r.c.issuer, r.c.key, r.c.sha256] : [])].join("\n").toLowerCase();
}

function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

function badge(outcome) {
  const [name, sign, word] = outcomes[outcome] || [];
  if (!name) return make("span", { class: "soft" }, "not asked");
  return make("span", { class: "badge " + name }, make("span", { "aria-hidden": "true" }, sign), " " + word);
}

function cell(label, ...children) { return make("td", { "data-label": label }, ...children); }

function facts(r) {
  const list = make("dl");
  const add = (name, text) => { if (text) list.append(make("div", {}, make("dt", {}, name), make("dd", {}, text))); };
  add("address", r.a);
  add("versions", r.v.join(", "));
  add("certificate", r.c && `${r.c.subject}, by ${r.c.issuer}`);
  add("valid until", r.c && r.c.notAfter);
  add("key", r.c && `${r.c.key}, pin sha256/${r.c.spkiSHA256}`);
  add("fingerprint", r.c && r.c.sha256);
  add("suites", r.s.join(", "));
  add("groups", r.g.join(", "));
  add("asked", `${r.d}, with ${r.k} connections in ${r.t} ms` + (r.z ? "; it began to refuse them" : ""));
  return list;
}

function details(r) {
  const first = r.f[0] ? r.f[0].message : "Nothing speaks against it.";
  const more = r.f.length > 1 ? ` (and ${r.f.length - 1} more)` : "";
  const element = make("details", {}, make("summary", {}, first + more));
  element.addEventListener("toggle", () => fill(element, r), { once: true });
  return element;
}

function fill(element, r) {
  const reasons = make("ul", { class: "reasons" });
  for (const f of r.f) {
    reasons.append(make("li", {}, make("strong", {}, f.message), make("p", {}, f.remedy || ""),
      make("p", { class: "codes" }, f.code + (f.questions ? ": " + f.questions.join(", ") : ""))));
  }
  if (element.children.length < 2) element.append(reasons, facts(r));
}

function group(r) {
  const days = r.c ? `${r.c.daysLeft}` : "";
  return make("tbody", {},
    make("tr", {}, make("th", { scope: "row" }, r.n), cell("ATS", badge(r.o.ats)), cell("FCP", badge(r.o.fcp)),
      cell("Trust", badge(r.o.trust)),
      make("td", { "data-label": "Days left", class: r.c && r.c.daysLeft < 30 ? "soon" : "" }, days),
      cell("TLS", r.v.map((v) => v.replace("TLS ", "")).join(", ")), cell("Time", r.t ? `${r.t} ms` : "")),
    make("tr", { class: "why" }, make("td", { colspan: "7" }, details(r))));
}

function more(count) {
  const part = document.createDocumentFragment();
  for (const r of found.slice(shown, shown + count)) part.append(group(r));
  table.append(part);
  shown = Math.min(found.length, shown + count);
  byId("more").hidden = shown >= found.length;
  byId("count").textContent = `${found.length} of ${rows.length} hosts` + (shown < found.length ? `, ${shown} shown` : "")
    + (isCut ? "; this page was cut off, and lacks others" : "");
}

function select() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const show = new Set(state.show.split(","));
  const key = keys[state.sort] || keys.line, sign = state.dir === "desc" ? -1 : 1;
  const order = (a, b) => {
    const [x, y] = [key(a), key(b)];
    return sign * (typeof x === "string" ? compare(x, y) : x === y ? 0 : x < y ? -1 : 1) || a.l - b.l;
  };
  found = rows.filter((r) => (!r.o[state.question] || show.has(r.o[state.question])) && words.every((w) => r.x.includes(w)))
    .sort(order);
}

function counts() {
  const count = { __proto__: null, passed: 0, failed: 0, unknown: 0 };
  for (const r of rows) if (count[r.o[state.question]] !== undefined) count[r.o[state.question]] += 1;
  const show = new Set(state.show.split(","));
  for (const button of document.querySelectorAll("[data-outcome]")) {
    button.setAttribute("aria-pressed", show.has(button.dataset.outcome));
    button.querySelector("b").textContent = count[button.dataset.outcome];
  }
  for (const button of document.querySelectorAll("[data-sort]")) {
    const isSorted = button.dataset.sort === state.sort;
    button.parentElement.setAttribute("aria-sort", !isSorted ? "none" : state.dir === "desc" ? "descending" : "ascending");
  }
  byId("q").value = state.q;
  byId("question").value = state.question;
}

function render() {
  select();
  counts();
  for (const body of [...table.tBodies]) body.remove();
  shown = 0;
  more(step);
}

function change(values) {
  Object.assign(state, values);
  const start = { __proto__: null, sort: "line", dir: "asc", question: "ats", show: "passed,failed,unknown", q: "" };
  const parts = Object.entries(state).filter(([key, value]) => value !== start[key]);
  history.replaceState(null, "", "#" + new URLSearchParams(parts));
  render();
}

function faults() {
  const hosts = new Map();
  for (const r of rows) for (const code of new Set(r.f.map((f) => f.code))) hosts.set(code, (hosts.get(code) || 0) + 1);
  const commonest = [...hosts].sort((a, b) => b[1] - a[1] || compare(a[0], b[0])).slice(0, 10);
  for (const [code, count] of commonest) {
    const button = make("button", { type: "button" }, make("b", {}, `${count}`), " " + code);
    button.addEventListener("click", () => change({ q: state.q === code ? "" : code }));
    byId("faults").append(make("li", {}, button));
  }
  byId("faults").parentElement.hidden = commonest.length === 0;
}

// Questions that no host was asked are not offered.
function questions() {
  for (const option of [...byId("question").options]) {
    if (option.value !== "ats" && !rows.some((r) => r.o[option.value])) option.remove();
  }
}

function listen() {
  for (const button of document.querySelectorAll("[data-sort]")) {
    button.addEventListener("click", () => {
      const isSorted = state.sort === button.dataset.sort;
      change({ sort: button.dataset.sort, dir: isSorted && state.dir === "asc" ? "desc" : "asc" });
    });
  }
  for (const button of document.querySelectorAll("[data-outcome]")) {
    button.addEventListener("click", () => {
      const show = new Set(state.show.split(",").filter(Boolean));
      if (!show.delete(button.dataset.outcome)) show.add(button.dataset.outcome);
      change({ show: ["passed", "failed", "unknown"].filter((outcome) => show.has(outcome)).join(",") });
    });
  }
  byId("q").addEventListener("input", (event) => change({ q: event.target.value }));
  byId("question").addEventListener("change", (event) => change({ question: event.target.value }));
  byId("more").addEventListener("click", () => more(step));
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) more(step);
  }, { rootMargin: "600px" }).observe(byId("more"));
  addEventListener("hashchange", read);
  addEventListener("beforeprint", () => more(found.length));
}

function read() {
  const own = Object.fromEntries([...new URLSearchParams(location.hash.slice(1))].filter(([key]) => key in state));
  Object.assign(state, own);
  if (!(state.sort in keys)) state.sort = "line";
  render();
}

addEventListener("DOMContentLoaded", () => {
  load();
  questions();
  faults();
  listen();
  read();
});
