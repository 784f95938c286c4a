// The queue of what needs attention: keys, and the focus that goes on to the next thing after an act. Every act is also a
// plain link or form.
(() => {
  "use strict";
  const items = () => [...document.querySelectorAll("[data-queue] [data-item]")];
  const current = () => document.activeElement?.closest?.("[data-item]") || null;
  const here = () => document.querySelector("[data-queue] [data-item]");
  let last = 0; // the place of the item that was acted on

  function go(to) {
    const all = items();
    if (!all.length) { document.getElementById("queue-left")?.focus(); return; }
    const item = all[Math.max(0, Math.min(to, all.length - 1))];
    item.focus({ preventScroll: true });
    item.scrollIntoView({ block: "nearest" });
  }
  function step(by) {
    const at = items().indexOf(current());
    go(at < 0 ? (by > 0 ? last : 0) : at + by);
  }
  const press = (name) => () => {
    const item = current() || items()[0];
    const found = item?.querySelector(`[data-do="${name}"]`)
      || (name === "a" && (item?.querySelector(".queue-acts > .btn:not([data-do])") || item?.querySelector("[data-open]")));
    if (!found) return false;
    item.focus();
    found.click(); // also of a menu that is closed
  };
  const add = (key, label, run) => window.Keys?.add({ key, label, group: "In the list", when: here, run });
  add("j", "Next", () => step(1));
  add("k", "Previous", () => step(-1));
  add("Enter", "Open", () => { const open = current()?.querySelector("[data-open]"); if (!open) return false; open.click(); });
  add("x", "Select", () => { const box = current()?.querySelector("input[type=checkbox]"); if (!box) return false; box.click(); });
  [["a", "Do what is suggested"], ["s", "Snooze"], ["n", "Note"], ["c", "Log a call"], ["p", "Promise to pay"], ["o", "Owner"], ["e", "Close"]]
    .forEach(([key, label]) => add(key, label, press(key)));
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const form = event.target instanceof Element && event.target.closest(".queue-form");
    if (!form || !form.firstChild) return;
    form.replaceChildren();
    form.closest("[data-item]").focus();
  });

  // A form that opened takes the focus; after an act the next thing does.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const item = event.target.closest?.("[data-item]");
    if (item) last = Math.max(0, items().indexOf(item));
    else if (event.target.closest?.(".queue-many")) last = 0;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.matches?.(".queue-form") && event.target.firstChild) {
      document.querySelectorAll(".queue-form").forEach((f) => { if (f !== event.target) f.replaceChildren(); });
      document.querySelectorAll(".queue-acts > details[open]").forEach((menu) => { menu.open = false; });
      event.target.querySelector("select, input:not([type=hidden]), textarea, button")?.focus({ preventScroll: true });
      event.target.closest("[data-item]").scrollIntoView({ block: "nearest" });
    } else if (event.target.id === "queue") {
      go(last);
    }
  });
})();
