// The start of both style sheets, of the console and of the reference: the palette in both themes, then shared.css.
// The page's `data-theme` overrules the system's choice, so the dark colours stand under two selectors.
import { readFileSync } from "node:fs";

const palette = JSON.parse(readFileSync("src/interface/palette.json", "utf8"));

function themed(theme) {
  const colours = Object.entries(palette).map(([name, values]) => `--${name}: ${values[theme]};`);
  return [`color-scheme: ${theme};`, ...colours].join("\n");
}

export function sharedStyle() {
  return `:root {
${themed("light")}
}
@media (prefers-color-scheme: dark) {
:root:not([data-theme="light"]) {
${themed("dark")}
}
}
:root[data-theme="dark"] {
${themed("dark")}
}
${readFileSync("console/shared.css", "utf8")}`;
}
