// Drafts: what a person typed into a new form is kept in this tab every five seconds, so that a reload, a step back or a
// crash loses nothing. It never leaves the browser, is gone with the tab and on signing out, and holds no numbers of
// accounts or identities. Every form works without this file.
(() => {
  "use strict";
  const every = 5000;
  const prefix = "draft:";
  const secret = /password|account|number|personal|identity|passport|code/;
  const person = document.querySelector("main")?.dataset.person || "";
  const store = (() => { try { return window.sessionStorage; } catch { return null; } })();
  if (!store || !person) return;

  const keys = () => Object.keys(store).filter((key) => key.startsWith(prefix));
  document.addEventListener("submit", (event) => {
    if (event.target.getAttribute("action") === "/logout") keys().forEach((key) => store.removeItem(key));
  });
  const mine = prefix + person + ":" + location.pathname;
  keys().forEach((key) => { // what another person typed here, and what was sent and led on
    const { sent } = JSON.parse(store.getItem(key)) || {};
    if (!key.startsWith(prefix + person + ":") || sent && key !== mine) store.removeItem(key);
  });
  const form = document.querySelector("main form[method=post] input[name=form_key]")?.form;
  if (!form || !/\/new$/.test(location.pathname)) return;

  const kept = (field) => field.name && !secret.test(field.name) && !["hidden", "password", "file", "submit", "button"].includes(field.type);
  const ticks = (field) => field.type === "checkbox" || field.type === "radio";
  const read = () => [...form.elements].filter((f) => kept(f) && (!ticks(f) || f.checked)).map((f) => [f.name, f.value]);
  const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

  function save(sent) {
    const values = read();
    if (same(values, first)) store.removeItem(mine);
    else store.setItem(mine, JSON.stringify({ at: Date.now(), values, sent }));
    changed = false;
  }
  function fill(values) {
    const at = {};
    [...form.elements].filter(kept).forEach((field) => {
      const given = values.filter(([name]) => name === field.name).map(([, value]) => value);
      if (ticks(field)) {
        field.checked = given.includes(field.value);
        return;
      }
      const n = at[field.name] = (at[field.name] ?? -1) + 1;
      if (n < given.length) field.value = given[n];
    });
    form.dispatchEvent(new Event("change", { bubbles: true }));
  }
  // Where more lines were typed than the form has, they are added first, one after the other.
  function withLines(values, then) {
    const add = form.querySelector("button[name=add]"), had = form.querySelectorAll("[name=name]").length;
    if (!add || had >= values.filter(([name]) => name === "name").length) { then(); return; }
    function added(event) {
      if (event.target.id !== "lines") return;
      document.removeEventListener("htmx:afterSettle", added);
      if (form.querySelectorAll("[name=name]").length > had) withLines(values, then); else then();
    }
    document.addEventListener("htmx:afterSettle", added);
    add.click();
  }
  function offer({ at, values }) {
    const box = document.createElement("div");
    box.className = "note-box info";
    box.setAttribute("role", "status");
    const text = document.createElement("p");
    text.textContent = "You started this form at " + new Date(at).toTimeString().slice(0, 5) + " and did not send it. Account numbers are not kept.";
    const buttons = document.createElement("div");
    buttons.className = "row";
    [["Use what I typed", () => withLines(values, () => fill(values))], ["Start again", () => store.removeItem(mine)]].forEach(([label, act]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "btn small";
      button.textContent = label;
      button.addEventListener("click", () => {
        act();
        box.remove();
        (form.querySelector("input:not([type=hidden]), select, textarea") || form).focus();
      });
      buttons.append(button);
    });
    const body = document.createElement("div");
    body.className = "grow stack-s";
    body.append(text, buttons);
    box.append(body);
    form.prepend(box);
  }

  const first = read();
  let changed = false;
  const draft = JSON.parse(store.getItem(mine));
  if (draft && !document.querySelector("[data-focus]") && !same(draft.values, first)) offer(draft); // a refused form shows what was sent
  form.addEventListener("input", (event) => { if (event.isTrusted) changed = true; });
  form.addEventListener("submit", () => save(true));
  setInterval(() => { if (changed) save(false); }, every);
  addEventListener("pagehide", () => { if (changed) save(false); });
})();
