// What has to show in a picture of the page, and where it is in the window. Runs where survey.js does, after it.
// `turn`: scroll to this item first; `open`: the items that are still looked for; `calm`, `hide`: put a style sheet on the page
// that stops what moves, and one that takes the texts away.
({ turn = null, open = [], calm = null, hide = null }) => {
  const call = (type, name) => Function.prototype.call.bind(type.prototype[name]);
  const read = (type, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  const parentOf = read(Node, "parentElement"), kindOf = read(Node, "nodeType"), rectangle = call(Element, "getBoundingClientRect");
  const all = call(Document, "querySelectorAll"), matches = call(Element, "matches"), attribute = call(Element, "getAttribute");
  const root = read(Document, "documentElement")(document), body = read(Document, "body")(document);
  const items = globalThis.probatioItems || [];
  const elementOf = (item) => (kindOf(item) === 3 ? parentOf(item) : item);

  const sheets = (globalThis.probatioSheets ??= { calm: new CSSStyleSheet(), hide: new CSSStyleSheet() });
  const wear = (sheet, on) => {
    const worn = [...document.adoptedStyleSheets].filter((one) => one !== sheet);
    document.adoptedStyleSheets = on ? [...worn, sheet] : worn;
  };
  // An id no element has, to outweigh the page's own rules.
  const every = "*:not(#probatio-a#probatio-b)";
  if (hide) {
    // Neither `color`, which other paint may follow, nor anything that makes a box anew: without scripts a canvas would then
    // be none. A text that is cut out of a background goes with the background.
    const cut = [];
    for (const item of items) {
      for (let up = elementOf(item); up && cut.length < 100; up = parentOf(up)) {
        if (getComputedStyle(up).backgroundClip.includes("text")) cut.push(up);
      }
    }
    const path = (element) => {
      const steps = [];
      for (let at = element; at && parentOf(at); at = parentOf(at)) {
        let place = 1;
        for (let one = read(Element, "previousElementSibling")(at); one; one = read(Element, "previousElementSibling")(one)) place++;
        steps.unshift(`:nth-child(${place})`);
      }
      return [":root", ...steps].join(" > ") + ":not(#probatio-a#probatio-b)";
    };
    const away = "-webkit-text-fill-color: transparent !important; -webkit-text-stroke-color: transparent !important; text-shadow: none !important";
    const drawn = `svg text${every.slice(1)}, svg tspan${every.slice(1)}, svg textPath${every.slice(1)}`;
    sheets.hide.replaceSync(`${every} { ${away} }
      ${drawn} { fill: transparent !important; stroke: transparent !important }
      ${[...new Set(cut)].map((one) => `${path(one)} { background-image: none !important; background-color: transparent !important }`).join("\n")}`);
  }
  if (hide !== null) {
    wear(sheets.hide, hide);
    rectangle(root);  // before anything may move again: else the texts come back by a transition, which tells the page of it
  }
  if (calm !== null) {
    sheets.calm.replaceSync(`${every}, ${every}::before, ${every}::after { transition: none !important; scroll-behavior: auto !important; caret-color: transparent !important }`);
    wear(sheets.calm, calm);
    for (const drawing of all(document, "svg")) if (drawing instanceof SVGSVGElement) call(SVGSVGElement, calm ? "pauseAnimations" : "unpauseAnimations")(drawing);
  }
  const boxesOf = (item) => {
    if (kindOf(item) !== 3) return [rectangle(item)];
    const range = new Range(), lines = [];
    range.selectNodeContents(item);
    for (const box of [...range.getClientRects()].slice(0, 60)) {
      const line = lines.find((one) => Math.abs(one.top - box.top) < 2 && Math.abs(one.bottom - box.bottom) < 2);
      if (!line) { lines.push(new DOMRect(box.x, box.y, box.width, box.height)); continue; }
      const right = Math.max(line.right, box.right);
      line.x = Math.min(line.x, box.x);
      line.width = right - line.x;
    }
    return lines.slice(0, 20);
  };
  const clips = (element) => getComputedStyle(element).overflowX !== "visible" && element !== root && element !== body;
  const move = (element, left, top) => call(Element, "scrollBy")(element, { left, top, behavior: "instant" });
  if (turn !== null && items[turn]) {
    const item = items[turn], target = elementOf(item);
    call(Element, "scrollIntoView")(target, { block: "start", inline: "center", behavior: "instant" });
    // The text may be at the far end of a wide element.
    for (let up = parentOf(target); up; up = parentOf(up)) {
      const [box] = boxesOf(item), around = rectangle(up);
      if (!box || !clips(up)) continue;
      if (box.left < around.left || box.right > around.right) move(up, box.left - around.left - Math.max(0, around.width - box.width) / 2, 0);
      if (box.top < around.top || box.bottom > around.bottom) move(up, 0, box.top - around.top);
    }
    // Below a bar that may stay at the top.
    const top = boxesOf(item)[0]?.top ?? 0;
    scrollBy({ top: Math.min(0, top - 0.15 * innerHeight), behavior: "instant" });
  }

  const BUTTONS = "input, select, textarea";
  const cutBy = (element) => {
    let [left, top, right, bottom] = [0, 0, innerWidth, innerHeight];
    for (let up = element; up; up = parentOf(up)) {
      if (clips(up)) {
        const box = rectangle(up);
        [left, top, right, bottom] = [Math.max(left, box.left), Math.max(top, box.top), Math.min(right, box.right), Math.min(bottom, box.bottom)];
      }
      if (getComputedStyle(up).position === "fixed") break;
    }
    return [left, top, right, bottom];
  };
  const places = [];
  for (const number of open) {
    const item = items[number];
    if (!item || !read(Node, "isConnected")(item)) continue;
    const element = elementOf(item), text = kindOf(item) === 3;
    const [left, top, right, bottom] = cutBy(text ? element : parentOf(element) || element);
    const lines = [];
    for (const box of boxesOf(item)) {
      const line = [Math.max(box.left, left), Math.max(box.top, top), Math.min(box.right, right), Math.min(box.bottom, bottom)];
      if (line[2] - line[0] >= 2 && line[3] - line[1] >= 2 && line[3] - line[1] >= 0.5 * Math.min(box.height, innerHeight)) lines.push(line.map(Math.round));
    }
    if (lines.length) places.push({ item: number, kind: text ? "text" : labelled(element) ? "label" : "drawing", lines });
  }
  return JSON.stringify(places);

  function labelled(element) {
    if (matches(element, BUTTONS)) return /^(submit|button|reset)$/.test(attribute(element, "type")) || matches(element, "select");
    return ["::before", "::after"].some((name) => /[^"\s]/.test(getComputedStyle(element, name).content.replace(/^(none|normal)$/, "")));
  }
}
