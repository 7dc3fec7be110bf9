// The two pages for people: plain HTML that loads nothing, so they work offline. The reference page is made
// from the OpenAPI document alone.

type Json = Readonly<Record<string, unknown>>;

const STYLE = `body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;margin:2rem auto;padding:0 1rem;color:#1b1f24;background:#fff}
code,pre{font:14px/1.4 ui-monospace,monospace;background:#f3f4f6;border-radius:4px;padding:.1em .3em}
pre{padding:.8em;overflow:auto}table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.3em .6em;border-bottom:1px solid #d8dbe0}
h2{margin-top:2.5rem}@media(prefers-color-scheme:dark){body{color:#e4e6ea;background:#14171b}code,pre{background:#23272e}td,th{border-color:#3a3f47}a{color:#8ab4f8}}`;

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

function page(title: string, body: string): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escapeHtml(title)}</title><style>${STYLE}</style></head><body>
${body}
</body></html>
`;
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return "";
  const header = head.map((cell) => `<th>${cell}</th>`).join("");
  const body = rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("\n");
  return `<table><thead><tr>${header}</tr></thead><tbody>\n${body}\n</tbody></table>`;
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
  const parameters = entries(member(operation, "parameters")).map(([, parameter]) => [
    `<code>${escapeHtml(text(parameter, "name"))}</code>`,
    `${text(parameter, "in")}${member(parameter, "required") === true ? ", required" : ""}`,
    prose(text(parameter, "description")),
  ]);
  const responses = entries(member(operation, "responses")).map(([status, response]) => [
    status,
    prose(text(response, "description")),
  ]);
  return `<h2 id="${escapeHtml(text(operation, "operationId"))}">${escapeHtml(text(operation, "summary"))}</h2>
<p><code>${method.toUpperCase()} /v1${escapeHtml(path)}</code></p>
<p>${prose(text(operation, "description"))}</p>
<pre>${escapeHtml(curlLine(method, path, operation))}</pre>
${table(["parameter", "where", "meaning"], parameters)}
${table(["status", "answer"], responses)}`;
}

/** The reference page of an OpenAPI document. */
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

/** The page at the root. */
export function startPage(): string {
  return page(
    "Sextant",
    `<h1>Sextant</h1>
<p>A node that serves balances, raw table items and signing bytes of an Aptos-format ledger.</p>
<ul>
<li><a href="/v1">/v1</a>: where the ledger stands</li>
<li><a href="/v1/info">/v1/info</a>: about this node</li>
<li><a href="/v1/spec">/v1/spec</a>: reference of all operations</li>
<li><a href="/v1/spec.json">/v1/spec.json</a>: the same as an OpenAPI document</li>
</ul>`,
  );
}
