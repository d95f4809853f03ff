// How bun 1.4 prints a value, byte for byte. Reference results were made by bun, and deno lays objects out differently.

const LINE = 80; // a new line is due once the current one has passed this many columns
const CROWD = 10; // an array longer than this opens on a line of its own
const SHOWN = 100; // elements of an array that are printed
const DEPTH = 2; // containers deeper than this are only named
const CHAIN = 5; // prototypes whose members are listed

const { getPrototypeOf, getOwnPropertyDescriptor } = Object;
const { ownKeys } = Reflect;
const stringify = JSON.stringify;
const source = Function.prototype.call.bind(Function.prototype.toString);
const brand = Function.prototype.call.bind(Object.prototype.toString);
const inspect = Deno.inspect;
const encoder = new TextEncoder();
const ITERATOR_METHODS = (
  "next toArray forEach some every find reduce map filter take drop flatMap chunks windows includes join"
).split(" ");
const PLAIN_OBJECTS = [RegExp, String, Number, Boolean];
const CUSTOM = Symbol.for("nodejs.util.inspect.custom");
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const WIDE = /[^\0-\xff]/;

// Iterators of maps and sets can't be looked into without using them up, so they remember where they came from.
const origins = new WeakMap();
for (const [kind, methods] of [[Map, ["keys", "values", "entries"]], [Set, ["keys", "values", "entries"]]]) {
  for (const method of methods) {
    const plain = kind.prototype[method];
    const remembering = { [method]() {
      const iterator = plain.call(this);
      origins.set(iterator, () => [...plain.call(this)]);
      return iterator;
    } }[method];
    Object.defineProperty(kind.prototype, method, { value: remembering, writable: true, configurable: true });
  }
}

const isNative = (fn) => source(fn).endsWith("{ [native code] }");
const CLASS = /^class\b|^function [A-Z]\w*\(\) \{ \[native code\] \}$/;
const isClass = (fn) => CLASS.test(source(fn)) && Object.hasOwn(fn, "prototype");
// A method named by a symbol has no name in bun, unless the engine brought it; a bound function keeps its own name.
const nameOf = (fn) => {
  const name = typeof fn.name === "string" ? fn.name.replace(/^(bound )+/, "") : "";
  return name[0] !== "[" || isNative(fn) ? name : "";
};

// What a value is printed as. An array whose first element is not "plain" opens on a new line.
function kindOf(value) {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return "plain";
  if (typeof value[CUSTOM] === "function") return "custom";
  if (typeof value === "function") return isClass(value) ? "class" : "function";
  if (Array.isArray(value)) return "array";
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return "bytes";
  if (value instanceof Error) return "error";
  switch (brand(value)) {
    case "[object Arguments]": return "array";
    case "[object Generator]": case "[object AsyncGenerator]": case "[object String Iterator]": return "opaque";
    case "[object Array Iterator]": case "[object RegExp String Iterator]": return "helpers";
  }
  if (value instanceof Map || value instanceof WeakMap) return "map";
  if (value instanceof Set || value instanceof WeakSet) return "set";
  if (origins.has(value)) return "iterator";
  if (value instanceof Promise) return "promise";
  if (value instanceof Date) return "date";
  if (PLAIN_OBJECTS.some((kind) => value instanceof kind)) return "plain";
  return "object";
}

function objectName(value) {
  const proto = getPrototypeOf(value);
  if (proto === null) return "[Object: null prototype]";
  let name = "Object";
  for (let level = value; level !== null; level = getPrototypeOf(level)) {
    const made = getOwnPropertyDescriptor(level, "constructor")?.value;
    if (typeof made === "function" && nameOf(made) !== "") {
      name = nameOf(made);
      break;
    }
  }
  if (name !== "Object" && name !== "Iterator") return name;
  const tag = value[Symbol.toStringTag];
  return typeof tag === "string" && tag !== "" && tag !== "Object" ? tag : null;
}

// bun escapes text by two routes: one for narrow text, and JSON's own for text beyond Latin-1.
function quoted(text) {
  const json = stringify(text);
  return WIDE.test(text) ? json : json.replace(/\\u00[0-9a-f]{2}/g, (code) => "\\u" + code.slice(2).toUpperCase());
}

