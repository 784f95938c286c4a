// What somebody is at work on is not taken away. Two rules hold for every part of a page that is drawn anew:
// what comes by itself (a part that asks every few seconds, a message of the server's stream, an answer to what a form
// says) waits while somebody presses, types or chooses there; and what was typed while an answer was on its way is
// typed into the part that the answer draws, and the focus stays. Every page works without this file.
(() => {
  "use strict";
  const typing = "input:not([type=hidden], [type=checkbox], [type=radio]), select, textarea";
  const fields = (part) => [...part.querySelectorAll("input:not([type=hidden]), select, textarea")].filter((f) => f.name);
  const ticks = (f) => f.type === "checkbox" || f.type === "radio";
  const value = (f) => (ticks(f) ? f.checked : f.value);

  // Somebody is at work in a part while the finger is on it, while a menu is open, while a form is on its way, and while
  // the focus is in a field.
  function used(part) {
    const at = document.activeElement;
    return part.matches(":active") || (part.contains(at) && at.matches(typing)) ||
      part.querySelector("details.menu[open], form[data-sent]") !== null;
  }
  const waiting = new Map(); // what is done with a part once it is free
  function whenFree(part, run) {
    waiting.delete(part);
    if (used(part)) waiting.set(part, run); else run();
  }
  const look = () => setTimeout(() => [...waiting].forEach(([part, run]) => {
    if (!part.isConnected) waiting.delete(part); else whenFree(part, run);
  }));
  ["pointerup", "pointercancel", "keyup", "focusout", "toggle", "pageshow"].forEach((type) => addEventListener(type, look, true));

  // A field is known by its name and its place among those of that name; other things by what they say and lead to.
  function known(el, part) {
    if (!el.name || !el.matches("input, select, textarea")) {
      return JSON.stringify([el.tagName, el.id, el.name, el.value, el.getAttribute("href"), el.id ? "" : el.textContent.trim()]);
    }
    if (ticks(el)) return JSON.stringify([el.name, el.value]);
    return JSON.stringify([el.name, fields(part).filter((f) => f.name === el.name && !ticks(f)).indexOf(el)]);
  }
  const find = (part, key) => [...part.querySelectorAll("a, button, summary, input, select, textarea, [tabindex]")]
    .find((el) => known(el, part) === key);
  // The focus of a part that is about to be replaced; back gives it to the same thing in the new one, or to its heading.
  function focusOf(part, moved = (key) => key) {
    const el = document.activeElement;
    if (el === part || !part.contains(el)) return () => {};
    const key = known(el, part), field = el.matches(typing);
    const { selectionStart: start, selectionEnd: end } = field ? el : {};
    return (fresh) => {
      const free = !document.activeElement || document.activeElement === document.body;
      if (!field && !free) return;
      let to = find(fresh, moved(key));
      if (!to && free) {
        to = fresh.querySelector("h1, h2, h3");
        to?.setAttribute("tabindex", "-1");
      }
      to?.focus({ preventScroll: true });
      if (to && field && start !== null && start !== undefined) try { to.setSelectionRange(start, end); } catch { /* a kind without a cursor */ }
    };
  }

  // What is asked for: what the form said, and what stood in the fields of the part.
  const asked = new WeakMap();
  const follows = (elt) => elt instanceof HTMLFormElement && elt.getAttribute("hx-sync") === "this:replace";
  const words = (form) => JSON.stringify([...new FormData(form)].filter(([name]) => !name.endsWith("_shown")));
  document.addEventListener("htmx:beforeSend", (event) => {
    const { elt, xhr, target } = event.detail;
    asked.set(xhr, { said: follows(elt) && words(elt), stood: new Map(fields(target).map((f) => [f, value(f)])) });
  });

  // A form asks again once it is released. What asks every few seconds does so by itself.
  const askAgain = (form) => { if (form.isConnected && !form.dataset.sent) form.dispatchEvent(new Event("change")); };
  function drops({ elt }, { xhr, target }) {
    if (/^every /.test(elt.getAttribute("hx-trigger") || "")) return used(target);
    if (!follows(elt)) return false;
    if (!elt.matches(":active")) return asked.get(xhr)?.said !== words(elt); // the change has asked for another answer, or is about to
    const ends = ["pointerup", "pointercancel"];
    const ask = () => {
      ends.forEach((end) => removeEventListener(end, ask));
      setTimeout(() => askAgain(elt));
    };
    ends.forEach((end) => addEventListener(end, ask));
    return true;
  }

  let kept = null; // what the next swap has to put back
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { detail } = event, { target, requestConfig: { elt } } = detail;
    kept = null;
    if (!detail.shouldSwap) return;
    if (drops(detail.requestConfig, detail)) { detail.shouldSwap = false; return; }
    const stood = asked.get(detail.xhr)?.stood || new Map();
    const gone = elt.dataset.leads && elt.name === "remove" ? Number(elt.value) : Infinity; // the lines below it move up
    const moved = (key) => {
      const [name, at] = JSON.parse(key);
      return typeof at !== "number" || at < gone ? key : at > gone ? JSON.stringify([name, at - 1]) : "";
    };
    const typed = fields(target).filter((f) => stood.has(f) && stood.get(f) !== value(f))
      .map((f) => [moved(known(f, target)), value(f)]);
    kept = { typed, elt, back: focusOf(target, moved), idle: document.activeElement === elt || document.activeElement === document.body };
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (!kept) return;
    const { typed, elt, back, idle } = kept, part = event.target;
    kept = null;
    typed.forEach(([key, was]) => {
      const f = key && find(part, key);
      if (f) f[ticks(f) ? "checked" : "value"] = was;
    });
    if (elt.dataset.leads && idle) document.querySelector(elt.dataset.leads)?.focus(); else back(part);
    const form = part.closest("form");
    if (form && form !== elt && follows(form)) askAgain(form); // it says something else now
  });

  // A message of the stream is a swap without a request.
  let back = null;
  document.addEventListener("htmx:sseBeforeMessage", (event) => {
    const part = event.target, message = event.detail;
    if (!used(part)) {
      waiting.delete(part);
      back = focusOf(part);
      return;
    }
    event.preventDefault();
    waiting.set(part, () => {
      back = focusOf(part);
      htmx.swap(part, message.data, { swapStyle: "innerHTML" });
      htmx.trigger(part, "htmx:sseMessage", message);
    });
  });
  document.addEventListener("htmx:sseMessage", (event) => {
    back?.(event.target);
    back = null;
  });

  window.Steady = { whenFree, focusOf };
})();
