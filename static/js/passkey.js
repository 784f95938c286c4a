// Passkeys: asks the browser and sends its answer with the form. Where scripts do not run, the form stays hidden and
// the page offers a code in its place. It also sends a kept form on, which a button does without it.
(() => {
  "use strict";
  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (c) => c.charCodeAt(0));
  const text = (buffer) => btoa(String.fromCharCode(...new Uint8Array(buffer))).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
  const known = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }));

  async function make(question) {
    const made = await navigator.credentials.create({ publicKey: {
      ...question, challenge: bytes(question.challenge), user: { ...question.user, id: bytes(question.user.id) },
      excludeCredentials: known(question.excludeCredentials),
    } });
    const r = made.response;
    return { clientDataJSON: text(r.clientDataJSON), attestationObject: text(r.attestationObject), transports: r.getTransports?.() || [], of: made };
  }
  async function show(question) {
    const shown = await navigator.credentials.get({ publicKey: {
      ...question, challenge: bytes(question.challenge), allowCredentials: known(question.allowCredentials),
    } });
    const r = shown.response;
    const answer = { clientDataJSON: text(r.clientDataJSON), authenticatorData: text(r.authenticatorData), signature: text(r.signature), of: shown };
    if (r.userHandle) answer.userHandle = text(r.userHandle);
    return answer;
  }
  function why(error, origin) {
    if (error.name === "SecurityError" && origin && origin !== location.origin) return "Passkeys work under " + origin + " only. Open this page there.";
    if (error.name === "InvalidStateError") return "This device has a passkey for your account already.";
    if (error.name === "NotAllowedError") return "Nothing was confirmed. Try again, or use another way.";
    return "The browser could not do that: " + error.message;
  }

  document.querySelectorAll("form[data-passkey]").forEach((form) => {
    if (!window.PublicKeyCredential) return;
    form.hidden = false;
    document.querySelectorAll("[data-no-passkeys]").forEach((note) => { note.hidden = true; });
    const answer = form.querySelector("[name=assertion]");
    const problem = form.querySelector("[data-passkey-problem]");
    let asking = false;
    form.addEventListener("submit", async (event) => {
      event.preventDefault();
      if (asking || !form.reportValidity()) return;
      asking = true;
      problem.hidden = true;
      try {
        const { of, ...response } = await (form.dataset.passkey === "create" ? make : show)(JSON.parse(form.dataset.question));
        answer.value = JSON.stringify({ id: of.id, rawId: text(of.rawId), type: of.type, response, clientExtensionResults: {} });
        form.submit();
      } catch (error) {
        asking = false;
        problem.textContent = why(error, form.dataset.origin);
        problem.hidden = false;
      }
    });
  });

  document.querySelector("form[data-send-on]")?.requestSubmit();
})();
