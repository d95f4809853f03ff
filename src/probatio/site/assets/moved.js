// On the page of an address that is not there: a trial's old address leads to the page that the trial stands on now.
(async function () {
  "use strict";
  const asked = location.pathname.match(/^(.*\/learnability\/[^/]+\/trials\/)(\d+)\/?$/);
  if (!asked) return;
  const number = Number(location.hash.match(/^#t(\d+)$/)?.[1] ?? asked[2]);
  const reply = await fetch(`${asked[1]}pages.json`).catch(() => null);
  if (!reply?.ok) return;
  const { first, trials } = await reply.json();
  const page = first.findLast((each) => each <= number);
  if (number < trials && page !== undefined) location.replace(`${asked[1]}${page}/#t${number}`);
})();
