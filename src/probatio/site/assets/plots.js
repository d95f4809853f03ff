// Charts of days: hover, focus and tap tell a day's values in every chart; a click or Enter opens the day. Whole without it.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const STATUSES = { s: "suspicious", c: "cooked", n: "calibrating", g: "gap" };
const YEAR = 365;
const RAREST = 1e6;

const dayWords = (day) => {
  const at = new Date(`${day}T00:00:00Z`);
  return Number.isNaN(at.getTime())
    ? day
    : at.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric", timeZone: "UTC" }).replace("Sept", "Sep");
};

const chance = (evidence) => {
  const count = evidence / YEAR;
  if (!(count >= 2)) return "nothing unusual: a model that did not change gets here, too";
  if (count >= RAREST) return "less than a one in a million chance of a false alarm";
  const step = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return `at most a one in ${(Math.floor(count / step) * step).toLocaleString("en-GB")} chance of a false alarm`;
};

const made = (name, parent, attributes) => {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  return parent.appendChild(element);
};

for (const box of document.querySelectorAll("[data-days]")) {
  const days = box.dataset.days.split(" ").filter(Boolean);
  if (!days.length) continue;
  const plots = [...box.querySelectorAll("svg.plot")].map((svg) => plotOf(svg, days));
  const last = days.length - 1;
  let now = last;
  let kind = "mouse";
  let told = -1; // the day that a finger has chosen

  const show = (day, pointed = true) => {
    now = Math.max(0, Math.min(last, day));
    for (const plot of plots) plot.show(now, box.dataset.opens[now] === "1", pointed);
  };
  const open = () => {
    if (box.dataset.opens[now] === "1") location.href = `${days[now]}/`;
  };
  const STEPS = { ArrowLeft: -1, ArrowRight: 1, ArrowDown: -1, ArrowUp: 1, PageDown: -7, PageUp: 7, Home: -days.length, End: days.length };

  for (const { svg, dayAt } of plots) {
    svg.addEventListener("pointerdown", (event) => (kind = event.pointerType));
    svg.addEventListener("pointermove", (event) => show(dayAt(event.clientX)));
    svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && show(last, false));
    svg.addEventListener("click", (event) => {
      const day = dayAt(event.clientX);
      const again = day === told;
      show(day);
      // A finger can't hover: its first tap tells the day, the second one opens it.
      if (kind === "mouse" || again) open();
      else told = day;
    });
    svg.addEventListener("keydown", (event) => {
      if (event.key in STEPS) show(now + STEPS[event.key]);
      else if (event.key === "Enter") open();
      else return;
      event.preventDefault();
    });
    svg.addEventListener("focus", () => show(now));
    svg.addEventListener("blur", () => show(now, false));
  }
}

function plotOf(svg, days) {
  const values = svg.dataset.values.split(",");
  const usual = svg.dataset.usual.split(","); // nothing: the same as the day before; "-": not known
  const [low, high, floor, top, logarithmic] = svg.dataset.scale.split(" ").map(Number);
  const room = Number(svg.dataset.room);
  const figure = svg.closest("figure");
  const readout = figure.querySelector(".readout");
  const link = figure.querySelector("a.open");
  const before = svg.closest("[data-before]") !== null;
  const title = svg.querySelector("title");
  const level = (value) => {
    const [from, to, here] = [low, high, Math.min(high, Math.max(low, value))].map((each) => (logarithmic ? Math.log10(each) : each));
    return floor + ((top - floor) * (here - from)) / (to - from);
  };
  const line = made("line", svg, { class: "cursor", y1: 0, y2: floor, visibility: "hidden" });
  const dot = made("circle", svg, { class: "cursor", r: 4, visibility: "hidden" });
  svg.setAttribute("aria-label", title.textContent);
  title.remove(); // else the browser would lay it over the chart
  svg.setAttribute("role", "slider");
  svg.setAttribute("tabindex", "0");
  svg.setAttribute("aria-valuemin", 1);
  svg.setAttribute("aria-valuemax", days.length);
  tell(days.length - 1);

  function said(day) {
    const value = values[day];
    if (svg.dataset.kind === "chance") return value ? chance(Number(value)) : "not known yet";
    let at = Math.min(day, usual.length - 1);
    while (at > 0 && !usual[at]) at -= 1;
    const usually = usual[at] === "-" ? "" : usual[at];
    const points = value ? `${Number(value).toFixed(1)} points` : "no score";
    const status = STATUSES[svg.dataset.marks[day]];
    return points + (usually ? (before ? `, ${usually} before` : `, usually ${usually}`) : "") + (status && status !== "gap" ? `, ${status}` : "");
  }

  function tell(day) {
    const text = `${dayWords(days[day])}: ${said(day)}`;
    svg.setAttribute("aria-valuenow", day + 1);
    svg.setAttribute("aria-valuetext", text);
    return text;
  }

  function show(day, opens, pointed) {
    readout.textContent = tell(day);
    if (link) {
      link.hidden = !opens;
      if (opens) link.href = `${days[day]}/`;
    }
    const x = `${((day + 0.5) / days.length) * room * 100}%`;
    line.setAttribute("x1", x);
    line.setAttribute("x2", x);
    line.setAttribute("visibility", pointed ? "visible" : "hidden");
    dot.setAttribute("cx", x);
    dot.setAttribute("visibility", pointed && values[day] ? "visible" : "hidden");
    if (values[day]) dot.setAttribute("cy", level(Number(values[day])));
  }

  const dayAt = (x) => {
    const place = svg.getBoundingClientRect();
    return Math.max(0, Math.min(days.length - 1, Math.floor(((x - place.left) / place.width / room) * days.length)));
  };
  return { svg, show, dayAt };
}
