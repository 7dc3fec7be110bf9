// The plain pages: HTML that loads nothing. They take the place of the console and the interactive reference where
// those are switched off or not built. The reference page is made from the OpenAPI document alone.

import palette from "../../interface/palette.json" with { type: "json" };

type Json = Readonly<Record<string, unknown>>;

/** The colours that these pages use. */
function colours(theme: "light" | "dark"): string {
  const names = ["ink", "faint", "paper", "card", "line", "accent", "link"] as const;
  return names.map((name) => `--${name}:${palette[name][theme]}`).join(";");
}

/** Style of every page. Its hash is in the Content-Security-Policy, so it is the one style element there is. */
export const PAGE_STYLE: string = `:root{color-scheme:light dark;${colours("light")}}
@media(prefers-color-scheme:dark){:root{${colours("dark")}}}
*{box-sizing:border-box}
body{font:16px/1.55 system-ui,sans-serif;max-width:56rem;margin:0 auto;padding:2rem 1rem 4rem;color:var(--ink);background:var(--paper);overflow-wrap:anywhere}
.short{max-width:36rem;margin:12vh auto 0}li{margin:.25rem 0}
a{color:var(--link)}a:focus-visible,summary:focus-visible,pre:focus-visible{outline:3px solid var(--accent);outline-offset:2px}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0 1rem}h2{font-size:1.1rem;margin:0;display:inline}
.mark{width:2.5rem;height:2.5rem;color:var(--accent)}
code,pre{font:14px/1.45 ui-monospace,SFMono-Regular,Menlo,monospace}code{background:color-mix(in srgb,var(--line) 45%,transparent);border-radius:4px;padding:.1em .3em}
pre{padding:.8em;overflow:auto;background:var(--card);border:1px solid var(--line);border-radius:6px}
details{background:var(--card);border:1px solid var(--line);border-radius:8px;margin:.6rem 0;padding:.6rem .9rem}details details{background:none;margin:.8rem 0 0}
summary{cursor:pointer}summary code{color:var(--faint);background:none;padding:0;margin-left:.4rem}
dl{margin:.6rem 0}dt{margin-top:.6rem}dd{margin:0 0 0 1rem;color:var(--faint)}`;

function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Escapes, and sets what stands between backticks as code. */
function prose(text: string): string {
  const parts = escapeHtml(text).split("`");
  return parts.map((part, index) => (index % 2 === 0 ? part : `<code>${part}</code>`)).join("");
}

/** The mark of console/mark.svg, in the colour of its surroundings. */
const MARK =
  '<svg class="mark" viewBox="0 0 32 32" fill="none" stroke="currentColor" stroke-linecap="round" aria-hidden="true"><path stroke-width="2.5" d="M14.9 7.1 5 24.2M17.1 7.1 27 24.2M16.3 7.5 20.4 28"/><path stroke-width="3.2" d="M4.2 25.3a24 24 0 0 0 23.6 0"/><circle cx="16" cy="5.2" r="2.6" fill="currentColor" stroke="none"/></svg>';

function page(title: string, body: string, className = ""): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${PAGE_STYLE}</style></head><body><main class="${className}">
${MARK}
${body}
</main></body></html>
`;
}

/** Terms with their meanings, folded away under a title. */
function folded(title: string, rows: readonly (readonly [term: string, meaning: string])[]): string {
  if (rows.length === 0) return "";
  const list = rows.map(([term, meaning]) => `<dt>${term}</dt><dd>${meaning}</dd>`).join("\n");
  return `<details><summary>${title} (${rows.length})</summary><dl>\n${list}\n</dl></details>`;
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Json)[name]
    : undefined;
}

function entries(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}

function text(value: unknown, name: string): string {
  const found = member(value, name);
  return found === undefined ? "" : String(found);
}

/** A curl line that can be pasted into a shell. */
function curlLine(method: string, path: string, operation: unknown): string {
  let url = `/v1${path === "/" ? "" : path}`;
  for (const [, parameter] of entries(member(operation, "parameters"))) {
    if (text(parameter, "in") === "path") {
      url = url.replace(`{${text(parameter, "name")}}`, text(parameter, "example"));
    }
  }
  const [, media] = entries(member(member(operation, "requestBody"), "content"))[0] ?? [];
  const body = member(media, "example");
  const data =
    body === undefined ? "" : ` \\\n  -H 'Content-Type: application/json' \\\n  -d '${JSON.stringify(body)}'`;
  return `curl ${method === "post" ? "-X POST " : ""}http://127.0.0.1:8080${url}${data}`;
}

function section(method: string, path: string, operation: unknown): string {
  const parameters = entries(member(operation, "parameters")).map(([, parameter]) => {
    const required = member(parameter, "required") === true ? ", required" : "";
    const name = `<code>${escapeHtml(text(parameter, "name"))}</code> in ${text(parameter, "in")}${required}`;
    return [name, prose(text(parameter, "description"))] as const;
  });
  const responses = entries(member(operation, "responses")).map(
    ([status, response]) => [status, prose(text(response, "description"))] as const,
  );
  const isSuccess = ([status]: readonly [string, string]): boolean => status < "400";
  return `<details id="${escapeHtml(text(operation, "operationId"))}"><summary><h2>${escapeHtml(text(operation, "summary"))}</h2> <code>${method.toUpperCase()} /v1${escapeHtml(path)}</code></summary>
<p>${prose(text(operation, "description"))}</p>
<pre tabindex="0">${escapeHtml(curlLine(method, path, operation))}</pre>
${folded("Parameters", parameters)}
${folded("Responses", responses.filter(isSuccess))}
${folded(
  "Errors",
  responses.filter((row) => !isSuccess(row)),
)}</details>`;
}

/** The plain reference page of an OpenAPI document. */
export function specPage(document: Json): string {
  const sections = entries(member(document, "paths")).flatMap(([path, methods]) =>
    entries(methods).map(([method, operation]) => section(method, path, operation)),
  );
  const info = member(document, "info");
  return page(
    text(info, "title"),
    `<h1>${escapeHtml(text(info, "title"))}</h1>
<p>${prose(text(info, "description"))} Machine-readable: <a href="/v1/spec.json">spec.json</a>, <a href="/v1/spec.yaml">spec.yaml</a>.</p>
<p>Answers are JSON; where a BCS form exists, <code>Accept: application/x-bcs</code> asks for it. Errors are JSON always.</p>
${sections.join("\n")}`,
  );
}

const LINKS = `<ul>
<li><a href="/v1">/v1</a>: where the ledger stands</li>
<li><a href="/v1/info">/v1/info</a>: about this node</li>
<li><a href="/v1/spec">/v1/spec</a>: reference of all operations</li>
<li><a href="/v1/spec.json">/v1/spec.json</a>: the same as an OpenAPI document</li>
</ul>`;

/** The plain page at the root. */
export function startPage(): string {
  return page(
    "Sextant",
    `<h1>Sextant</h1>
<p>A node that serves balances, raw table items and signing bytes of an Aptos-format ledger.</p>
${LINKS}`,
    "short",
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
    "short",
  );
}
