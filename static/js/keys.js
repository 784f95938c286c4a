// Keys of the pages. A script adds a key with Keys.add; a part of a page names its own with data-key and is clicked by
// it. "?" opens the sheet that lists what the page in front of you has.
//
//   Keys.add({ key: "j", label: "Next row", group: "In the list", when: () => document.querySelector("[data-rows]"), run: next });
//   <a href="/clients/new" data-key="n" data-key-label="New client">
//
// key is what KeyboardEvent.key says ("j", "?", " ", "Escape"), two of them that follow each other ("g c"), "Shift+j", or
// "Mod+k" for ctrl (on Apple's machines: command). when says whether the page has the key now. run gets the event;
// where it returns false the key is left to others and to the browser. A label of "" keeps the key off the sheet.
// Nothing but Mod+ keys happens while somebody types or a dialog is open, and keys of a single character not for those
// who turned them off. Keys.add returns what takes the key away again.
(() => {
  "use strict";
  const all = (selector) => [...document.querySelectorAll(selector)];
  const apple = /Mac|iP(hone|ad|od)/.test(navigator.platform);
  const patience = 1500; // between the two of "g c"
  const off = () => document.documentElement.dataset.keys === "off";
  const added = [];
  let first = "", since = 0;

  const typesIn = "textarea, select, [contenteditable], [role=combobox], input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=reset], [type=file])";
  const pressed = { " ": "button, summary, input, [role=button]", Enter: "a, button, summary, input, [role=button]" };
  const inside = (event, selector) => event.target instanceof Element && event.target.closest(selector);

  // named says which key an event is; "" where it is none of ours.
  function named(event) {
    const graph = event.getModifierState("AltGraph");
    if (!graph && (apple ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey) && !event.altKey) return "Mod+" + event.key.toLowerCase();
    if (!graph && (event.ctrlKey || event.metaKey || event.altKey)) return "";
    const letter = /^\p{L}$/u.test(event.key);
    return letter ? (event.shiftKey ? "Shift+" : "") + event.key.toLowerCase() : event.key;
  }
  const character = (key) => key.split(" ").some((k) => k.length <= 1 || /^Shift\+.$/.test(k)); // " " splits into two empty ones
  const marked = () => all("[data-key]").filter((el) => !el.disabled).map((el) => ({
    key: el.dataset.key, label: el.dataset.keyLabel || el.textContent.trim(), group: el.dataset.keyGroup || (el.dataset.key.startsWith("g ") ? "Go to" : "On this page"),
    run: () => { if (el.matches("input, textarea, select")) el.focus(); else el.click(); },
  }));
  const here = () => [...added.filter((k) => !k.when || k.when()), ...marked()].filter((k) => !(off() && character(k.key)));

  function take(key, event) {
    for (const one of here().filter((k) => k.key === key)) {
      if (one.run(event) === false) continue;
      event.preventDefault();
      return true;
    }
    return false;
  }
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const key = named(event);
    if (key.startsWith("Mod+")) { take(key, event); return; }
    if (!key || inside(event, typesIn) || document.querySelector("dialog:modal") || (pressed[key] && inside(event, pressed[key]))) return;
    if (/^(Shift|Control|Alt|AltGraph|Meta|CapsLock)$/.test(event.key)) return;
    const before = event.timeStamp - since < patience ? first : "";
    first = "";
    if (before) { take(before + " " + key, event); return; }
    if (!event.repeat && here().some((k) => k.key.startsWith(key + " ") && k.key !== key)) {
      [first, since] = [key, event.timeStamp];
      return;
    }
    take(key, event);
  });

  // The sheet.
  const said = { " ": "Space", "Mod": apple ? "⌘" : "Ctrl", Escape: "Esc", ArrowDown: "↓", ArrowUp: "↑", ArrowLeft: "←", ArrowRight: "→", PageUp: "Page up", PageDown: "Page down" };
  const make = (name, parts, ...inside) => { const el = Object.assign(document.createElement(name), parts); el.append(...inside); return el; };
  const caps = (key) => (key === " " ? [key] : key.split(/[ +]/)).map((k) => make("kbd", { textContent: said[k] || (k.length === 1 ? k.toUpperCase() : k) }));
  function groups() {
    const found = new Map(), seen = new Set();
    for (const k of here()) {
      if (k.label === "" || seen.has(k.key)) continue;
      seen.add(k.key);
      if (!found.has(k.group || "On this page")) found.set(k.group || "On this page", []);
      found.get(k.group || "On this page").push(k);
    }
    const order = ["On this page", "In the list", "Go to", "Everywhere"];
    const place = (name) => (order.indexOf(name) + 1 || 2.5);
    return [...found].sort(([a], [b]) => place(a) - place(b));
  }
  function sheet() {
    document.getElementById("keys")?.remove();
    const close = make("button", { type: "button", className: "btn", textContent: "Close" });
    const dialog = make("dialog", { id: "keys", className: "keys" },
      make("div", { className: "keys-head" }, make("h2", { id: "keys-title", textContent: "Keyboard shortcuts" }), close));
    dialog.setAttribute("aria-labelledby", "keys-title");
    if (off()) dialog.append(make("p", { className: "note", textContent: "You turned the shortcuts of a single key off." }));
    const columns = make("div", { className: "keys-groups" });
    for (const [name, keys] of groups()) {
      columns.append(make("section", {}, make("h3", { textContent: name }), make("dl", {},
        ...keys.map((k) => make("div", {}, make("dt", {}, ...caps(k.key)), make("dd", { textContent: k.label }))))));
    }
    const foot = make("p", { className: "muted small" }, make("a", { href: "/manual/pages#keyboard-shortcuts", textContent: "Shortcuts in the manual" }), " · ",
      make("a", { href: "/account#keys-setting", textContent: off() ? "Turn them on" : "Turn them off" }));
    dialog.append(columns, foot);
    close.addEventListener("click", () => dialog.close());
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
  document.addEventListener("click", (event) => {
    if (!inside(event, "[data-open-keys]")) return;
    event.preventDefault();
    sheet();
  });

  window.Keys = {
    add(key) {
      added.unshift(key);
      return () => { added.splice(added.indexOf(key), 1); };
    },
    sheet,
  };
  Keys.add({ key: "?", label: "Show keyboard shortcuts", group: "Everywhere", run: sheet });
  Keys.add({ key: "/", label: "Search", group: "Everywhere", when: () => document.querySelector("[data-search]"), run: () => {
    const field = document.querySelector("[data-search]");
    field.focus();
    field.select();
  } });
})();
