// Keys of the calendar: arrows move between its days, Page up and Page down lead to earlier and later ones while the focus
// is in it, t to today. Without this file the links do the same.
(() => {
  "use strict";
  const planner = () => document.querySelector("[data-planner]");
  const within = (event) => event.target instanceof Element && event.target.closest("[data-planner]") && !event.target.closest("details[open]");
  const go = (name) => planner()?.querySelector("[" + name + "]")?.click();
  const lead = (name) => (event) => { if (!within(event)) return false; go(name); };
  // The next day by so many in a month; in a week and a day, the one beside.
  const move = (by) => (event) => {
    const days = [...document.querySelectorAll("[data-planner] [data-day]")];
    const at = within(event) ? days.indexOf(event.target.closest("[data-day]")) : -1;
    if (at < 0) return false;
    const next = days[at + (document.querySelector("table.planner") ? by : Math.sign(by))];
    if (next) next.focus();
    else go(by < 0 ? "data-earlier" : "data-later");
  };
  const add = (key, label, run) => window.Keys?.add({ key, label, group: "In the calendar", when: planner, run });
  add("t", "Today", () => go("data-today"));
  add("ArrowLeft", "The day before", move(-1));
  add("ArrowRight", "The next day", move(1));
  add("ArrowUp", "A week before", move(-7));
  add("ArrowDown", "A week later", move(7));
  add("PageUp", "Earlier, with the focus in the calendar", lead("data-earlier"));
  add("PageDown", "Later, with the focus in the calendar", lead("data-later"));
})();
