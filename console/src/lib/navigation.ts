// The views that the console and the API reference lead to.

/** Section, text, and link from the console's page. */
export const NAVIGATION: readonly (readonly [section: string, text: string, href: string])[] = [
  ["", "Now", "#/"],
  ["account", "Accounts", "#/account"],
  ["blocks", "Blocks", "#/blocks"],
  ["table", "Tables", "#/table"],
  ["encode", "Encode", "#/encode"],
  ["verify", "Verify", "#/verify"],
];
