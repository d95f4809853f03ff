// Charts of days: hover, focus and tap tell a day's values in every chart; a click or Enter opens the day. Whole without it.
"use strict";

const SVG = "http://www.w3.org/2000/svg";
const STATUSES = { s: "suspicious", c: "cooked, not proven", p: "cooked, confirmed", r: "changed route", n: "calibrating", g: "gap" };
const YEAR = 365;
const RAREST = 1e6;

const MONTHS = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");

// By hand, as the commas of a chance are: the browser's own words for dates and numbers take milliseconds to wake up.
const dayWords = (day) => {
  const [year, month, number] = day.split("-").map(Number);
  return MONTHS[month - 1] && number ? `${number} ${MONTHS[month - 1]} ${year}` : day;
};

const chance = (evidence) => {
  const count = evidence / YEAR;
  if (!(count >= 2)) return "nothing unusual: a model that did not change gets here, too";
  if (count >= RAREST) return "less than a one in a million chance of a false alarm";
  const step = 10 ** Math.max(0, Math.floor(Math.log10(count)) - 1);
  return `at most a one in ${String(Math.floor(count / step) * step).replace(/\B(?=(\d{3})+$)/g, ",")} chance of a false alarm`;
};

const UNITS = {
  seconds: (value) => `${value.toFixed(2)} s`,
  tokens: (value) => `${value.toFixed(0).replace(/\B(?=(\d{3})+$)/g, ",")} tokens`,
  dollars: (value) => `$${value.toFixed(6).replace(/\.?0+$/, "")}`,
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

  // The nearest day that has a page; of two alike the later one.
  const nearest = (day) => {
    for (let off = 0; off <= last; off += 1)
      for (const at of [day + off, day - off]) if (box.dataset.opens[at] === "1") return at;
    return -1;
  };
  const show = (day, pointed = true) => {
    now = Math.max(0, Math.min(last, day));
    for (const plot of plots) plot.show(now, nearest(now), pointed);
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
  const values = svg.dataset.values.split(";");
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
    if (svg.dataset.kind in UNITS) return value ? UNITS[svg.dataset.kind](Number(value)) : "not known";
    let at = Math.min(day, usual.length - 1);
    while (at > 0 && !usual[at]) at -= 1;
    const usually = usual[at] === "-" ? "" : usual[at];
    if (svg.dataset.kind === "share") return value ? `${Number(value).toFixed(0)} % right${usually ? `, other cases ${usually} %` : ""}` : "not asked";
    const points = value ? `${Number(value).toFixed(1)} points` : "no score";
    const status = STATUSES[svg.dataset.marks[day]];
    return points + (usually ? (before ? `, ${usually} on the days before` : `, usually ${usually}`) : "") + (status && status !== "gap" ? `, ${status}` : "");
  }

  function tell(day) {
    const text = `${dayWords(days[day])}: ${said(day)}`;
    svg.setAttribute("aria-valuenow", day + 1);
    svg.setAttribute("aria-valuetext", text);
    return text;
  }

  function show(day, page, pointed) {
    readout.textContent = tell(day);
    if (link) {
      link.hidden = page < 0;
      if (page >= 0) link.href = `${days[page]}/`;
      // Of a day without a page the nearest one that has one, and it says so; short, so that nothing moves.
      link.textContent = page === day || page < 0 ? "open the day" : `nearest: ${dayWords(days[page]).slice(0, -5)}`;
      link.title = page === day ? "" : "This day has no page in this copy; the nearest day that has one";
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
