// Sorting and filtering of tables and lists. Every page is whole without it.
"use strict";

const value = (row, at) => {
  const cell = row.cells[at];
  const text = cell.dataset.sort ?? cell.textContent.trim();
  const number = Number(text);
  return text !== "" && !Number.isNaN(number) ? number : text;
};

const compare = (a, b) =>
  typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));

// What is chosen stands in the address, so that it can be sent to someone.
const chosen = (name) => new URLSearchParams(location.search).get(name) ?? "";

const choose = (name, text) => {
  const all = new URLSearchParams(location.search);
  if (text) all.set(name, text);
  else all.delete(name);
  history.replaceState(null, "", (all.size ? `?${all}` : location.pathname) + location.hash);
  carry();
};

// The other view of the same models opens with the same choice.
const carry = () => {
  for (const link of document.querySelectorAll("nav.views a")) {
    const to = new URL(link.href);
    to.search = location.search;
    link.href = to.href;
  }
};
carry();

document.querySelectorAll("table.sortable").forEach((table, number) => {
  const heads = [...table.tHead.rows[0].cells];
  const names = heads.map((head) => head.textContent.trim().toLowerCase());
  const parameter = number ? `sort${number + 1}` : "sort";
  const sort = (at, falling) => {
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    heads[at].setAttribute("aria-sort", falling ? "descending" : "ascending");
    const rows = [...table.tBodies[0].rows].sort((a, b) => compare(value(a, at), value(b, at)));
    table.tBodies[0].append(...(falling ? rows.reverse() : rows));
  };
  heads.forEach((head, at) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const falling = head.getAttribute("aria-sort") === "ascending";
      sort(at, falling);
      choose(parameter, (falling ? "-" : "") + names[at]);
    });
  });
  const wanted = chosen(parameter);
  const at = names.indexOf(wanted.replace(/^-/, ""));
  if (at >= 0) sort(at, wanted.startsWith("-"));
});

for (const tools of document.querySelectorAll("[data-tools]")) {
  const shown = document.getElementById(tools.dataset.tools);
  if (!shown) continue;
  const rows = [...(shown.tBodies ? shown.tBodies[0].rows : shown.children)];
  const words = labelled("Filter", document.createElement("input"));
  words.field.type = "search";
  words.field.name = "filter";
  words.field.placeholder = "filter";
  const statuses = (tools.dataset.statuses ?? "").split(" ").filter(Boolean);
  const status = labelled("Verdict", document.createElement("select"));
  status.field.name = "verdict";
  status.field.append(new Option("all verdicts", ""), ...statuses.map((name) => new Option(name, name)));
  const SORTS = { verdict: "new and worst first", model: "by name", today: "lowest first", "-today": "highest first" };
  const sorts = (tools.dataset.sorts ?? "").split(" ").filter(Boolean);
  const order = labelled("Order", document.createElement("select"));
  order.field.name = "sort";
  for (const name of sorts) order.field.append(new Option(SORTS[name], name === "verdict" ? "" : name));
  // New and worst first is how the page comes; the names of the orders are those of the table's columns in the other view.
  const arrange = () => {
    const falling = order.field.value.startsWith("-");
    const key = order.field.value.replace("-", "");
    const of = (row) => (key === "today" ? Number(row.querySelector(".today").dataset.sort) : row.querySelector(".who").textContent);
    const sorted = key ? [...rows].sort((a, b) => compare(of(a), of(b))) : [...rows];
    shown.append(...(falling ? sorted.reverse() : sorted));
  };
  const told = document.createElement("output");
  told.setAttribute("aria-live", "polite");
  const apply = () => {
    const wanted = words.field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let count = 0;
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      const fits = wanted.every((word) => text.includes(word)) && (!status.field.value || row.dataset.status === status.field.value);
      row.hidden = !fits;
      count += fits;
    }
    told.textContent = count || !rows.length ? `${count} of ${rows.length} shown` : "Nothing fits this filter.";
    told.classList.toggle("none", !count);
  };
  const remember = () => {
    for (const { field } of [words, status]) choose(field.name, field.value);
    apply();
  };
  words.field.value = chosen("filter");
  status.field.value = statuses.includes(chosen("verdict")) ? chosen("verdict") : "";
  words.field.addEventListener("input", remember);
  status.field.addEventListener("change", remember);
  tools.append(words.both);
  if (statuses.length) tools.append(status.both);
  if (sorts.length) {
    const wanted = chosen("sort");
    order.field.value = sorts.includes(wanted) && wanted !== "verdict" ? wanted : "";
    order.field.addEventListener("change", () => {
      choose("sort", order.field.value);
      arrange();
    });
    tools.append(order.both);
    if (order.field.value) arrange();
  }
  tools.append(told);
  apply();
}

function labelled(name, field) {
  const label = document.createElement("label");
  field.id = `tool-${name.toLowerCase()}`;
  label.htmlFor = field.id;
  label.textContent = name;
  const both = document.createElement("span");
  both.append(label, " ", field);
  return { both, field };
}
