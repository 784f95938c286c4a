// What is being pressed or filled in is not replaced meanwhile. A part that the server draws anew by itself, or in
// answer to what a form says, waits until the finger is off it; and an answer to what a form said before is dropped, or
// it would take back what was chosen since. Every page works without this file.
(() => {
  "use strict";
  const said = new WeakMap(); // what a form said when it asked
  const follows = (elt) => elt instanceof HTMLFormElement && elt.getAttribute("hx-sync") === "this:replace";
  const words = (form) => JSON.stringify([...new FormData(form)].filter(([name]) => !name.endsWith("_shown")));

  document.addEventListener("htmx:beforeSend", (event) => {
    const { elt, xhr } = event.detail;
    if (follows(elt)) said.set(xhr, words(elt));
  });

  // A form asks again once it is released. What asks every few seconds does so by itself.
  const ends = ["pointerup", "pointercancel"];
  function askLater(form) {
    const ask = () => {
      ends.forEach((end) => removeEventListener(end, ask));
      setTimeout(() => { if (form.isConnected && !form.dataset.sent) form.dispatchEvent(new Event("change")); });
    };
    ends.forEach((end) => addEventListener(end, ask));
  }

  document.addEventListener("htmx:beforeSwap", (event) => {
    const { elt } = event.detail.requestConfig, { xhr, target } = event.detail;
    const polls = /^every /.test(elt.getAttribute("hx-trigger") || "");
    if (polls && target.matches(":active")) event.detail.shouldSwap = false;
    if (!follows(elt)) return;
    if (elt.matches(":active")) {
      event.detail.shouldSwap = false;
      askLater(elt);
    } else if (said.has(xhr) && said.get(xhr) !== words(elt)) {
      event.detail.shouldSwap = false; // the change has asked for another answer, or is about to
    }
  });
})();
