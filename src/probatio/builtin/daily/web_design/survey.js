// What a person with eyes, a keyboard or a screen reader finds on the page, as plain data.
// Runs in a JavaScript world of its own: the page shares the document with it, but none of its functions can be replaced.
// Built-ins are called through their prototypes because a form field named "getAttribute" would shadow the method.
async ({ wake }) => {
  const call = (type, name) => Function.prototype.call.bind(type.prototype[name]);
  const read = (type, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  const all = call(Document, "querySelectorAll");
  const attribute = call(Element, "getAttribute");
  const rectangle = call(Element, "getBoundingClientRect");
  const visible = call(Element, "checkVisibility");
  const parentOf = read(Node, "parentElement");
  const kidsOf = read(Node, "childNodes");
  const idOf = read(Element, "id");
  const tagOf = read(Element, "localName");
  const roleOf = read(Element, "computedRole");
  const nameOf = read(Element, "computedName");
  const tabOf = read(HTMLElement, "tabIndex");
  const textOf = read(Node, "textContent");
  const tabbed = (element) => { try { return tabOf(element); } catch { return element.tabIndex ?? -1; } };  // SVG has its own
  const root = read(Document, "documentElement")(document);
  const body = read(Document, "body")(document) || root;
  const focused = read(Document, "activeElement")(document);
  const MOST_ELEMENTS = 6000, LONGEST = 600;
  const squeeze = (text) => text.replace(/\s+/g, " ").trim();

  // Animations are finished: what is measured must not depend on the moment.
  const settle = () => {
    for (const animation of call(Document, "getAnimations")(document)) {
      const ends = animation.effect && animation.effect.getComputedTiming().endTime;
      try { Number.isFinite(ends) ? animation.finish() : animation.cancel(); } catch { animation.cancel(); }
    }
  };
  if (wake) {
    // Some pages show a part only once it is scrolled to.
    const frame = () => new Promise((done) => { requestAnimationFrame(() => setTimeout(done, 0)); setTimeout(done, 200); });
    await frame();
    const height = root.scrollHeight;
    for (let y = innerHeight, steps = 0; y < height && steps < 8; y += innerHeight, steps++) {
      scrollTo({ top: y, behavior: "instant" });
      await frame();
    }
    scrollTo({ top: 0, behavior: "instant" });
    await frame();
  }
  settle();

  const styles = new Map();
  const styleOf = (element) => {
    if (!styles.has(element)) styles.set(element, getComputedStyle(element));
    return styles.get(element);
  };

  // Colours: whatever notation, as red, green, blue (0–255) and alpha (0–1).
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });
  const colours = new Map();
  const colour = (text) => {
    if (!colours.has(text)) {
      canvas.clearRect(0, 0, 1, 1);
      canvas.fillStyle = "#000";
      canvas.fillStyle = text;
      canvas.fillRect(0, 0, 1, 1);
      const [r, g, b, a] = canvas.getImageData(0, 0, 1, 1).data;
      colours.set(text, [r, g, b, a / 255]);
    }
    return colours.get(text);
  };
  const over = ([r, g, b, a], under, share = 1) => {
    const alpha = a * share;
    return [r, g, b].map((value, i) => value * alpha + under[i] * (1 - alpha));
  };
  const luminance = (rgb) => {
    const [r, g, b] = rgb.map((v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (one, other) => {
    const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
    return (high + 0.05) / (low + 0.05);
  };
  const STOP = /(?:rgba?|hsla?|oklch|oklab|lab|lch|color|hwb)\([^()]*\)|#[0-9a-f]{3,8}\b/gi;
  const stopsOf = (image) => (image.match(STOP) || []).map(colour);

  // What may lie behind an element's content: several colours where a gradient does, unknown where a picture does.
  const grounds = new Map();
  const ground = (element) => {
    if (!element) return { colours: [[255, 255, 255]], unknown: false };
    if (grounds.has(element)) return grounds.get(element);
    const style = styleOf(element), below = ground(parentOf(element));
    let { colours: layers, unknown } = below;
    if (style.backgroundClip !== "text") {
      const share = Number(style.opacity), paint = colour(style.backgroundColor);
      if (paint[3] > 0) {
        layers = layers.map((under) => over(paint, under, share));
        if (paint[3] * share > 0.98) unknown = false;
      }
      if (style.backgroundImage !== "none") {
        const stops = style.backgroundImage.includes("gradient(") ? stopsOf(style.backgroundImage) : [];
        if (style.backgroundImage.includes("url(")) unknown = true;
        if (stops.length) layers = stops.flatMap((stop) => layers.map((under) => over(stop, under, share))).slice(0, 24);
      }
    }
    const result = { colours: layers, unknown };
    grounds.set(element, result);
    return result;
  };
  const opacities = new Map();
  const opacity = (element) => {
    if (!element) return 1;
    if (!opacities.has(element)) opacities.set(element, Number(styleOf(element).opacity) * opacity(parentOf(element)));
    return opacities.get(element);
  };
  const inks = (element, style) => {
    const fill = colour(style.webkitTextFillColor || style.color);
    const clipped = style.backgroundClip === "text" && fill[3] < 0.5 ? stopsOf(style.backgroundImage) : [];
    return clipped.length ? clipped : [fill];
  };
  const contrast = (element) => {
    const style = styleOf(element), { colours: behind, unknown } = ground(element), share = opacity(element);
    let worst = Infinity;
    for (const ink of inks(element, style)) {
      for (const under of behind) worst = Math.min(worst, ratio(over(ink, under, share), under));
    }
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const light = behind.reduce((sum, rgb) => sum + luminance(rgb), 0) / behind.length;
    return { ratio: Math.round(worst * 100) / 100, need: large ? 3 : 4.5, unknown, light };
  };

  // Whether anything of a rectangle is to be seen: on the page, not faded away, not clipped off by what is around it.
  const shutSideways = [root, body].some((element) => /hidden|clip/.test(styleOf(element).overflowX));
  const pageWidth = shutSideways ? innerWidth : Math.max(root.scrollWidth, innerWidth);
  const shows = (element, box) => {
    if (!visible(element, { visibilityProperty: true, contentVisibilityAuto: false }) || opacity(element) < 0.2) return false;
    let { left, top, right, bottom } = box;
    for (let up = element, style; up; up = parentOf(up)) {
      style = styleOf(up);
      if (style.clipPath.startsWith("inset(") && style.clipPath.includes("50%")) return false;
      if (style.clip !== "auto" && /absolute|fixed/.test(style.position)) return false;
      if (up !== root && up !== body && up !== element && style.overflowX !== "visible") {
        const edge = rectangle(up);
        // What can be scrolled to inside a box counts as shown.
        if (/auto|scroll/.test(style.overflowX + style.overflowY)) ({ left, top, right, bottom } = edge);
        [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
        [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
      }
      if (style.position === "fixed") break;
    }
    left = Math.max(left, -scrollX);
    top = Math.max(top, -scrollY);
    right = Math.min(right, pageWidth - scrollX);
    return right - left >= 2 && bottom - top >= 2;
  };

  // Every run of text, and whether it can be read.
  const elements = [...all(document, "*")].slice(0, MOST_ELEMENTS);
  const texts = new Map();
  const runs = [];
  const scrolls = (element) => {
    for (let up = element; up && up !== body && up !== root; up = parentOf(up)) {
      if (/auto|scroll/.test(styleOf(up).overflowX) && up.scrollWidth > up.clientWidth) return true;
    }
    return false;
  };
  const run = (element, text, box) => {
    const { ratio: reached, need, unknown, light } = contrast(element);
    const readable = parseFloat(styleOf(element).fontSize) >= 7 && (unknown || reached >= 1.25);
    const seen = readable && shows(element, box);
    if (seen) for (let up = element; up; up = parentOf(up)) {
      const before = texts.get(up) || "";
      if (before.length < LONGEST * 4) texts.set(up, before + " " + text);
    }
    const idle = (tagOf(element) !== "option" && element.disabled === true) || attribute(element, "aria-disabled") === "true";
    const counts = seen && !unknown && !idle && /[\p{L}\p{N}]/u.test(text);
    const cut = seen && box.left < innerWidth && !scrolls(element) ? Math.max(0, Math.round(box.right - innerWidth)) : 0;
    runs.push({ text: text.slice(0, 60), seen, counts, ratio: reached, need, light, cut });
  };
  const UNREAD = new Set(["script", "style", "noscript", "template", "title", "head", "option", "textarea", "iframe"]);
  for (const element of elements) {
    if (UNREAD.has(tagOf(element))) continue;
    for (const node of kidsOf(element)) {
      if (node.nodeType !== 3) continue;
      const text = squeeze(node.data);
      if (!text) continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      run(element, text, range.getBoundingClientRect());
    }
    const shown = tagOf(element) === "input" && /^(submit|button|reset)$/.test(element.type) ? squeeze(element.value) : "";
    if (shown) run(element, shown, rectangle(element));
    if (tagOf(element) === "select" && element.selectedOptions?.length) {
      run(element, squeeze(element.selectedOptions[0].textContent), rectangle(element));
    }
  }

  const FIELDS = new Set(["input", "select", "textarea"]);
  const UNLABELLED = new Set(["hidden", "submit", "button", "reset", "image"]);
  const labelsOf = (element) => (FIELDS.has(tagOf(element)) ? [...(element.labels || [])] : []);
  const named = (element) =>
    labelsOf(element).some((label) => squeeze(label.textContent)) ||
    squeeze(attribute(element, "aria-label") || "") ||
    (attribute(element, "aria-labelledby") || "").split(/\s+/).some((id) => {
      const target = id && call(Document, "getElementById")(document, id);
      return target && squeeze(textOf(target));
    });

  // An element has substance where its text can be read or something is drawn. Without both it is an empty place.
  const DRAWN = "img, svg, canvas, video, picture, hr, progress, meter, input, select, textarea, dialog";
  const painted = (element) => {
    const style = styleOf(element), [below] = ground(parentOf(element)).colours, [own] = ground(element).colours;
    const edge = parseFloat(style.borderTopWidth) > 0 && ratio(over(colour(style.borderTopColor), below), below) >= 1.2;
    const beside = ["::before", "::after"].some((name) => !/^(none|normal|""|)$/.test(getComputedStyle(element, name).content));
    return edge || beside || style.backgroundImage !== "none" || ratio(own, below) >= 1.2;
  };
  const substance = (element) => {
    if (texts.has(element) || call(Element, "matches")(element, DRAWN)) return true;
    const drawn = [...call(Element, "querySelectorAll")(element, DRAWN)].some((one) => shows(one, rectangle(one)));
    if (drawn || squeeze(textOf(element))) return drawn;
    return [element, ...call(Element, "querySelectorAll")(element, "*")].slice(0, 20).some(painted);
  };

  const kept = elements.filter((element) => {
    const role = roleOf(element);
    return idOf(element) || (role && role !== "generic" && role !== "none") || tagOf(element) === "summary" || element === body;
  });
  const place = new Map(kept.map((element, index) => [element, index]));
  globalThis.probatioElements = kept;
  const STATES = ["pressed", "checked", "selected", "expanded", "invalid", "sort", "current", "hidden", "controls",
    "describedby", "errormessage", "modal", "live", "label"];
  const descriptions = kept.map((element, index) => {
    const box = rectangle(element), within = [];
    for (let up = parentOf(element); up; up = parentOf(up)) if (place.has(up)) within.push(place.get(up));
    const states = {};
    for (const name of STATES) {
      const value = attribute(element, "aria-" + name);
      if (value !== null) states[name] = value;
    }
    const tag = tagOf(element), field = FIELDS.has(tag);
    if (tag === "input" && /checkbox|radio/.test(element.type)) states.checked ??= String(element.checked);
    if (tag === "th") states.scope = attribute(element, "scope") || "";
    if (tag === "dialog") states.open = String(element.open);
    const labels = /checkbox|radio/.test(element.type) ? labelsOf(element) : [];
    const seen = (shows(element, box) && (field || substance(element))) || labels.some((label) => shows(label, rectangle(label)));
    return {
      index, tag, id: idOf(element), role: roleOf(element), name: squeeze(nameOf(element) || "").slice(0, LONGEST),
      text: squeeze(texts.get(element) || "").slice(0, LONGEST * 4), seen, box: [box.left, box.top, box.width, box.height].map(Math.round),
      within, states, focus: element === focused, tabindex: tabbed(element),
      value: field ? String(element.value).slice(0, LONGEST) : "", type: field ? String(element.type) : "",
      labelled: field && !UNLABELLED.has(element.type) ? Boolean(named(element)) : null,
      level: /^h[1-6]$/.test(tag) ? Number(tag[1]) : 0,
    };
  });

  const meta = [...all(document, "meta[name=viewport i]")].map((element) => attribute(element, "content") || "").join(",");
  const stored = {};
  try { for (let i = 0; i < Math.min(localStorage.length, 20); i++) stored[localStorage.key(i)] = localStorage.getItem(localStorage.key(i)).slice(0, 200); } catch { /* the page has no storage */ }
  return {
    elements: descriptions, runs: runs.slice(0, 3000), stored,
    overflow: Math.max(shutSideways ? 0 : root.scrollWidth - innerWidth, ...runs.map((one) => one.cut), 0),
    document: {
      doctype: document.compatMode === "CSS1Compat", title: squeeze(read(Document, "title")(document)),
      lang: squeeze(attribute(root, "lang") || ""), viewport: /width\s*=\s*device-width/i.test(meta),
    },
  };
}
