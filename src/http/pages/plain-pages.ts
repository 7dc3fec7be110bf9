// The plain pages: HTML that loads nothing. They take the place of the console and the interactive reference where
// those are switched off or not built.

import palette from "../../interface/palette.json" with { type: "json" };

/** The colours that these pages use. */
function colours(theme: "light" | "dark"): string {
  const names = ["ink", "paper", "line", "accent", "link"] as const;
  return names.map((name) => `--${name}:${palette[name][theme]}`).join(";");
}

/** Style of every page. Its hash is in the Content-Security-Policy, so it is the one style element there is. */
export const PAGE_STYLE: string = `:root{color-scheme:light dark;${colours("light")}}
@media(prefers-color-scheme:dark){:root{${colours("dark")}}}
*{box-sizing:border-box}
body{font:16px/1.55 system-ui,sans-serif;max-width:36rem;margin:12vh auto 0;padding:2rem 1rem 4rem;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
li{margin:.25rem 0}
a{color:var(--link)}a:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0 1rem}
.mark{width:2.5rem;height:2.5rem;color:var(--accent)}
code{font:14px/1.45 ui-monospace,SFMono-Regular,Menlo,monospace;background:color-mix(in srgb,var(--line) 45%,transparent);border-radius:4px;padding:.1em .3em}`;

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** The mark of console/mark.svg, in the colour of its surroundings. */
const MARK =
  '<svg class="mark" viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-linecap="round" aria-hidden="true"><path stroke-width="2.5" d="M14.9 7.1 5 24.2M17.1 7.1 27 24.2M16.3 7.5 20.4 28"/><path stroke-width="3.2" d="M4.2 25.3a24 24 0 0 0 23.6 0"/><circle cx="16" cy="5.2" r="2.6" fill="currentColor" stroke="none"/></svg>';

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${PAGE_STYLE}</style></head><body><main>
${MARK}
${body}
</main></body></html>
`;
}

/** The plain page in the place of the reference. */
export function specPage(): string {
  return page(
    "Sextant node API",
    `<h1>Sextant node API</h1>
<p>The reference of all operations is an OpenAPI document: <a href="/v1/spec.json">spec.json</a>, <a href="/v1/spec.yaml">spec.yaml</a>.</p>
<p>Answers are JSON; where a BCS form exists, <code>Accept: application/x-bcs</code> asks for it. Errors are JSON always.</p>`,
  );
}

const LINKS = `<ul>
<li><a href="/v1">/v1</a>: where the ledger stands</li>
<li><a href="/v1/info">/v1/info</a>: about this node</li>
<li><a href="/v1/spec.json">/v1/spec.json</a>: all operations, as an OpenAPI document</li>
</ul>`;

/** The plain page at the root. */
export function startPage(): string {
  return page(
    "Sextant",
    `<h1>Sextant</h1>
<p>A node that serves balances, raw table items and signing bytes of an Aptos-format ledger.</p>
${LINKS}`,
  );
}

/** Longest part of a request target that a page repeats. */
const SHOWN_LENGTH = 120;

/** What a browser gets for a path where nothing is. */
export function notFoundPage(target: string): string {
  const shown = target.length > SHOWN_LENGTH ? `${target.slice(0, SHOWN_LENGTH)}…` : target;
  return page(
    "Nothing here · Sextant",
    `<h1>Nothing is served here</h1>
<p>This node has no page at <code>${escapeHtml(shown)}</code>. The address may be mistyped, or the link may be older than this node.</p>
<ul>
<li><a href="/">Start page</a></li>
<li><a href="/v1/spec">Reference of all operations</a></li>
</ul>`,
  );
}
