"use strict";
const rows = [];
const state = { __proto__: null, sort: "worst", dir: "asc", question: "ats", show: "passed,failed,unknown", q: "" };
const step = 100;
const byId = (id) => document.getElementById(id);
const table = byId("hosts");
const rank = { __proto__: null, failed: 0, unknown: 1, passed: 2 };
const worst = (r) => (rank[r.o.ats] ?? 1) * 100 + (rank[r.o.trust] ?? 1) * 10 + (r.o.fcp ? rank[r.o.fcp] ?? 1 : 3);
const keys = {
  __proto__: null, worst, line: (r) => r.l, host: (r) => r.n, ats: (r) => rank[r.o.ats], fcp: (r) => rank[r.o.fcp] ?? 3,
  trust: (r) => rank[r.o.trust], days: (r) => r.c ? r.c.daysLeft : Infinity, tls: (r) => r.v[0] || "", time: (r) => r.t,
};
const compare = new Intl.Collator("en", { numeric: true }).compare;
const outcomes = {
  __proto__: null, passed: ["pass", "\u2713", "PASS"], failed: ["fail", "\u2717", "FAIL"],
  unknown: ["unknown", "?", "UNKNOWN"],
};
let found = [], shown = 0, isCut = false;

function load() {
  for (const element of document.querySelectorAll("script.row")) {
    try { rows.push(JSON.parse(element.textContent)); } catch { isCut = true; }
  }
  isCut = isCut || !document.querySelector("footer");
  for (const r of rows) r.x = text(r);
}

function text(r) {
  return [r.n, r.a, String(r.i ?? ""), ...r.f.flatMap((f) => [f.code, f.message]), ...r.v, ...r.s, ...r.g,
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
  add("id", r.i === undefined || r.i === null ? "" : String(r.i));
  add("address", r.a);
  for (const m of r.m || []) {
    add(m.address, m.error || Object.entries(m.outcomes).map(([key, value]) => `${key} ${value}`).join(", "));
  }
  for (const w of r.w || []) add("addresses differ", w.message);
  for (const note of r.e || []) add("note", note);
  add("versions", r.v.join(", "));
  add("certificate", r.c && `${r.c.subject}, by ${r.c.issuer}`);
  add("valid", r.c && (r.c.notBefore ? `${r.c.notBefore} to ${r.c.notAfter}` : `until ${r.c.notAfter}`));
  add("expiry", r.c && r.c.expiry);
  add("key", r.c && `${r.c.key}, pin sha256/${r.c.spkiSHA256}`);
  add("fingerprint", r.c && r.c.sha256);
  add("suites", r.s.join(", "));
  add("groups", r.g.join(", "));
  add("post-quantum keys", r.q === undefined || r.q === null ? "" : r.q ? "yes" : "no");
  add("asked", `${r.d}, with ${r.k} connections in ${r.t} ms` + (r.z ? ". It began to refuse them." : ""));
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
  const days = !r.c ? "" : r.c.percentLeft === undefined ? `${r.c.daysLeft}` : `${r.c.daysLeft} (${r.c.percentLeft} %)`;
  return make("tbody", {},
    make("tr", {}, make("th", { scope: "row" }, r.n, r.i === undefined || r.i === null ? null : make("span", { class: "soft id" }, ` ${r.i}`)), cell("ATS", badge(r.o.ats)), cell("FCP", badge(r.o.fcp)),
      cell("Trust", badge(r.o.trust)),
      make("td", { "data-label": "Days left", class: r.c && (r.c.expiry || (r.c.percentLeft === undefined && r.c.daysLeft < 30)) ? "soon" : "" }, days),
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
    + (isCut ? ". This page was cut off, and lacks others." : "");
}

function select() {
  const words = state.q.toLowerCase().split(/\s+/).filter(Boolean);
  const show = new Set(state.show.split(","));
  const key = keys[state.sort] || keys.worst, sign = state.dir === "desc" ? -1 : 1;
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
  const start = { __proto__: null, sort: "worst", dir: "asc", question: "ats", show: "passed,failed,unknown", q: "" };
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

// The answers as a bar, the first sentence, and when the hosts were asked.
function totals() {
  const count = (outcome) => rows.filter((r) => r.o.ats === outcome).length;
  const [failed, passed] = [count("failed"), count("passed")], unknown = rows.length - failed - passed;
  const parts = [["fail", failed, "fail"], ["unknown", unknown, "are not known"], ["pass", passed, "pass"]].filter((p) => p[1]);
  const words = parts.map(([, number, word]) => `${number} ${word}`).join(", ");
  byId("lead").textContent = rows.length ? `Of ${rows.length} hosts: ${words}.` : "";
  byId("bar").setAttribute("aria-label", words);
  for (const [name, number] of parts) byId("bar").append(make("span", { class: name, style: `flex-grow:${number}` }, String(number)));
  byId("bar").hidden = rows.length === 0;
  const dates = rows.map((r) => r.d).filter(Boolean).sort();
  if (dates.length) byId("dates").textContent = `Asked from ${dates[0]} to ${dates[dates.length - 1]}.`;
}

// How many certificates end within which time.
function ends() {
  const limits = [[0, "ended"], [7, "in 7 days"], [30, "in 30 days"], [90, "in 90 days"], [200, "in 200 days"], [Infinity, "later"]];
  const days = rows.filter((r) => r.c).map((r) => r.c.daysLeft);
  const counts = limits.map(([limit], index) => days.filter((d) => d < limit && (index === 0 || d >= limits[index - 1][0])).length);
  const most = Math.max(1, ...counts);
  limits.forEach(([, word], index) => byId("ends").append(make("li", {}, make("span", {}, word),
    make("span", { class: index < 3 ? "stick soon" : "stick", style: `width:${Math.round(60 * counts[index] / most)}%` }),
    make("b", {}, String(counts[index])))));
  byId("ends").parentElement.hidden = days.length === 0;
}

// What is shown, as a table for spreadsheets: text that would be computed is text.
function csv() {
  const field = (value) => {
    const text = String(value ?? ""), plain = /^[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/.test(text) && !/^-?\d+$/.test(text) ? "'" + text : text;
    return /[",;\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
  };
  const lines = [["host", "id", "ats", "fcp", "trust", "days_left", "not_after", "versions", "codes", "message", "date"]];
  for (const r of found) {
    lines.push([r.n, r.i, r.o.ats, r.o.fcp, r.o.trust, r.c && r.c.daysLeft, r.c && r.c.notAfter, r.v.join(" "),
      r.f.map((f) => f.code).join(" "), r.f[0] && r.f[0].message, r.d]);
  }
  return lines.map((line) => line.map(field).join(",") + "\r\n").join("");
}

function save() {
  const link = make("a", { href: URL.createObjectURL(new Blob([csv()], { type: "text/csv" })), download: "fleet.csv" });
  link.click();
  URL.revokeObjectURL(link.href);
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
  byId("csv").addEventListener("click", save);
  new IntersectionObserver((entries) => {
    if (entries.some((entry) => entry.isIntersecting)) more(step);
  }, { rootMargin: "600px" }).observe(byId("more"));
  addEventListener("hashchange", read);
  addEventListener("beforeprint", () => more(found.length));
}

function read() {
  const own = Object.fromEntries([...new URLSearchParams(location.hash.slice(1))].filter(([key]) => key in state));
  Object.assign(state, own);
  if (!(state.sort in keys)) state.sort = "worst";
  render();
}

addEventListener("DOMContentLoaded", () => {
  load();
  questions();
  totals();
  faults();
  ends();
  listen();
  read();
});
