// A console that prints as bun's does, on deno. Imported by every program, so reaching its end means that
// the whole program has parsed and all its imports were found.

import { Printer } from "./print.js";

const STARTED = "\x02"; // ASCII "start of text": the first byte of standard output, taken off again by run.py

const encoder = new TextEncoder();
const streams = { 1: Deno.stdout, 2: Deno.stderr };

function emit(fd, text) {
  let bytes = typeof text === "string" ? encoder.encode(text) : text;
  while (bytes.length > 0) bytes = bytes.subarray(streams[fd].writeSync(bytes));
}

let groups = 0;
const counts = new Map();
const clocks = new Map();

function print(fd, args, maxDepth) {
  const printer = new Printer(groups, maxDepth);
  printer.pad();
  emit(fd, printer.list(args) + "\n");
}

const width = (text) => [...text].length;

function table(data, properties) {
  if (data === null || typeof data !== "object") return print(1, [data]);
  const cell = (value) => {
    if (typeof value === "string") return value;
    const printer = new Printer(0, 5, true);
    printer.value(value);
    return printer.out;
  };
  const isMap = data instanceof Map;
  const listed = typeof data[Symbol.iterator] === "function";
  const rows = listed ? [...data].map((row, i) => [String(i), row]) : Object.entries(data);
  const columns = properties ? properties.map(String) : [];
  let values = false;
  for (const [, row] of isMap ? [] : rows) {
    if (row === null || typeof row !== "object") values ||= !properties;
    else if (!properties) for (const key of Object.keys(row)) if (!columns.includes(key)) columns.push(key);
  }
  const head = [" ", ...(isMap ? ["Key", "Values"] : columns), ...(values ? ["Values"] : [])];
  const body = rows.map(([name, row]) => {
    if (isMap) return [name, cell(row[0]), cell(row[1])];
    const flat = row === null || typeof row !== "object";
    const cells = columns.map((key) => (!flat && Object.hasOwn(row, key) ? cell(row[key]) : ""));
    return [name, ...cells, ...(values ? [flat ? cell(row) : ""] : [])];
  });
  const widths = head.map((name, i) => Math.max(width(name), ...body.map((row) => width(row[i]))));
  const rule = (left, mid, right) => left + widths.map((w) => "─".repeat(w + 2)).join(mid) + right + "\n";
  const line = (cells) => "│" + cells.map((text, i) => {
    const gap = " ".repeat(widths[i] - width(text));
    return i === 0 && cells !== head ? ` ${gap}${text} ` : ` ${text}${gap} `;
  }).join("│") + "│\n";
  const top = rule("┌", "┬", "┐") + line(head) + rule("├", "┼", "┤");
  emit(1, top + body.map(line).join("") + rule("└", "┴", "┘"));
}

const since = (label) => `[${(performance.now() - clocks.get(label)).toFixed(2)}ms] ${label}`;

const methods = {
  log: (...args) => print(1, args),
  info: (...args) => print(1, args),
  debug: (...args) => print(1, args),
  warn: (...args) => print(2, args),
  error: (...args) => print(2, args),
  trace: (...args) => print(1, args),
  assert: (held, ...args) => {
    if (!held) print(2, args.length > 0 ? args : ["Assertion failed"]);
  },
  dir: (value, options) => print(1, [value], options?.depth === null ? Infinity : options?.depth),
  dirxml: (...args) => print(1, args),
  table,
  group: (...args) => {
    if (args.length > 0) print(1, args);
    groups++;
  },
  groupCollapsed: (...args) => {
    if (args.length > 0) print(1, args);
  },
  groupEnd: () => {
    groups = Math.max(0, groups - 1);
  },
  count: (label = "default") => {
    counts.set(label, (counts.get(label) ?? 0) + 1);
    emit(1, `${label}: ${counts.get(label)}\n`);
  },
  countReset: (label = "default") => void counts.delete(label),
  time: (label = "default") => void clocks.set(label, performance.now()),
  timeLog: (label = "default", ...args) => clocks.has(label) && print(2, [since(label), ...args]),
  timeEnd: (label = "default") => {
    if (clocks.has(label)) emit(2, since(label) + "\n");
    clocks.delete(label);
  },
  clear: () => {},
};
Object.assign(globalThis.console, methods);

// bun has these beside the module's own scope; answers use them out of habit from node.
const module = { exports: {}, id: ".", filename: "/program.ts" };
const habits = {
  module: () => module,
  exports: () => module.exports,
  __filename: () => module.filename,
  __dirname: () => "/",
  require: () => {
    const { createRequire } = process.getBuiltinModule("module");
    return Object.assign(createRequire("file:///program.ts"), { main: module });
  },
};
for (const [name, make] of Object.entries(habits)) {
  const set = (value) => Object.defineProperty(globalThis, name, { value, writable: true });
  Object.defineProperty(globalThis, name, { get: make, set, configurable: true });
}

// deno brings these and bun does not: an answer that forgot to declare `name` must fail here as it fails there.
const STRANGERS = (
  "name close closed location localStorage sessionStorage caches createImageBitmap getParent onload onunload " +
  "onbeforeunload onunhandledrejection Cache CacheStorage FileReader ImageData Location Lock LockManager Navigator " +
  "ProgressEvent Storage Window"
).split(" ");
for (let level = globalThis; level !== null && level !== Object.prototype; level = Object.getPrototypeOf(level)) {
  for (const name of STRANGERS) delete level[name];
}

emit(1, STARTED);
