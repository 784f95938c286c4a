// The live panel of a mandate: the ring counts down each second between the server's messages, and a change of state is
// said aloud once. The time comes from the server: what is left now, less what has passed here since it arrived.
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const two = (n) => String(n).padStart(2, "0");
  const counted = (n, noun) => n + " " + noun + (n === 1 ? "" : "s");

  // The words are the server's own: handlers/web/mandate_live.go.
  function words(left, whole) {
    if (left <= 0) return ["0:00", "", "Time is up. The result comes in a moment."];
    const hours = Math.floor(left / 3600), minutes = Math.floor(left / 60) % 60, seconds = left % 60;
    if (whole > 3600) return [hours + " h", minutes + " m", counted(hours, "hour") + " and " + counted(minutes, "minute") + " left to answer"];
    return [60 * hours + minutes + ":" + two(seconds), "left", counted(60 * hours + minutes, "minute") + " and " + counted(seconds, "second") + " left to answer"];
  }

  const arrived = new WeakMap();
  function tick() {
    all("[data-ring]").forEach((ring) => {
      if (!arrived.has(ring)) arrived.set(ring, performance.now());
      const { now, expires, seconds } = ring.dataset;
      const ms = Math.max(0, Number(expires) - Number(now) - (performance.now() - arrived.get(ring)));
      const [big, small, said] = words(Math.floor(ms / 1000), Number(seconds));
      ring.querySelector("[data-ring-big]").textContent = big;
      ring.querySelector("[data-ring-small]").textContent = small;
      ring.setAttribute("aria-label", said);
      ring.querySelector(".hand").setAttribute("stroke-dashoffset", String(100 - Math.min(100, ms / 10 / Number(seconds))));
      const line = ring.closest(".live-now")?.querySelector("[data-ring-words]");
      if (line && line.textContent !== said) line.textContent = said;
    });
  }
  tick();
  setInterval(tick, 1000);

  // A browser opens six connections to a server, over all of its tabs together. Tabs that nobody looks at give theirs
  // back, or the seventh panel would wait for the first; the server tells the state anew when they come again.
  const open = new Set(), resting = new Set();
  function rest(source) {
    source.close();
    resting.add(source);
  }
  htmx.createEventSource = (url) => {
    const source = new EventSource(url);
    if (document.hidden) rest(source); else open.add(source);
    return source;
  };
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) {
      open.forEach((source) => { if (source.readyState !== EventSource.CLOSED) rest(source); });
      open.clear();
      return;
    }
    resting.forEach((source) => source.onerror?.(new Event("error"))); // to the extension it was cut off, and it connects again
    resting.clear();
  });

  // What else on the page tells of the state is taken from the page as it is now, once nobody is at work there.
  async function follow() {
    const parts = all("[data-follows][id]");
    if (parts.length === 0) return;
    let text;
    try {
      const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
      if (!answer.ok) return;
      text = await answer.text();
    } catch {
      return; // the panel itself is up to date, and a reload mends the rest
    }
    const page = new DOMParser().parseFromString(text, "text/html");
    parts.forEach((part) => {
      const fresh = page.getElementById(part.id);
      if (fresh) Steady.whenFree(part, () => {
        const back = Steady.focusOf(part);
        part.replaceWith(document.adoptNode(fresh));
        htmx.process(fresh);
        back(fresh);
      });
    });
  }

  // The inside is swapped as a whole; only the new headline is said, and only when it is new.
  const said = new Map(all("[data-live]").map((panel) => [panel.dataset.live, panel.querySelector("h2")?.textContent]));
  document.addEventListener("htmx:sseMessage", (event) => {
    const panel = event.target;
    if (!(panel instanceof Element) || !panel.matches("[data-live]")) return;
    tick();
    const id = panel.dataset.live, headline = panel.querySelector("h2")?.textContent;
    if (said.get(id) === headline) return;
    said.set(id, headline);
    follow();
    const voice = document.querySelector(`[data-live-said="${CSS.escape(id)}"]`);
    if (voice) voice.textContent = headline;
  });
})();