export class Printer {
  out = "";
  line = 0; // bun's estimate of the current column; its slips are part of the format
  depth = 0;
  quoting = false;
  seen = [];

  constructor(indent, maxDepth = DEPTH, single = false) {
    this.indent = indent;
    this.maxDepth = maxDepth;
    this.single = single;
  }

  put(text, columns = text.length) {
    this.out += text;
    this.line += columns;
  }

  pad() {
    this.out += "  ".repeat(this.indent);
  }

  due() {
    if (this.line <= LINE) return false;
    this.line = this.indent * 2;
    return true;
  }

  // A comma was just written: go to the next line or leave a space.
  step(fresh) {
    if (!this.single && fresh) {
      this.out += "\n";
      this.pad();
    } else this.put(" ");
  }

  value(value) {
    const kind = kindOf(value);
    const circular = kind !== "plain" && kind !== "custom" && kind !== "date" && kind !== "promise" && kind !== "bytes";
    if (circular) {
      if (this.seen.includes(value)) return this.put("[Circular]", 0);
      this.seen.push(value);
    }
    const quoting = this.quoting;
    if (kind !== "plain" && kind !== "custom") this.quoting = true;
    this[kind](value);
    this.quoting = quoting;
    if (circular) this.seen.pop();
  }

  plain(value) {
    if (value instanceof Number || value instanceof Boolean) {
      const name = value instanceof Number ? "Number" : "Boolean";
      const own = value.constructor?.name;
      return this.put(own === name || !own ? `[${name}: ${value}]` : `[${name} (${own}): ${value}]`);
    }
    if (typeof value === "string" || value instanceof String) return this.text(String(value));
    if (typeof value === "bigint") return this.put(`${value}n`, `${value}`.length);
    if (Object.is(value, -0)) return this.put("-0");
    this.put(String(value));
  }

  text(text) {
    if (!this.quoting) return this.put(text);
    if (text === "") return this.put('""', 0);
    const json = quoted(text);
    this.put(json, WIDE.test(text) ? text.length + json.length : text.length);
  }

  custom(value) {
    const made = value[CUSTOM](this.maxDepth - this.depth, { depth: this.maxDepth, colors: false }, inspect);
    if (typeof made === "string") this.put(made, 0);
    else this.value(made);
  }

  class(value) {
    const name = nameOf(value);
    const parent = nameOf(getPrototypeOf(value) ?? {});
    this.put(`[class ${name || "(anonymous)"}${parent ? ` extends ${parent}` : ""}]`, name.length + parent.length);
  }

  function(value) {
    const tag = getPrototypeOf(value)?.[Symbol.toStringTag];
    const name = nameOf(value);
    this.put(`[${typeof tag === "string" && tag ? tag : "Function"}${name ? `: ${name}` : ""}]`, 0);
  }

  opaque() {
    this.put("{}");
  }

  // Iterators of the language list the methods of bun's engine, which are not quite those of deno's.
  helpers(value) {
    const members = Object.fromEntries(ITERATOR_METHODS.map((name) => [name, { [name]() {} }[name]]));
    for (const symbol of ["iterator", "dispose"]) {
      members[Symbol[symbol]] = Object.defineProperty(isNative.bind(null), "name", { value: `[Symbol.${symbol}]` });
    }
    members[Symbol.toStringTag] = value[Symbol.toStringTag];
    this.object(members);
  }

  date(value) {
    const time = Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString();
    this.put(time, time === "Invalid Date" ? 4 : time.length + 2);
  }

