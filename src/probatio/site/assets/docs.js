// The search of the documentation: reads the index when it is first used, and lists the sections that hold every word.
(function () {
  "use strict";
  const form = document.querySelector(".docs-search");
  const found = document.getElementById("docs-found");
  if (!form || !found || location.protocol === "file:") return; // a browser reads no index from a disk
  const box = form.querySelector("input");
  const MOST = 20;
  let sections = null;
  form.hidden = false;

  async function index() {
    if (sections === null) {
      const reply = await fetch(form.dataset.index);
      sections = (await reply.json()).map((one) => ({ ...one, low: `${one.title} ${one.heading} ${one.text}`.toLowerCase() }));
    }
    return sections;
  }

  function weight(one, words) {
    const heading = `${one.title} ${one.heading}`.toLowerCase();
    return words.filter((word) => heading.includes(word)).length;
  }

  function excerpt(text, word) {
    const at = Math.max(0, text.toLowerCase().indexOf(word) - 60);
    return (at ? "… " : "") + text.slice(at, at + 180) + (at + 180 < text.length ? " …" : "");
  }

  async function search() {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return found.replaceChildren();
    const hits = (await index()).filter((one) => words.every((word) => one.low.includes(word)));
    hits.sort((one, two) => weight(two, words) - weight(one, words));
    const count = document.createElement("p");
    count.textContent = hits.length ? `${hits.length} sections` : "Nothing found.";
    const list = document.createElement("ul");
    for (const one of hits.slice(0, MOST)) {
      const item = document.createElement("li");
      const link = document.createElement("a");
      link.href = `${form.dataset.pages}${one.page}/${one.anchor ? "#" + one.anchor : ""}`;
      link.textContent = one.heading === one.title ? one.title : `${one.title}: ${one.heading}`;
      const text = document.createElement("p");
      text.textContent = excerpt(one.text, words[0]);
      item.append(link, text);
      list.append(item);
    }
    found.replaceChildren(count, list);
  }

  box.addEventListener("input", search);
  form.addEventListener("submit", (event) => { event.preventDefault(); search(); });
})();
