// The payer's page while a bank's question is open: counts the time down, and loads anew when the answer is there.
// The page works without this file; it then loads itself again every few seconds.
(() => {
  "use strict";
  const card = document.querySelector("[data-wait]");
  if (!card) return;
  const clock = card.querySelector(".clock");
  const ring = card.querySelector(".ring .left");
  const whole = ring ? Number(ring.getAttribute("pathLength")) : 0;
  const every = 1000 * Number(card.dataset.every);
  let end = Date.now() + 1000 * Number(card.dataset.left);
  let shown = Number(card.dataset.left);
  const two = (n) => String(n).padStart(2, "0");

  function draw() {
    shown = Math.max(0, Math.round((end - Date.now()) / 1000));
    clock.textContent = shown < 3600 ? Math.floor(shown / 60) + ":" + two(shown % 60)
      : Math.floor(shown / 3600) + ":" + two(Math.floor((shown % 3600) / 60)) + ":" + two(shown % 60);
    if (ring) ring.setAttribute("stroke-dashoffset", Math.min(whole, Math.max(0, whole - shown)));
  }
  async function look() {
    try {
      if (!document.hidden) {
        const answer = await fetch(location.pathname, { headers: { Accept: "application/json" }, cache: "no-store" });
        if (answer.ok) {
          const now = await answer.json();
          // Another question has begun where more time is left than before.
          if (now.awaiting !== "debicheck_answer" || now.seconds_left > shown + 30) return location.reload();
          end = Date.now() + 1000 * now.seconds_left;
        }
      }
    } catch { /* without a line the page keeps waiting */ }
    setTimeout(look, every);
  }
  setInterval(draw, 1000);
  setTimeout(look, every);
})();
