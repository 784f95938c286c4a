// Keys of the calendar: arrows move between its days, Page up and Page down lead to earlier and later ones, t to today.
// Without this file the links do the same.
(() => {
  "use strict";
  const days = () => [...document.querySelectorAll("[data-planner] [data-day]")];
  const go = (name) => document.querySelector("[data-planner] [" + name + "]")?.click();
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -7, ArrowDown: 7 };
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = event.target instanceof Element ? event.target : document.body;
    if (target.closest("input, textarea, select, [contenteditable], dialog, details[open]")) return;
    const key = { PageUp: "data-earlier", PageDown: "data-later", t: "data-today" }[event.key];
    if (key) {
      event.preventDefault();
      return go(key);
    }
    const at = days().indexOf(target.closest("[data-day]"));
    if (at < 0 || !(event.key in steps)) return;
    event.preventDefault();
    const month = document.querySelector("table.planner") !== null;
    const by = steps[event.key];
    const next = days()[at + (month ? by : Math.sign(by))];
    if (next) next.focus();
    else go(by < 0 ? "data-earlier" : "data-later");
  });
})();
