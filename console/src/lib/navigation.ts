// The views that the console and the API reference lead to.

/** Section, text, and link from the console's page. */
export const NAVIGATION: readonly (readonly [section: string, text: string, href: string])[] = [
  ["", "Now", "#/"],
  ["account", "Accounts", "#/account"],
  ["blocks", "Blocks", "#/blocks"],
  ["feed", "Feed", "#/feed"],
  ["table", "Tables", "#/table"],
  ["encode", "Encode", "#/encode"],
  ["verify", "Verify", "#/verify"],
];

/** Rows of links scroll on a phone. Browsers leave a focused link where it is as soon as a part of it is in sight. */
export function showFocusedLinks(): void {
  document.addEventListener("focusin", ({ target }) => {
    if (target instanceof Element && target.closest("nav") !== null)
      target.scrollIntoView({ block: "nearest", inline: "nearest" });
  });
}
