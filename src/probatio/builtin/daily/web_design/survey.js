// What a person with eyes, a keyboard or a screen reader finds on the page, as plain data.
// Runs in a JavaScript world of its own: the page shares the document with it, but none of its functions can be replaced.
// Everything is read through prototypes, never from an element: a form's field named "getAttribute" or "computedRole" would
// shadow the real one, and so would an image named "createRange" on the document.
async ({ wake, moments, veiled = [], blank = false }) => {
  const call = (type, name) => Function.prototype.call.bind(type.prototype[name]);
  const read = (type, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(type.prototype, name).get);
  const get = (element, name) => {
    for (let type = Object.getPrototypeOf(element); type; type = Object.getPrototypeOf(type)) {
      const property = Object.getOwnPropertyDescriptor(type, name);
      if (property) return property.get ? property.get.call(element) : property.value;
    }
    return undefined;
  };
  const all = call(Document, "querySelectorAll");
  const attribute = call(Element, "getAttribute");
  const rectangle = call(Element, "getBoundingClientRect");
  const visible = call(Element, "checkVisibility");
  const parentOf = read(Node, "parentElement");
  const kidsOf = read(Node, "childNodes");
  const idOf = read(Element, "id");
  const tagOf = read(Element, "localName");
  const root = read(Document, "documentElement")(document);
  const body = read(Document, "body")(document) || root;
  const focused = read(Document, "activeElement")(document);
  const textOf = read(Node, "textContent");
  const MOST_ELEMENTS = 6000, MOST_RUNS = 3000, DEEPEST = 100, LONGEST = 600;
  const squeeze = (text) => String(text).slice(0, LONGEST * 20).replace(/\s+/g, " ").trim();
  const short = (text) => String(text ?? "").slice(0, LONGEST);

  // What a survey before found out not to be painted.
  const unpainted = new Set(veiled.map((number) => globalThis.probatioItems?.[number]));

  // Animations are finished: what is measured must not depend on the moment. One that does not end while someone looks at the
  // page is shown as it is half of that time: at the moment with the median opacity. One that goes with the scrolling is taken
  // away, and comes back when the survey is done: whether it lets a text be seen, the pictures of the page tell.
  const SOON = 5000, MOST_HELD = 50, scrolling = [];
  let held = 0;
  const hold = (animation) => {
    const { target, pseudoElement } = animation.effect;
    animation.pause();
    const shown = (++held > MOST_HELD ? [moments[0]] : moments).map((time) => {
      animation.currentTime = time;
      return [Number(target ? getComputedStyle(target, pseudoElement).opacity : 1), time];
    });
    shown.sort(([one], [other]) => one - other);
    animation.currentTime = shown[shown.length >> 1][1];
  };
  const settle = () => {
    for (const animation of call(Document, "getAnimations")(document)) {
      const ends = animation.effect && animation.effect.getComputedTiming().endTime;
      try {
        if (animation.timeline !== document.timeline) { scrolling.push(animation); animation.cancel(); }
        else if (Number.isFinite(ends) && ends <= SOON) animation.finish();
        else if (animation.effect) hold(animation);
        else animation.cancel();
      } catch { animation.cancel(); }
    }
  };
  if (wake) {
    // Some pages show a part only once it is scrolled to.
    // Two frames: what an observer saw in the first one, it says after it.
    const frame = () => new Promise((done) => {
      requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 0)));
      setTimeout(done, 400);
    });
    await frame();
    const height = get(root, "scrollHeight");
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
  const ADDRESS = /url\("((?:[^"\\]|\\.)*)"\)/g;
  const stopsOf = (image) => (image.replace(ADDRESS, "").match(STOP) || []).slice(0, 24).map(colour);

  // Pictures: what is in the page itself is loaded and sampled; all else was refused by us and is not painted.
  const SIDE = 6, MOST_PICTURES = 30;
  const pictures = (globalThis.probatioPictures ??= new Map());
  const sampled = async (address) => {
    const image = new Image();
    try {
      image.src = address;
      await Promise.race([image.decode(), new Promise((_, late) => setTimeout(late, 1000))]);
      const small = new OffscreenCanvas(SIDE, SIDE).getContext("2d", { willReadFrequently: true });
      small.drawImage(image, 0, 0, SIDE, SIDE);
      const data = small.getImageData(0, 0, SIDE, SIDE).data, samples = [];
      for (let i = 0; i < data.length; i += 4) samples.push([data[i], data[i + 1], data[i + 2], data[i + 3] / 255]);
      return { samples, width: image.naturalWidth, height: image.naturalHeight };
    } catch { return null; }
  };
  const picturesIn = (image) => [...image.matchAll(ADDRESS)].map((one) => one[1]).filter((one) => /^(data|blob):/.test(one));
  // How much of a box one picture paints: an icon beside the text is no ground of it.
  const nth = (list, i) => { const all = list.split(",").map((one) => one.trim()); return all[i % all.length]; };
  const share = (style, picture, box, i) => {
    const size = nth(style.backgroundSize, i);
    if (nth(style.backgroundRepeat, i) !== "no-repeat" || /cover|contain/.test(size)) return 1;
    const [wide, high = "auto"] = size.split(/\s+/);
    const side = (size, whole, natural) => size.endsWith("%") ? whole * parseFloat(size) / 100 : size.endsWith("px") ? parseFloat(size) : natural;
    const across = side(wide, box.width, picture.width), down = side(high, box.height, wide === "auto" ? picture.height : across);
    return Math.min(across, box.width) * Math.min(down, box.height) / Math.max(1, box.width * box.height);
  };
  // The layers of a background, the topmost first: the colours of a gradient, the samples of a picture, nothing for an icon.
  const layersOf = (element, style) => {
    const layers = [];
    for (const [layer] of style.backgroundImage.matchAll(/url\("(?:[^"\\]|\\.)*"\)|[a-z-]*gradient\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|\bnone\b/g)) {
      const picture = pictures.get(picturesIn(layer)[0]);
      layers.push(picture && share(style, picture, rectangle(element), layers.length) >= 0.5 ? picture.samples : stopsOf(layer));
    }
    return layers;
  };
  const samplesOf = (element, style) =>
    picturesIn(style.backgroundImage).some((one) => pictures.get(one)) ? layersOf(element, style).flat().slice(0, 144) : [];

  // What may lie behind an element's content: several colours where a gradient or a picture does.
  const dark = /dark/.test(styleOf(root).colorScheme) && !/light/.test(styleOf(root).colorScheme);
  const canvasColour = dark ? [18, 18, 18] : [255, 255, 255];
  const grounds = new Map();
  const ground = (element) => {
    if (!element) return { colours: [canvasColour], unknown: false };
    if (grounds.has(element)) return grounds.get(element);
    const style = styleOf(element), below = ground(parentOf(element));
    let { colours: layers, unknown } = below;
    if (style.backgroundClip !== "text") {
      const solid = Number(style.opacity), paint = colour(style.backgroundColor);
      if (paint[3] > 0) {
        layers = layers.map((under) => over(paint, under, solid));
        if (paint[3] * solid > 0.98) unknown = false;
      }
      if (style.backgroundImage !== "none") {
        if (picturesIn(style.backgroundImage).some((one) => pictures.get(one))) {
          let painted = false;
          for (const paints of layersOf(element, style).reverse()) {
            painted ||= paints.length === SIDE * SIDE;
            if (paints.length) layers = paints.flatMap((one) => layers.slice(0, 9).map((under) => over(one, under, solid))).slice(0, 144);
          }
          const lights = layers.map(luminance);
          // A picture of one colour is a colour.
          if (painted) unknown = Math.max(...lights) - Math.min(...lights) > 0.05;
        } else {
          const stops = style.backgroundImage.includes("gradient(") ? stopsOf(style.backgroundImage) : [];
          if (stops.length) layers = stops.flatMap((stop) => layers.map((under) => over(stop, under, solid))).slice(0, 24);
        }
      }
    }
    const result = { colours: layers, unknown };
    grounds.set(element, result);
    return result;
  };
  // What is left of an element by its filters and its mask: 0 where they leave nothing that could be read.
  const filtered = (filter) => {
    let left = 1;
    for (const [, name, size] of filter.matchAll(/([a-z-]+)\(\s*([\d.]+)/g)) {
      const amount = Number(size);
      if (name === "opacity") left *= amount;
      if ((name === "blur" && amount >= 5) || (/^(brightness|contrast)$/.test(name) && (amount < 0.1 || amount > 20))) return 0;
    }
    return left;
  };
  const masked = (element, style) => {
    const mask = style.maskImage || "none";
    if (mask === "none") return 1;
    const seen = [...stopsOf(mask), ...picturesIn(mask).flatMap((address) => pictures.get(address)?.samples || [])];
    return seen.some((one) => one[3] >= 0.2) ? 1 : 0;
  };
  const opacities = new Map();
  const opacity = (element) => {
    if (!element) return 1;
    if (!opacities.has(element)) {
      const style = styleOf(element);
      opacities.set(element, Number(style.opacity) * filtered(style.filter) * masked(element, style) * opacity(parentOf(element)));
    }
    return opacities.get(element);
  };
  const inks = (element, style) => {
    const fill = colour(style.webkitTextFillColor || style.color);
    const clipped = style.backgroundClip === "text" && fill[3] < 0.5
      ? [...stopsOf(style.backgroundImage), ...samplesOf(element, style)] : [];
    return clipped.length ? clipped : [fill];
  };
  const contrast = (element) => {
    const style = styleOf(element), { colours: behind, unknown } = ground(element), share = opacity(element);
    const ratios = [];
    for (const ink of inks(element, style)) for (const under of behind) ratios.push(ratio(over(ink, under, share), under));
    ratios.sort((a, b) => a - b);
    const worst = unknown ? ratios[ratios.length >> 1] : ratios[0];  // on a picture of many colours, that of half its ground
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
    const light = behind.reduce((sum, rgb) => sum + luminance(rgb), 0) / behind.length;
    return { ratio: Math.round(worst * 100) / 100, need: large ? 3 : 4.5, unknown, light };
  };

  // Whether anything of a rectangle is to be seen: on the page, not faded away, not clipped off by what is around it.
  const shutSideways = [root, body].some((element) => /hidden|clip/.test(styleOf(element).overflowX));
  const pageWidth = shutSideways ? innerWidth : Math.max(root.scrollWidth, innerWidth);
  // What an element does to all that is in it is read once: a style is costly to read, and every text asks all around it.
  const edges = new Map();
  const edgeOf = (element) => {
    if (!edges.has(element)) {
      const style = styleOf(element), { clipPath, position, overflowX } = style;
      const away = (clipPath.startsWith("inset(") && clipPath.includes("50%")) || (style.clip !== "auto" && /absolute|fixed/.test(position));
      const cuts = element !== root && element !== body && overflowX !== "visible";
      // What can be scrolled to inside a box counts as shown.
      edges.set(element, {
        away, cuts, fixed: position === "fixed", scrolls: cuts && /auto|scroll/.test(overflowX + style.overflowY), box: cuts && rectangle(element),
      });
    }
    return edges.get(element);
  };
  const shows = (element, box) => {
    if (blank) return false;
    let boxed = element;
    while (boxed !== root && styleOf(boxed).display === "contents") boxed = parentOf(boxed);
    if (!visible(boxed, { visibilityProperty: true, contentVisibilityAuto: false }) || opacity(element) < 0.2) return false;
    let { left, top, right, bottom } = box;
    for (let up = element; up; up = parentOf(up)) {
      const edge = edgeOf(up);
      if (edge.away) return false;
      if (edge.cuts && up !== element) {
        if (edge.scrolls) ({ left, top, right, bottom } = edge.box);
        [left, right] = [Math.max(left, edge.box.left), Math.min(right, edge.box.right)];
        [top, bottom] = [Math.max(top, edge.box.top), Math.min(bottom, edge.box.bottom)];
      }
      if (edge.fixed) break;
    }
    left = Math.max(left, -scrollX);
    top = Math.max(top, -scrollY);
    right = Math.min(right, pageWidth - scrollX);
    return right - left >= 2 && bottom - top >= 2;
  };

  // Every run of text in the order of the document, and whether it can be read.
  const elements = [...all(document, "*")].slice(0, MOST_ELEMENTS);
  const waiting = new Set();
  for (const element of elements) {
    const { backgroundImage, maskImage } = styleOf(element);
    for (const address of picturesIn(`${backgroundImage} ${maskImage}`)) {
      if (!pictures.has(address) && waiting.size < MOST_PICTURES) waiting.add(address);
    }
  }
  await Promise.all([...waiting].map(async (address) => pictures.set(address, await sampled(address))));

  const scrolls = (element) => {
    for (let up = element; up && up !== body && up !== root; up = parentOf(up)) {
      if (/auto|scroll/.test(styleOf(up).overflowX) && get(up, "scrollWidth") > get(up, "clientWidth")) return true;
    }
    return false;
  };
  const legible = (element, text, boxes) => {
    const style = styleOf(element), size = parseFloat(style.fontSize);
    if (size < 7 || (style.webkitTextSecurity || "none") !== "none") return false;
    if (style.unicodeBidi.includes("override") && style.direction === "rtl") return false;
    if (!style.writingMode.startsWith("horizontal")) return true;
    const width = boxes.reduce((sum, box) => sum + box.width, 0), height = Math.max(0, ...boxes.map((box) => box.height));
    return height >= 5 && width >= 0.1 * height * Math.min(text.length, LONGEST);  // not shrunk, and no heap of letters
  };
  const found = [];
  const run = (element, text, box, boxes = [box], node = element) => {
    if (found.length >= MOST_RUNS || !text) return;
    const { ratio: reached, need, unknown, light } = contrast(element);
    const seen = reached >= 1.25 && legible(element, text, boxes) && shows(element, box) && !unpainted.has(node);
    found.push({ element, node, text: text.slice(0, LONGEST * 4), box, boxes, seen, reached, need, unknown, light });
  };
  const generated = (element, name) => {
    const style = getComputedStyle(element, name), { content } = style;
    if (!content || !content.includes('"') || style.display === "none" || style.visibility !== "visible") return;
    if (!/static|relative/.test(style.position) || Number(style.opacity) < 0.2 || parseFloat(style.fontSize) < 7) return;
    const text = squeeze([...content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((one) => one[1]).join(""));
    const ink = colour(style.webkitTextFillColor || style.color), share = opacity(element);
    const plain = parseFloat(style.textIndent) >= 0 && style.clipPath === "none" && style.transform === "none";
    const drawn = plain && ground(element).colours.every((under) => ratio(over(ink, under, share), under) >= 1.25);
    // Signs and short words, such as the $ before a price. A page that writes its sentences into a style sheet is not read.
    const seen = shows(element, rectangle(element)) && !unpainted.has(element);
    if (drawn && text && text.length <= 12) found.push({ element, node: element, text, seen, mark: true });
  };
  const UNREAD = new Set(["script", "style", "noscript", "template", "title", "head", "option", "textarea", "iframe"]);
  const known = new Set(elements);
  const pending = [root];
  while (pending.length && found.length < MOST_RUNS) {
    const node = pending.pop();
    if (Array.isArray(node)) { generated(node[0], "::after"); continue; }
    if (get(node, "nodeType") === 3) {
      const text = squeeze(get(node, "data"));
      if (!text) continue;
      const range = new Range();
      range.selectNodeContents(node);
      run(parentOf(node), text, range.getBoundingClientRect(), [...range.getClientRects()].slice(0, 50), node);
      continue;
    }
    if (!known.has(node) || UNREAD.has(tagOf(node))) continue;
    generated(node, "::before");
    if (tagOf(node) === "input" && /^(submit|button|reset)$/.test(get(node, "type"))) run(node, squeeze(get(node, "value")), rectangle(node));
    if (tagOf(node) === "select" && get(node, "selectedOptions")?.length) {
      run(node, squeeze(textOf(get(node, "selectedOptions")[0])), rectangle(node));
    }
    pending.push([node], ...[...kidsOf(node)].slice(0, MOST_ELEMENTS).reverse());
  }

  // Whether something is painted over a text, or its element is cut away by any means that a click would notice too.
  const stackAt = call(Document, "elementsFromPoint");
  const inside = call(Node, "contains");
  const closest = call(Element, "closest");
  const modal = all(document, ":modal").length > 0;
  const OPAQUE = new Set(["img", "canvas", "video", "iframe", "object", "embed"]);
  const opaque = (element) => {
    if (opacity(element) < 0.9 || styleOf(element).visibility !== "visible") return false;
    const style = styleOf(element);
    if (OPAQUE.has(tagOf(element)) || colour(style.backgroundColor)[3] > 0.9) return true;
    const stops = style.backgroundImage === "none" ? [] : [...stopsOf(style.backgroundImage), ...samplesOf(element, style)];
    return stops.length > 0 && stops.every((one) => one[3] > 0.9);
  };
  // A bar that stays in its place while the page scrolls hides nothing for long; one that fills the window does.
  const passing = (element) => {
    for (let up = element; up && up !== body; up = parentOf(up)) {
      if (/fixed|sticky/.test(styleOf(up).position)) {
        const box = rectangle(up);
        return box.width * box.height < 0.9 * innerWidth * innerHeight;
      }
    }
    return false;
  };
  const bare = (element, x, y) => {
    const stack = stackAt(document, x, y);
    const at = stack.indexOf(element);
    if (at < 0) {
      const untouchable = styleOf(element).pointerEvents === "none" || modal || closest(element, "[inert]") || closest(element, "svg");
      if (!untouchable && styleOf(element).display !== "contents") return stack.length > 0 && passing(stack[0]);
    }
    const above = (at < 0 ? stack : stack.slice(0, at)).filter((one) => at >= 0 || !inside(one, element));
    if (above.some((one) => opaque(one) && !passing(one))) return false;
    const below = at < 0 ? [] : stack.slice(at + 1);
    for (const one of below) {
      if (inside(one, element) && opaque(one)) break;
      if (!inside(one, element) && opaque(one) && !OPAQUE.has(tagOf(one))) {
        const ink = inks(element, styleOf(element))[0];
        return ground(one).colours.some((under) => ratio(over(ink, under, opacity(element)), under) >= 1.25);
      }
    }
    return true;
  };
  if (wake) {
    const high = innerHeight, left = new Set(found.filter((one) => one.seen && !one.mark));
    const bottom = Math.min(get(root, "scrollHeight"), high * 12);
    for (let y = 0; y < bottom && left.size; y += Math.round(high * 0.7)) {
      scrollTo({ top: y, behavior: "instant" });
      const moved = scrollY;
      for (const one of left) {
        const spots = one.boxes.slice(0, 3).flatMap((box) => [0.5, 0.15, 0.85].map((part) => [box.left + box.width * part, box.top + box.height / 2 - moved]));
        const within = spots.filter(([x, y]) => x >= 0 && x < innerWidth && y >= 0 && y < high);
        if (!within.length) continue;
        one.hidden = !within.some(([x, y]) => bare(one.element, x, y));
        if (!one.hidden) left.delete(one);
      }
    }
    scrollTo({ top: 0, behavior: "instant" });
    for (const one of left) if (one.hidden) one.seen = false;
  }

  const texts = new Map(), marked = new Map();
  const runs = [];
  for (const { element, text, box, seen, reached, need, unknown, light, mark } of found) {
    if (seen) for (let up = element; up; up = parentOf(up)) {
      for (const kept of mark ? [marked] : [texts, marked]) {
        const before = kept.get(up) || "";
        if (before.length < LONGEST * 4) kept.set(up, before + " " + text);
      }
    }
    if (mark) continue;
    const idle = (tagOf(element) !== "option" && get(element, "disabled") === true) || attribute(element, "aria-disabled") === "true";
    const counts = seen && !unknown && !idle && /[\p{L}\p{N}]/u.test(text);
    const cut = seen && box.left < innerWidth && !scrolls(element) ? Math.max(0, Math.round(box.right - innerWidth)) : 0;
    runs.push({ text: text.slice(0, 60), seen, counts, ratio: reached, need, light, cut });
  }

  const FIELDS = new Set(["input", "select", "textarea"]);
  const UNLABELLED = new Set(["hidden", "submit", "button", "reset", "image"]);
  const typeOf = (element) => (FIELDS.has(tagOf(element)) ? String(get(element, "type")) : "");
  const labelsOf = (element) => (FIELDS.has(tagOf(element)) ? [...(get(element, "labels") || [])] : []);
  const named = (element) =>
    labelsOf(element).some((label) => squeeze(textOf(label))) ||
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
    const image = stopsOf(style.backgroundImage).length || picturesIn(style.backgroundImage).some((one) => pictures.get(one));
    return edge || beside || image || ratio(own, below) >= 1.2;
  };
  const substance = (element) => {
    if (texts.has(element) || call(Element, "matches")(element, DRAWN)) return true;
    const drawn = [...call(Element, "querySelectorAll")(element, DRAWN)].some((one) => shows(one, rectangle(one)));
    if (drawn || squeeze(textOf(element))) return drawn;
    return [element, ...call(Element, "querySelectorAll")(element, "*")].slice(0, 20).some(painted);
  };

  const roles = new Map(elements.map((element) => [element, get(element, "computedRole")]));
  const kept = elements.filter((element) => {
    const role = roles.get(element);
    return idOf(element) || (role && role !== "generic" && role !== "none") || tagOf(element) === "summary" || element === body;
  });
  const place = new Map(kept.map((element, index) => [element, index]));
  globalThis.probatioElements = kept;
  const STATES = ["pressed", "checked", "selected", "expanded", "invalid", "sort", "current", "hidden", "controls",
    "describedby", "errormessage", "modal", "live", "label"];
  const disabled = call(Element, "matches");
  const told = (kept, element) => squeeze(kept.get(element) || "").slice(0, LONGEST * 4);
  // What has to show in a picture of the page: every text, and what is drawn without one.
  const items = new Set(found.filter((one) => one.seen && /[\p{L}\p{N}$€£¥%]/u.test(one.text)).map((one) => one.node));
  const descriptions = kept.map((element, index) => {
    const box = rectangle(element), within = [];
    for (let up = parentOf(element); up && within.length < DEEPEST; up = parentOf(up)) if (place.has(up)) within.push(place.get(up));
    const states = {};
    for (const name of STATES) {
      const value = attribute(element, "aria-" + name);
      if (value !== null) states[name] = short(value);
    }
    const tag = tagOf(element), field = FIELDS.has(tag), type = typeOf(element);
    if (tag === "input" && /checkbox|radio/.test(type)) states.checked ??= String(get(element, "checked"));
    if (disabled(element, ":disabled") || attribute(element, "aria-disabled") === "true") states.disabled = "true";
    if (tag === "th") states.scope = short(attribute(element, "scope"));
    if (tag === "dialog") states.open = String(get(element, "open"));
    const labels = /checkbox|radio/.test(type) ? labelsOf(element) : [];
    const itself = shows(element, box) && (field || substance(element)) && !unpainted.has(element);
    if (itself && !texts.has(element)) items.add(element);
    const seen = itself || labels.some((label) => shows(label, rectangle(label)) && (texts.has(label) || !unpainted.size));
    return {
      index, tag: short(tag), id: short(idOf(element)), role: short(roles.get(element)),
      name: short(squeeze(get(element, "computedName") || "")), text: told(texts, element), marked: told(marked, element),
      seen, box: [box.left, box.top, box.width, box.height].map(Math.round),
      within, states, focus: element === focused, tabindex: get(element, "tabIndex") ?? -1,
      value: field ? short(get(element, "value")) : "", type: short(type),
      labelled: field && !UNLABELLED.has(type) ? Boolean(named(element)) : null,
      level: /^h[1-6]$/.test(tag) ? Number(tag[1]) : 0,
    };
  });

  const meta = [...all(document, "meta[name=viewport i]")].slice(0, 9).map((element) => short(attribute(element, "content"))).join(",");
  const stored = {};
  try {
    // The methods, because a key named "length" or "getItem" would shadow them.
    const keyAt = call(Storage, "key"), item = call(Storage, "getItem");
    for (let i = 0; i < Math.min(read(Storage, "length")(localStorage), 20); i++) {
      const key = keyAt(localStorage, i);
      stored["" + key.slice(0, 200).toWellFormed()] = item(localStorage, key).slice(0, 200);
    }
  } catch { /* the page has no storage */ }
  const snapshot = {
    elements: descriptions, runs, stored, items: items.size,
    overflow: Math.max(shutSideways ? 0 : get(root, "scrollWidth") - innerWidth, ...runs.map((one) => one.cut), 0),
    document: {
      doctype: read(Document, "compatMode")(document) === "CSS1Compat", title: short(squeeze(read(Document, "title")(document))),
      lang: short(squeeze(attribute(root, "lang") || "")), viewport: /width\s{0,9}=\s{0,9}device-width/i.test(meta),
    },
  };
  globalThis.probatioItems = [...items];
  for (const animation of scrolling) animation.play();
  // Half a surrogate pair is no text; in JSON it would be an error of ours.
  return JSON.stringify(snapshot, (_, value) => (typeof value === "string" ? value.toWellFormed() : value));
}
