// Rows of lists: ticking with ranges and sums, keeping what is ticked over pages, keys, a click anywhere in a row, and a
// look at a row beside the list. Every list works without this file: rows are links, and ticked rows are a plain form.
(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const on = (type, selector, run) => document.addEventListener(type, (event) => {
    const found = event.target instanceof Element && event.target.closest(selector);
    if (found) run(found, event);
  });
  const group = (name, attribute) => all(`[${attribute}="${CSS.escape(name)}"]`);

  // Amounts as the server writes them.
  const grouped = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u00a0");
  const rand = (cents) => "R\u00a0" + grouped(Math.floor(cents / 100)) + "," + String(cents % 100).padStart(2, "0");

  // What is ticked is counted and summed up.
  function count(name) {
    const rows = group(name, "data-row");
    const ticked = rows.filter((r) => r.checked);
    group(name, "data-check-all").forEach((box) => {
      box.checked = ticked.length > 0 && ticked.length === rows.length;
      box.indeterminate = ticked.length > 0 && ticked.length < rows.length;
    });
    group(name, "data-selected-count").forEach((el) => { el.textContent = String(ticked.length); });
    group(name, "data-queue-many").forEach((bar) => { bar.open = ticked.length > 0 && !matchMedia("(max-width: 768px)").matches; });
    group(name, "data-selected").forEach((el) => {
      const bar = el.closest("form").dataset;
      const noun = ticked.length === 1 ? bar.one : bar.many;
      const sum = ticked.reduce((so, r) => so + Number(r.dataset.cents || 0), 0);
      el.textContent = grouped(ticked.length) + " " + noun + " selected" + ("sum" in bar ? " · " + rand(sum) : "");
    });
  }
  all("[data-check-all]").forEach((box) => count(box.dataset.checkAll));
  document.addEventListener("htmx:afterSettle", () => all("[data-check-all]").forEach((box) => count(box.dataset.checkAll)));

  // What was selected over several pages is kept by the server: it hears of each tick, one after the other.
  let said = Promise.resolve();
  function keep(name) {
    const form = group(name, "data-choose")[0];
    if (!form?.elements.selection) return;
    const body = new URLSearchParams(new FormData(form));
    said = said.then(async () => {
      const answer = await fetch(form.action, { method: "POST", body, headers: { "HX-Request": "true", "HX-Target": "selection" } });
      if (!answer.ok) throw new Error(String(answer.status));
      document.getElementById("selection").outerHTML = await answer.text();
    }).catch(() => {
      document.dispatchEvent(new CustomEvent("toast", { detail: { text: "What you ticked could not be kept. Load the page again.", kind: "bad" } }));
    });
  }
  const ticked = (name) => { count(name); keep(name); };

  let last = null;
  function range(from, to) {
    const rows = group(to.dataset.row, "data-row");
    if (!from || !rows.includes(from)) return;
    const [first, end] = [rows.indexOf(from), rows.indexOf(to)].sort((a, b) => a - b);
    rows.slice(first, end + 1).forEach((r) => { r.checked = to.checked; });
  }
  on("change", "[data-check-all]", (box) => {
    group(box.dataset.checkAll, "data-row").forEach((r) => { r.checked = box.checked; });
    ticked(box.dataset.checkAll);
  });
  on("click", "[data-row]", (box, event) => {
    if (event.shiftKey) range(last, box);
    last = box;
    ticked(box.dataset.row);
  });
  document.addEventListener("reset", (event) => {
    const name = event.target.dataset?.choose;
    if (name) setTimeout(() => { group(name, "data-row").forEach((r) => { r.checked = false; }); count(name); });
  });

  // Ticked rows stay ticked on the next page of the list: the form keeps them, and goes on there.
  document.addEventListener("click", (event) => {
    const link = event.target instanceof Element && event.target.closest(".pager a");
    const form = link && document.querySelector("form[data-choose]");
    if (!form || form.elements.selection || event.button || event.ctrlKey || event.metaKey || event.shiftKey) return;
    if (!group(form.dataset.choose, "data-row").some((r) => r.checked)) return;
    event.preventDefault();
    event.stopPropagation();
    const next = Object.assign(document.createElement("input"), { type: "hidden", name: "next", value: link.getAttribute("href") });
    form.append(next);
    form.requestSubmit();
  }, true);

  // A row that is not looked at any more gives its place to the first one.
  const lines = () => all("main table.stacks tbody tr").filter((row) => row.querySelector("a.main-link"));
  const link = (row) => row.querySelector("a.main-link");
  let current = null;
  function here() {
    const focused = document.activeElement?.closest?.("tbody tr");
    if (focused && link(focused)) current = focused;
    return current?.isConnected ? current : null;
  }
  function stand(row) {
    current?.classList.remove("here");
    current = row;
    row.classList.add("here");
    row.scrollIntoView({ block: "nearest" });
  }
  function step(by) {
    const rows = lines(), at = here();
    const next = at ? rows[rows.indexOf(at) + by] : rows[by > 0 ? 0 : rows.length - 1];
    if (!next) return;
    stand(next);
    if (open() && next.dataset.peek) peek(next);
    else link(next).focus();
  }

  // A look at a row beside the list.
  const panel = () => document.getElementById("peek");
  const open = () => panel() && !panel().hidden;
  async function peek(row) {
    stand(row);
    await window.htmx.ajax("GET", row.dataset.peek, { target: "#peek", swap: "innerHTML" });
    if (current !== row || !panel().querySelector("[data-peek-title]")) return;
    panel().hidden = false;
    document.documentElement.dataset.peeking = "";
    panel().scrollTop = 0;
    panel().querySelector("[data-peek-title]").focus();
  }
  function close() {
    panel().hidden = true;
    panel().replaceChildren();
    delete document.documentElement.dataset.peeking;
    if (here()) link(current).focus();
  }
  on("click", "[data-peek-close]", close);

  // A click anywhere in a row follows its link.
  const own = "a, button, input, label, select, textarea, summary, details, form";
  function followed(row, event, apart) {
    if (event.defaultPrevented || event.target.closest(own) || String(getSelection())) return;
    const box = event.target.closest("td.check")?.querySelector("input");
    if (box) {
      if (!apart) box.click();
    } else if (apart) open_(link(row).href);
    else link(row)?.click();
  }
  const open_ = (href) => window.open(href, "_blank", "noopener");
  on("click", "table.stacks tbody tr:has(a.main-link)", (row, event) => followed(row, event, event.ctrlKey || event.metaKey));
  on("auxclick", "table.stacks tbody tr:has(a.main-link)", (row, event) => { if (event.button === 1) followed(row, event, true); });

  const inList = { group: "In the list", when: () => lines().length > 0 };
  const box = () => here()?.querySelector("[data-row]");
  const ticking = () => inList.when() && document.querySelector("[data-row]");
  const keys = [
    { key: "j", label: "Next row", run: () => step(1) },
    { key: "k", label: "Previous row", run: () => step(-1) },
    { key: "Enter", label: "Open the row", run: () => { if (!open() || !here()) return false; link(current).click(); } },
    { key: " ", label: "Look at the row beside the list", when: () => inList.when() && document.querySelector("tr[data-peek]"), run: () => {
      const row = here() || lines()[0];
      if (!row?.dataset.peek) return false;
      if (open() && panel().dataset.of === row.dataset.peek) close();
      else { panel().dataset.of = row.dataset.peek; peek(row); }
    } },
    { key: "x", label: "Tick the row", when: ticking, run: () => { if (!box()) return false; box().click(); } },
    { key: "Shift+x", label: "Tick all rows from the last one", when: ticking, run: () => {
      const to = box();
      if (!to) return false;
      to.checked = true;
      range(last, to);
      last = to;
      ticked(to.dataset.row);
    } },
    { key: "Escape", label: "Close the panel", when: open, run: close },
  ];
  keys.forEach((key) => window.Keys?.add({ ...inList, ...key }));
})();
