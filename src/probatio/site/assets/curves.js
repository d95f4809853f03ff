// Learning curves: hover, focus and tap tell a mark's values; a click, Enter or a second tap opens its trials. Whole without it.
"use strict";

const NEAR = 40; // pixels from a mark at which it is still meant

for (const svg of document.querySelectorAll("svg.curves")) {
  const readout = svg.closest("figure").querySelector(".readout");
  const unpointed = readout.textContent;
  const curves = [...svg.querySelectorAll("g:has(> a)")].map((group) => [...group.querySelectorAll("a")]);
  const marks = curves.flat();
  let shown = null;
  let finger = false;
  let told = null; // the mark that a finger has chosen

  for (const mark of marks) {
    const title = mark.querySelector("title");
    mark.setAttribute("aria-label", title.textContent);
    title.remove(); // else the browser would lay it over the chart
    mark.setAttribute("tabindex", "-1");
  }
  marks[0]?.setAttribute("tabindex", "0"); // one stop for the tabulator; arrows lead from mark to mark

  const show = (mark) => {
    if (mark === shown) return;
    shown?.classList.remove("on");
    mark?.classList.add("on");
    shown = mark;
    readout.textContent = mark ? mark.getAttribute("aria-label") : unpointed;
  };

  const nearest = (event) => {
    let best = null;
    let least = NEAR ** 2;
    for (const mark of marks) {
      const box = mark.getBoundingClientRect();
      const away = (box.x + box.width / 2 - event.clientX) ** 2 + (box.y + box.height / 2 - event.clientY) ** 2;
      if (away < least) [best, least] = [mark, away];
    }
    return best;
  };

  const focus = (mark) => {
    for (const other of marks) other.setAttribute("tabindex", other === mark ? "0" : "-1");
    mark.focus();
  };

  svg.addEventListener("pointerdown", (event) => (finger = event.pointerType !== "mouse"));
  svg.addEventListener("pointermove", (event) => show(nearest(event)));
  svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && show(null));
  svg.addEventListener("click", (event) => {
    if (event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey) return; // a key, or a new tab: the link's own
    event.preventDefault();
    const mark = nearest(event);
    const again = mark === told;
    show(mark);
    // A finger can't hover: its first tap tells the mark, the second one opens it.
    if (mark && (!finger || again)) location.href = mark.getAttribute("href");
    else told = mark;
  });

  curves.forEach((curve, row) =>
    curve.forEach((mark, at) => {
      mark.addEventListener("focus", () => show(mark));
      mark.addEventListener("blur", () => show(null));
      mark.addEventListener("keydown", (event) => {
        const other = (step) => curves[(row + step + curves.length) % curves.length];
        const next = {
          ArrowLeft: curve[at - 1],
          ArrowRight: curve[at + 1],
          ArrowUp: other(-1)[Math.min(at, other(-1).length - 1)],
          ArrowDown: other(1)[Math.min(at, other(1).length - 1)],
          Home: curve[0],
          End: curve.at(-1),
        };
        if (!(event.key in next)) return;
        event.preventDefault();
        if (next[event.key]) focus(next[event.key]);
      });
    }),
  );
}
