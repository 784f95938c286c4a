// The palette: the search for anything in a window. "/" and ctrl+K open it, as does the field at the top of a page. The
// server finds and ranks; this moves through the options, opens one, and says how many there are.
(() => {
  "use strict";
  const dialog = document.getElementById("palette");
  if (!dialog) return;
  const field = document.getElementById("palette-q");
  const box = document.getElementById("palette-found");
  const said = document.getElementById("palette-said");
  const options = () => [...box.querySelectorAll("[role=option]")];
  const chosen = () => box.querySelector("[aria-selected=true]");
  const settled = () => box.querySelector("[data-query]")?.dataset.query === field.value.trim().replace(/\s+/g, " ");
  let awaited = null; // how the first option is to be opened as soon as it is there

  function open(text) {
    if (dialog.open) { field.select(); return; }
    document.querySelectorAll("details.menu[open]").forEach((menu) => { menu.open = false; });
    dialog.showModal();
    field.value = text;
    field.focus();
    box.replaceChildren();
    awaited = null;
    htmx.trigger(field, "find");
  }
  function choose(option) {
    options().forEach((one) => one.setAttribute("aria-selected", String(one === option)));
    if (option) {
      field.setAttribute("aria-activedescendant", option.id);
      option.scrollIntoView({ block: "nearest" });
    } else field.removeAttribute("aria-activedescendant");
  }
  function go(option, apart) {
    const signOut = option.hash === "#sign-out" && document.querySelector('form[action="/logout"]');
    if (signOut) { dialog.close(); signOut.requestSubmit(); return; }
    if (apart) { window.open(option.href, "_blank", "noopener"); return; }
    dialog.close();
    location.assign(option.href);
  }

  // Before anything is typed, the acts of this page stand below what was opened last.
  function withThisPage(found) {
    const acts = [...document.querySelectorAll("main .page-head .actions a[href]")].slice(0, 6);
    if (!acts.length) return;
    let list = found.querySelector("[role=listbox]");
    if (!list) {
      found.replaceChildren();
      list = Object.assign(document.createElement("div"), { id: "found-options" });
      list.setAttribute("role", "listbox");
      list.setAttribute("aria-label", "Results");
      found.append(list);
    }
    const group = document.createElement("div");
    const name = Object.assign(document.createElement("h2"), { id: "found-here", textContent: "On this page" });
    name.setAttribute("role", "presentation");
    group.setAttribute("role", "group");
    group.setAttribute("aria-labelledby", name.id);
    group.append(name);
    acts.forEach((act, n) => {
      const option = Object.assign(document.createElement("a"), { className: "found", href: act.href, id: "found-here-" + n, tabIndex: -1 });
      option.setAttribute("role", "option");
      option.setAttribute("aria-selected", "false");
      const words = Object.assign(document.createElement("span"), { className: "found-title", textContent: act.textContent.trim() || act.getAttribute("aria-label") });
      const drawing = act.querySelector("svg")?.cloneNode(true);
      option.append(...(drawing ? [drawing, words] : [words]));
      group.append(option);
    });
    list.append(group);
  }

  // As soon as results stand there the first is chosen: when they have settled, a key may have moved on.
  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target !== box) return;
    const found = box.querySelector("[data-query]");
    if (!found) return;
    if (!found.dataset.query) withThisPage(found);
    field.setAttribute("aria-expanded", String(options().length > 0));
    said.textContent = found.dataset.said;
    choose(options()[0]);
    if (awaited && settled()) {
      const { apart } = awaited;
      awaited = null;
      if (options().length) go(chosen(), apart);
    }
  });
  field.addEventListener("input", () => { awaited = null; });
  field.addEventListener("keydown", (event) => {
    if (event.isComposing) return;
    const all = options();
    const at = all.indexOf(chosen());
    if (event.key === "ArrowDown" || event.key === "ArrowUp") {
      event.preventDefault();
      if (all.length) choose(all[(at + (event.key === "ArrowDown" ? 1 : all.length - 1)) % all.length]);
    } else if (event.key === "Enter") {
      event.preventDefault();
      const apart = event.ctrlKey || event.metaKey;
      if (!settled()) awaited = { apart };
      else if (all.length) go(chosen() || all[0], apart);
    }
  });
  field.form.addEventListener("submit", (event) => event.preventDefault()); // Enter has opened what was chosen
  box.addEventListener("pointermove", (event) => {
    const option = event.target.closest("[role=option]");
    if (option && option !== chosen()) choose(option);
  });
  box.addEventListener("click", (event) => {
    const option = event.target.closest("[role=option]");
    if (!option || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (option.hash === "#sign-out") { event.preventDefault(); go(option, false); } else dialog.close();
  });
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog || event.target.closest("[data-close-palette]")) dialog.close();
  });
  dialog.addEventListener("close", () => {
    box.replaceChildren();
    said.textContent = "";
    field.setAttribute("aria-expanded", "false");
    field.removeAttribute("aria-activedescendant");
  });

  // The field at the top opens the palette for those who click it or type into it; with Tab alone it stays a field.
  const top = document.querySelector("[data-opens-palette]");
  top?.addEventListener("click", () => open(top.value));
  top?.addEventListener("input", (event) => {
    if (!event.isTrusted) return;
    const text = top.value;
    top.value = "";
    open(text);
  });
  Keys.add({ key: "/", label: "Find anything", group: "Everywhere", run: () => open("") });
  Keys.add({ key: "Mod+k", label: "Find anything", group: "Everywhere", run: () => open("") });
})();
