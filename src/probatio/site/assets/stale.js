// A page grows old where no one builds it again: past its age a verdict is STALE, whatever it said.
"use strict";

{
  const now = Date.now();
  const old = [...document.querySelectorAll("[data-stale-at]")].filter((each) => Date.parse(each.dataset.staleAt) < now);

  for (const badge of old.filter((each) => each.classList.contains("badge"))) {
    const sign = badge.firstElementChild;
    const before = badge.lastChild.textContent.trim();
    const row = badge.closest("[data-status], li, main");
    badge.className = "badge STALE";
    sign.textContent = "⧗";
    badge.lastChild.textContent = ` STALE, last asked ${badge.dataset.asked}`;
    if (row.dataset.status) row.dataset.status = "STALE";
    if (badge.nextElementSibling?.matches(".badge")) badge.nextElementSibling.remove();
    const reason = row.querySelector(".reason");
    if (reason) reason.textContent = `Last asked ${badge.dataset.asked}; its verdict then: ${before}.`;
    const today = row.querySelector(".today");
    if (today) {
      today.textContent = "–";
      today.dataset.sort = "-1";
    }
  }

  const rows = [...document.querySelectorAll("#board [data-status]")];
  if (old.length && rows.length) {
    for (const row of rows.filter((each) => each.dataset.status === "STALE").reverse()) row.parentElement.prepend(row);
    const counts = new Map();
    for (const row of rows) counts.set(row.dataset.status, (counts.get(row.dataset.status) ?? 0) + 1);
    const statuses = [...counts.keys()].sort((a, b) => (b === "STALE") - (a === "STALE"));
    document.querySelector("[data-tools=board]").dataset.statuses = statuses.join(" ");
    const told = document.querySelector(".counts");
    if (told) told.textContent = ": " + statuses.map((status) => `${counts.get(status)} ${status}`).join(", ");
  }

  for (const note of old.filter((each) => each.hidden)) note.hidden = false;
  for (const title of old.filter((each) => each.dataset.stale)) title.textContent = title.dataset.stale;
}
