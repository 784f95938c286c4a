// What pages gain from scripts: copying, menus that close, toasts, the client picker, keys.
// Every page works without this file. It listens on the document, so parts that htmx swaps in need no set-up.
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const on = (type, selector, run) => document.addEventListener(type, (event) => {
    const found = event.target instanceof Element && event.target.closest(selector);
    if (found) run(found, event);
  });

  // Toasts: built from text alone, read out by the live region, gone after six seconds unless they tell of a failure or
  // can be undone. undo is the address to which the button posts.
  const stay = 6000;
  const icons = { ok: "done", info: "info", warn: "alert", bad: "alert" };
  const sprite = () => document.querySelector(".toasts")?.dataset.sprite || "";
  function icon(name, small) {
    const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    const use = document.createElementNS("http://www.w3.org/2000/svg", "use");
    svg.setAttribute("class", small ? "icon-s" : "icon");
    svg.setAttribute("aria-hidden", "true");
    use.setAttribute("href", sprite() + "#" + name);
    svg.append(use);
    return svg;
  }
  function expire(toast) {
    if (toast.dataset.toast === "bad" || toast.querySelector("form")) return;
    setTimeout(() => { if (!toast.matches(":hover, :focus-within")) toast.remove(); else expire(toast); }, stay);
  }
  function undoForm(address) {
    const form = document.createElement("form");
    const button = document.createElement("button");
    form.method = "post";
    form.action = address;
    button.className = "btn small";
    button.textContent = "Undo";
    form.append(button);
    return form;
  }
  function toast(text, kind = "ok", undo = "") {
    const box = document.getElementById("toasts");
    if (!box || !text) return;
    const el = document.createElement("div");
    el.className = "toast " + kind;
    el.dataset.toast = kind;
    const words = document.createElement("div");
    words.className = "grow";
    words.textContent = text;
    if (undo) words.append(undoForm(undo));
    const close = document.createElement("button");
    close.type = "button";
    close.className = "close";
    close.dataset.closeToast = "";
    close.setAttribute("aria-label", "Close message");
    close.append(icon("x", true));
    el.append(icon(icons[kind] || "info"), words, close);
    box.replaceChildren(el); // the last message alone
    expire(el);
  }
  all("[data-toast]").forEach(expire);
  document.addEventListener("htmx:oobAfterSwap", (e) => { if (e.target.id === "toasts") all("[data-toast]", e.target).forEach(expire); });
  on("click", "[data-close-toast]", (b) => b.closest("[data-toast]").remove());
  document.addEventListener("toast", (e) => toast(e.detail.text, e.detail.kind, e.detail.undo));

  // Copying. The old way serves pages on a plain http address, where browsers withhold the clipboard.
  function copyTheOldWay(text) {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "vh";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
  async function copy(text) {
    try {
      await navigator.clipboard.writeText(text);
      return true;
    } catch {
      return copyTheOldWay(text);
    }
  }
  on("click", "[data-copy]", async (button) => {
    if (!(await copy(button.dataset.copy))) return toast("Your browser did not allow copying.", "bad");
    button.focus();
    button.dataset.done = "";
    setTimeout(() => delete button.dataset.done, 1500);
    toast("Copied");
  });

  // Menus are <details>: one open at a time, closed by a click elsewhere or by Escape. Inside a table that scrolls
  // sideways a menu is placed on the window, or it would be cut off.
  const menus = "details.menu[open]";
  document.addEventListener("click", (event) => all(menus).forEach((m) => { if (!m.contains(event.target)) m.open = false; }));
  document.addEventListener("toggle", (event) => {
    const menu = event.target;
    if (!(menu instanceof HTMLElement) || !menu.matches(menus)) return;
    all(menus).forEach((m) => { if (m !== menu) m.open = false; });
    if (!menu.closest(".table-wrap")) return;
    const list = menu.querySelector(".menu-list");
    const at = menu.getBoundingClientRect();
    list.style.position = "fixed";
    list.style.insetInlineStart = "auto";
    list.style.right = document.documentElement.clientWidth - at.right + "px";
    const below = at.bottom + 6;
    list.style.top = (below + list.offsetHeight > innerHeight ? Math.max(8, at.top - 6 - list.offsetHeight) : below) + "px";
  }, true);
  document.addEventListener("scroll", (event) => {
    if (event.target instanceof Element && event.target.closest(".menu-list, .picker")) return;
    all(".table-wrap " + menus).forEach((m) => { m.open = false; });
  }, { capture: true, passive: true });

  // Escape closes a menu and gives the focus back.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    all(menus).forEach((m) => {
      m.open = false;
      if (m.contains(document.activeElement)) m.querySelector("summary").focus();
    });
  });

  on("change", "[data-submit]", (field) => field.form?.requestSubmit());

  // The client picker: the list follows the typing; answers that come too late are dropped.
  let wait = 0;
  let asked = 0;
  function option(name, client, required) {
    const li = document.createElement("li");
    const label = document.createElement("label");
    const radio = document.createElement("input");
    radio.type = "radio";
    radio.name = name;
    radio.value = client.id;
    radio.required = required;
    const lines = document.createElement("span");
    lines.className = "two-lines";
    const who = document.createElement("span");
    who.textContent = client.full_name || client.legal_name || client.email;
    const mail = document.createElement("span");
    mail.className = "muted small";
    mail.textContent = client.email;
    lines.append(who, mail);
    label.append(radio, lines);
    li.append(label);
    return li;
  }
  async function look(picker, query) {
    const turn = ++asked;
    const list = picker.querySelector("[data-picker-list]");
    const status = picker.querySelector("[data-picker-status]");
    const chosen = list.querySelector("input:checked");
    const required = Boolean(list.querySelector("input")?.required);
    let answer;
    try {
      const response = await fetch(picker.dataset.picker + "?limit=8&q=" + encodeURIComponent(query), { headers: { Accept: "application/json" } });
      if (!response.ok) throw new Error(String(response.status));
      answer = await response.json();
    } catch {
      if (turn === asked) status.textContent = "The search did not answer. Try again.";
      return;
    }
    if (turn !== asked) return;
    const rows = answer.results.filter((c) => c.id !== chosen?.value).map((c) => option(picker.dataset.name, c, required));
    list.replaceChildren(...(chosen ? [chosen.closest("li")] : []), ...rows);
    status.textContent = rows.length === 1 ? "1 client found" : rows.length + " clients found";
    const none = picker.querySelector("[data-picker-none]") || picker.appendChild(Object.assign(document.createElement("p"), { className: "none" }));
    none.dataset.pickerNone = "";
    none.hidden = rows.length > 0;
    none.textContent = "No client matches “" + query + "”.";
  }
  on("input", "[data-picker] input[type=search]", (field) => {
    clearTimeout(wait);
    const query = field.value.trim();
    if (query) wait = setTimeout(() => look(field.closest("[data-picker]"), query), 200);
  });
  on("keydown", "[data-picker] input[type=search]", (field, event) => {
    const first = field.closest("[data-picker]").querySelector("[data-picker-list] input");
    if (event.key === "Enter") event.preventDefault(); // it would send the whole form
    if (first && (event.key === "ArrowDown" || event.key === "Enter")) {
      event.preventDefault();
      first.checked = true;
      first.focus();
    }
  });

  // A form that is looked through while a person types: its problems come and go beside their fields, as the answer to
  // each look lists them. Two fields of which one may be filled switch each other off.
  function place(form, field, text) {
    const input = document.getElementById(field);
    const box = input?.closest(".field, .tick");
    if (!box || !form.contains(box)) return;
    const note = document.createElement("p");
    note.className = "error";
    note.id = field + "-error";
    const words = document.createElement("span");
    words.textContent = text;
    note.append(icon("alert", true), words);
    if (box.matches("fieldset")) box.insertBefore(note, box.querySelector(".choices, .picker, .days"));
    else box.append(note);
    const about = box.matches("fieldset") ? box : input;
    about.setAttribute("aria-invalid", "true");
    about.setAttribute("aria-describedby", [about.getAttribute("aria-describedby") || "", note.id].join(" ").trim());
  }
  function lookedThrough(form) {
    const found = form.querySelector("[data-problems]");
    if (!found) return;
    all(".error", form).forEach((note) => {
      const box = note.closest(".field, .tick");
      all("[aria-invalid]", box).concat(box).forEach((el) => {
        el.removeAttribute("aria-invalid");
        const rest = (el.getAttribute("aria-describedby") || "").split(" ").filter((id) => id && id !== note.id);
        if (rest.length) el.setAttribute("aria-describedby", rest.join(" ")); else el.removeAttribute("aria-describedby");
      });
      note.remove();
    });
    all("[data-at]", found).forEach((p) => { if (p.dataset.at) place(form, p.dataset.at, p.textContent); });
  }
  function either(group) {
    const [one, other] = all("input", group);
    one.disabled = !one.value.trim() && other.value.trim() !== "";
    other.disabled = !other.value.trim() && one.value.trim() !== "";
  }
  all("[data-either]").forEach(either);
  on("input", "[data-either]", either);
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.target.id === "summary") all("form[data-looked-through]").forEach(lookedThrough);
  });

  // The grid of a batch: a cell is saved when it is left with another text; Enter goes on to the next one. A saved row is
  // drawn anew, and keeps the focus and what is being typed in its other cells.
  const dirty = (cell) => cell.value !== cell.defaultValue;
  function cellAfter(id) {
    const list = all("[data-cell]");
    const at = list.findIndex((c) => c.id === id);
    return list[at + 1] || list[at];
  }
  on("focusout", "[data-cell]", (cell) => {
    if (dirty(cell) && !cell.closest("[data-redrawn]")) cell.form.requestSubmit(); // a row that is taken away loses the focus too
  });
  on("keydown", "[data-cell]", (cell, event) => {
    if (event.key !== "Enter" || event.isComposing) return;
    if (dirty(cell)) { cell.dataset.onward = ""; return; }
    event.preventDefault();
    cellAfter(cell.id)?.focus();
    cellAfter(cell.id)?.select();
  });
  let redrawn = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    const row = event.detail.target;
    if (!row.matches("tr[data-cells]")) return;
    row.dataset.redrawn = "";
    const { elt, formData } = event.detail.requestConfig;
    const saved = elt.querySelector("[data-cell]");
    const focus = row.contains(document.activeElement) ? document.activeElement : null;
    const typed = all("[data-cell]", row).filter((c) => dirty(c) && !(c === saved && c.value === formData.get("text"))).map(({ id, value }) => ({ id, value }));
    redrawn = { row: row.id, typed, focus, id: focus?.id || saved.id, onward: focus === saved && "onward" in saved.dataset, resend: false };
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (!redrawn || redrawn.resend || event.target.id !== redrawn.row) return;
    redrawn.resend = true;
    redrawn.typed.forEach(({ id, value }) => { const cell = document.getElementById(id); if (cell) cell.value = value; });
    if (!redrawn.focus) return;
    const to = redrawn.onward ? cellAfter(redrawn.id) : document.getElementById(redrawn.id);
    (to || event.target.querySelector("[data-cell], a, button"))?.focus();
    if (redrawn.onward) to?.select();
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!redrawn?.resend || event.target.id !== redrawn.row) return;
    const { typed } = redrawn;
    redrawn = null;
    typed.forEach(({ id }) => { const cell = document.getElementById(id); if (cell && cell !== document.activeElement && dirty(cell)) cell.form.requestSubmit(); });
  });

  // Forms are sent once, apart from those that a file answers, since the page stays. The button that was pressed still
  // counts, for it is switched off after the form has been read.
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || form.method !== "post" || form.target) return;
    if (form.dataset.sent) { event.preventDefault(); return; }
    if (event.submitter?.matches("[data-download]")) return;
    form.dataset.sent = "1";
    event.submitter?.classList.add("busy");
  });
  addEventListener("pageshow", () => all("form[data-sent]").forEach((f) => {
    delete f.dataset.sent;
    all(".busy", f).forEach((b) => b.classList.remove("busy"));
  }));

  // A form keeps its key in the address of its page: Back loads the page anew, and what is sent again still counts once.
  const key = document.querySelector("main form[method=post] input[name=form_key]");
  if (key && /\/new$/.test(location.pathname)) {
    const here = new URL(location.href);
    if (here.searchParams.get("form_key") !== key.value) {
      here.searchParams.set("form_key", key.value);
      history.replaceState(history.state, "", here);
    }
  }

  // What was typed and not sent is not lost without a question.
  const changed = new Set();
  document.addEventListener("input", (event) => {
    const form = event.isTrusted && event.target.form;
    if (form && form.method === "post" && form.closest("main") && (form.matches(".form") || form.querySelector("input[name=form_key]"))) changed.add(form);
  });
  document.addEventListener("submit", (event) => { if (event.target.method === "post") changed.clear(); });
  document.addEventListener("reset", (event) => changed.delete(event.target));
  const unsent = () => [...changed].filter((form) => form.isConnected);
  addEventListener("beforeunload", (event) => {
    if (unsent().length) event.preventDefault();
  });
  // Where the session has ended, a form that asked leads to the sign-in page, and comes back with what was typed. What
  // asks by itself leads nowhere while something is typed that it would not bring back.
  document.addEventListener("htmx:beforeOnLoad", (event) => {
    const { elt, xhr } = event.detail;
    if (!xhr.getResponseHeader("HX-Redirect") || !unsent().length) return;
    if (elt.form || elt.matches("form")) changed.clear(); else event.preventDefault();
  });

  // On a phone the tab of this page is in sight, where the row is wider than the window.
  const showTab = () => all(".tabs a[aria-current]").forEach((tab) => {
    const row = tab.parentElement;
    row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
  });
  showTab();
  // The problems of a form take the focus, on a page and after a swap.
  const focusProblems = (root) => root.querySelector?.("[data-focus]")?.focus();
  focusProblems(document);
  document.addEventListener("htmx:afterSettle", (event) => {
    focusProblems(event.target);
    showTab();
    all("[data-toast]").forEach((t) => { if (!t.dataset.seen) { t.dataset.seen = "1"; expire(t); } });
  });
  // Empty fields stay out of the URL.
  document.addEventListener("htmx:configRequest", (event) => {
    if (event.detail.verb !== "get") return;
    for (const [name, value] of [...event.detail.formData.entries()]) if (value === "") event.detail.formData.delete(name);
  });
  document.addEventListener("htmx:sendError", () => toast("The server did not answer. Check your connection and try again.", "bad"));
  document.addEventListener("htmx:responseError", (event) => {
    const id = event.detail.xhr.getResponseHeader("X-Request-Id");
    toast("That did not work." + (id ? " Request " + id : ""), "bad");
  });
})();