  promise(value) {
    if (!this.single && this.due()) {
      this.out += "\n";
      this.pad();
    }
    const state = /^\w+ \{\s*<(pending|rejected)>/.exec(inspect(value, { depth: 0, colors: false }))?.[1] ?? "resolved";
    this.put(`Promise { <${state}> }`, 0);
  }

  error(value) {
    const { name, message } = value;
    this.put(`${name === "Error" || !name ? "error" : name}: ${message}`);
    const own = ownKeys(value).filter((key) => !["stack", "message", "name", "cause"].includes(key));
    if (own.length > 0) {
      for (const key of own) {
        this.put(`\n ${String(key)}: `);
        this.value(value[key]);
        this.put(",");
      }
      this.put("\n");
    }
  }

  bytes(value) {
    if (globalThis.Buffer?.isBuffer?.(value)) {
      const hex = Array.from(value.subarray(0, 50), (byte) => byte.toString(16).padStart(2, "0")).join(" ");
      return this.put(`<Buffer ${hex}${value.length > 50 ? ` ... ${value.length - 50} more bytes` : ""}>`, 0);
    }
    const name = value.constructor?.name || brand(value).slice(8, -1);
    const items = value instanceof ArrayBuffer || value instanceof DataView
      ? new Uint8Array(value.buffer ?? value, value.byteOffset ?? 0, value.byteLength)
      : value;
    if (items.length === 0) return this.put(`${name}(0) []`, 0);
    const shown = Array.from(items.subarray(0, 512), (item) => (typeof item === "bigint" ? `${item}n` : String(item)));
    if (items.length > 512) shown.push(`... ${items.length - 512} more`);
    this.put(`${name}(${items.length}) [ ${shown.join(", ")} ]`, 2 * (shown.length - 1));
  }

  tooDeep(name) {
    if (this.depth <= this.maxDepth) return false;
    // bun counts the columns of all these names but that of an object.
    this.put(`[${name} ...]`, name === "Object" ? 0 : name.length + 6);
    return true;
  }

  array(value) {
    const length = value.length;
    if (length === 0) return this.put("[]");
    if (this.tooDeep("Array")) return;
    this.indent++;
    this.depth++;
    this.line += 2;
    let open = length > CROWD || (0 in value && kindOf(value[0]) !== "plain") || this.due();
    if (open && !this.single) {
      this.out += "[\n";
      this.pad();
      this.line = this.indent * 2 + 1;
    } else this.put("[ ");

    let hole = 0;
    let shown = 0;
    const next = () => {
      this.put(",");
      const fresh = this.due();
      open ||= fresh;
      this.step(fresh);
    };
    const holes = (end) => {
      if (hole === 0) return;
      if (end > hole) next();
      this.put(hole === 1 ? "empty item" : `${hole} x empty items`);
      hole = 0;
    };
    for (let i = 0; i < length; i++) {
      if (!(i in value)) {
        hole++;
        continue;
      }
      if (shown >= SHOWN) {
        this.out += ",\n";
        this.pad();
        this.line = 0;
        this.put(`... ${length - i} more items`);
        hole = 0;
        break;
      }
      holes(i);
      if (i > 0) next();
      this.value(value[i]);
      shown++;
    }
    holes(length);
    if (brand(value) !== "[object Arguments]") {
      this.due();
      for (const key of ownKeys(value)) {
        if (key === "length" || (typeof key === "string" && /^\d+$/.test(key))) continue;
        this.put(",");
        this.step(this.due());
        this.member(key, getOwnPropertyDescriptor(value, key));
      }
    }
    this.depth--;
    this.indent--;
    if ((open || this.due()) && !this.single) {
      this.out += "\n";
      this.pad();
      this.out += "]";
      this.line = this.indent * 2 + 1;
    } else this.put(" ]");
  }

  member(key, slot) {
    if (typeof key === "symbol") this.put(`[Symbol(${key.description ?? ""})]: `, 12 + (key.description ?? "").length);
    else if (IDENTIFIER.test(key)) this.put(`${key}: `, key.length + 1);
    else this.put(`${quoted(key)}: `, key.length + 2);
    if ("value" in slot) this.value(slot.value);
    else this.put(slot.get && slot.set ? "[Getter/Setter]" : slot.get ? "[Getter]" : "[Setter]", 0);
  }

  object(value) {
    this.due();
    if (this.tooDeep("Object")) return;
    const name = objectName(value);
    const members = new Map();
    let level = value;
    for (let n = 0; level !== null && level !== Object.prototype && n < CHAIN; level = getPrototypeOf(level), n++) {
      for (const key of ownKeys(level)) {
        if (key === "constructor" || key === "__proto__" || key === Symbol.toStringTag || members.has(key)) continue;
        members.set(key, getOwnPropertyDescriptor(level, key));
      }
    }
    if (name !== null) this.put(`${name} `, 0);
    if (members.size === 0) return this.put("{}", 0);
    this.line = this.indent * 2 + 1;
    this.indent++;
    this.depth++;
    this.out += this.single ? "{ " : "{\n";
    if (!this.single) this.pad();
    let first = true;
    for (const [key, slot] of members) {
      if (!first) {
        this.put(",");
        this.step(true);
        if (!this.single) this.line = this.indent * 2;
      }
      first = false;
      this.member(key, slot);
    }
    this.depth--;
    this.indent--;
    if (this.single) return this.put(" }");
    this.out += ",\n";
    this.line += 1;
    this.pad();
    this.put("}");
  }

  // Maps, sets and their iterators: one entry a line, whatever its length.
  entries(title, list, entry, gap = "") {
    this.out += this.single ? `${title} { ` : `${title} {${gap}\n`;
    this.indent++;
    this.depth++;
    list.forEach((item, i) => {
      if (this.single && i > 0) this.put(", ", 1);
      if (!this.single) this.pad();
      entry(item);
      if (!this.single) this.put(",\n", 1);
    });
    this.depth--;
    this.indent--;
    if (this.single) this.out += " ";
    else this.pad();
    this.out += "}";
  }

  map(value) {
    const size = value instanceof Map ? value.size : 0;
    if (size === 0) return this.put(value instanceof Map ? "Map {}" : "WeakMap {}", 0);
    if (this.tooDeep("Map")) return;
    this.entries(`Map(${size})`, [...value], ([key, item]) => {
      this.value(key);
      this.out += ": ";
      this.value(item);
    });
  }

  set(value) {
    const size = value instanceof Set ? value.size : 0;
    if (size === 0) return this.put(value instanceof Set ? "Set {}" : "WeakSet {}", 0);
    if (this.tooDeep("Set")) return;
    this.entries(`Set(${size})`, [...value], (item) => this.value(item));
  }

  iterator(value) {
    const title = brand(value) === "[object Map Iterator]" ? "MapIterator" : "SetIterator";
    this.entries(title, origins.get(value)(), (item) => this.value(item), " ");
  }

  // A text followed by more arguments may hold %-places that use them up; `%%` is one sign.
  places(text, rest) {
    this.line += encoder.encode(text).length; // bytes here, characters everywhere else
    let done = 0;
    for (let i = text.indexOf("%"); i >= 0 && rest.length > 0; i = text.indexOf("%", i)) {
      const place = text[i + 1];
      if (place === "%") {
        this.out += text.slice(done, i + 1);
        done = i += 2;
        continue;
      }
      if (!PLACES[place]) {
        i += 2;
        continue;
      }
      this.out += text.slice(done, i);
      done = i += 2;
      PLACES[place](this, rest.shift());
    }
    this.out += text.slice(done);
  }

  list(args) {
    const rest = [...args];
    for (let first = true; rest.length > 0; first = false) {
      if (!first) this.out += " ";
      const value = rest.shift();
      if (typeof value === "string" && rest.length > 0) this.places(value, rest);
      else this.value(value);
    }
    return this.out;
  }
}

function whole(value) {
  const number = typeof value === "symbol" ? NaN : typeof value === "number" ? value : +value;
  if (!Number.isFinite(number)) return NaN;
  return parseInt(String(number), 10) || 0;
}

const PLACES = {
  s: (printer, value) => printer.put(`${value}`), // not String(): a symbol must throw
  d: (printer, value) => printer.put(String(whole(value))),
  i: (printer, value) => printer.put(String(whole(value))),
  f: (printer, value) => printer.put(String(typeof value === "symbol" ? NaN : +value)),
  j: (printer, value) => printer.put(stringify(value) ?? ""),
  o: (printer, value) => printer.value(value),
  O: (printer, value) => printer.value(value),
  c: () => {},
};
