// The search: reads the one index when it is first used, and lists what holds every word. The words stand in the address.
(function () {
  "use strict";
  const form = document.querySelector("form.search");
  const found = document.getElementById("found");
  const count = document.getElementById("count");
  if (!form || !found) return;
  if (location.protocol === "file:") {
    document.getElementById("unsearchable")?.removeAttribute("hidden"); // a browser reads no index from a disk
    return;
  }
  const box = form.querySelector("input");
  const only = form.dataset.kind ?? "";
  const MOST = 30;
  let loading = null;
  form.hidden = false;

  const index = () =>
    (loading ??= fetch(form.dataset.index)
      .then((reply) => reply.json())
      .then((all) =>
        all
          .filter((one) => !only || one.kind === only)
          .map((one) => ({ ...one, low: `${one.kind} ${one.title} ${one.text}`.toLowerCase() })),
      ));

  function weight(one, words) {
    const title = one.title.toLowerCase();
    return words.filter((word) => title.includes(word)).length;
  }

  function excerpt(text, word) {
    const from = text.toLowerCase().indexOf(word) - 60;
    const at = from > 0 ? text.indexOf(" ", from) + 1 : 0;
    const last = at + 180 < text.length ? text.lastIndexOf(" ", at + 179) : text.length;
    const end = last > at ? last : at + 180;
    return (at ? "… " : "") + text.slice(at, end) + (end < text.length ? " …" : "");
  }

  function listed(one, word) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = form.dataset.root + one.href;
    link.textContent = one.title;
    const kind = document.createElement("small");
    kind.textContent = ` ${one.kind}`;
    const text = document.createElement("p");
    text.textContent = excerpt(one.text, word);
    item.append(link, kind, text);
    return item;
  }

  function told(hits) {
    if (!hits) return "0 found. Nothing holds all of these words; try fewer, or a part of a name.";
    return `${hits.toLocaleString("en-GB")} found${hits > MOST ? `, the first ${MOST}:` : ""}`;
  }

  async function search() {
    const all = new URLSearchParams(location.search);
    if (box.value) all.set("q", box.value);
    else all.delete("q");
    history.replaceState(null, "", all.size ? `?${all}` : location.pathname);
    let entries;
    try {
      entries = await index();
    } catch {
      loading = null;
      count.textContent = "The index could not be loaded. Try again, or use the lists on this page.";
      return;
    }
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean); // as they are now: more may have been typed meanwhile
    const hits = words.length ? entries.filter((one) => words.every((word) => one.low.includes(word))) : [];
    hits.sort((one, two) => weight(two, words) - weight(one, words)); // of two alike the order of the index stays
    count.textContent = words.length ? told(hits.length) : "";
    found.replaceChildren(...hits.slice(0, MOST).map((one) => listed(one, words[0])));
  }

  box.addEventListener("input", search);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    search();
  });
  box.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" || !found.firstChild) return;
    event.preventDefault();
    found.querySelector("a").focus();
  });
  found.addEventListener("keydown", (event) => {
    const links = [...found.querySelectorAll("a")];
    const at = links.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!step || at < 0) return;
    event.preventDefault();
    (links[at + step] ?? (step < 0 ? box : links[at])).focus();
  });
  if (!box.value) box.value = new URLSearchParams(location.search).get("q") ?? "";
  if (box.value && !found.firstChild) search();
})();
