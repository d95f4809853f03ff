// The search: reads the one index when it is first used, and lists what holds every word. The words stand in the address.
(function () {
  "use strict";
  const form = document.querySelector("form.search");
  const found = document.getElementById("found");
  if (!form || !found || location.protocol === "file:") return; // a browser reads no index from a disk
  const box = form.querySelector("input");
  const only = form.dataset.kind ?? "";
  const MOST = 30;
  let entries = null;
  form.hidden = false;

  async function index() {
    if (entries === null) {
      const reply = await fetch(form.dataset.index);
      entries = (await reply.json())
        .filter((one) => !only || one.kind === only)
        .map((one) => ({ ...one, low: `${one.kind} ${one.title} ${one.text}`.toLowerCase() }));
    }
    return entries;
  }

  function weight(one, words) {
    const title = one.title.toLowerCase();
    return words.filter((word) => title.includes(word)).length;
  }

  function excerpt(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
    return (at ? "… " : "") + text.slice(at, at + 180) + (at + 180 < text.length ? " …" : "");
  }

  async function search() {
    const all = new URLSearchParams(location.search);
    if (box.value) all.set("q", box.value);
    else all.delete("q");
    history.replaceState(null, "", all.size ? `?${all}` : location.pathname);
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return found.replaceChildren();
    const hits = (await index()).filter((one) => words.every((word) => one.low.includes(word)));
    hits.sort((one, two) => weight(two, words) - weight(one, words)); // of two alike the order of the index stays
    const count = document.createElement("p");
    count.textContent = hits.length > MOST ? `${hits.length} found, the first ${MOST}:` : hits.length ? `${hits.length} found` : "Nothing found.";
    const list = document.createElement("ul");
    for (const one of hits.slice(0, MOST)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = form.dataset.root + one.href;
      link.textContent = one.title;
      const kind = document.createElement("small");
      kind.textContent = ` ${one.kind}`;
      const text = document.createElement("p");
      text.textContent = excerpt(one.text, words[0]);
      item.append(link, kind, text);
      list.append(item);
    }
    found.replaceChildren(count, list);
  }

  box.addEventListener("input", search);
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
  box.value = new URLSearchParams(location.search).get("q") ?? "";
  if (box.value) search();
})();
