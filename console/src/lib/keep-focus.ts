// Where the focused control leaves the page (a button that has done its work, a text that is no longer cut), the browser
// puts the focus on the whole document. This puts it on the part of the page that the control was in.

/** Parts that can be told by their name. */
const PARTS = "section, main";

function focusPart(part: HTMLElement): void {
  if (!part.hasAttribute("tabindex")) {
    part.tabIndex = -1;
    part.addEventListener("blur", () => part.removeAttribute("tabindex"), { once: true });
  }
  part.focus({ preventScroll: true });
}

/** Watches the whole page, from now on. */
export function keepFocus(): void {
  /** Parts around the focused control, the nearest first. */
  let parts: readonly HTMLElement[] = [];
  let focused: Node | undefined;
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof Element)) return;
    focused = target;
    const around: HTMLElement[] = [];
    for (let part = target.closest<HTMLElement>(PARTS); part !== null; ) {
      around.push(part);
      part = part.parentElement?.closest<HTMLElement>(PARTS) ?? null;
    }
    parts = around;
  });
  // On its way to another control, the focus is nowhere for a moment. First of all, because the page may change now.
  document.addEventListener(
    "focusout",
    ({ relatedTarget }) => {
      if (relatedTarget !== null) focused = undefined;
    },
    { capture: true },
  );
  new MutationObserver(() => {
    if (focused === undefined || focused.isConnected) return;
    focused = undefined;
    const part = parts.find((one) => one.isConnected);
    if (part !== undefined && document.activeElement === document.body) focusPart(part);
  }).observe(document.body, { childList: true, subtree: true });
}
