// A response: status, time, size, headers, and the body as indented JSON, as text or as bytes.
import type { JSX } from "preact";
import { indentJson } from "./exact-json.ts";
import { dumpHex, formatHex } from "./hex.ts";
import { CodeBox, CopyButton } from "./prose.tsx";
import { isText, type Reply } from "./request.ts";

/** Most characters of a body that are shown: a browser gets slow with more. */
const SHOWN_LENGTH = 100_000;

function sizeText(bytes: number): string {
  return bytes === 1 ? "1 byte" : `${bytes} bytes`;
}

function save(reply: Reply, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([reply.bytes], { type: reply.mediaType }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 0);
}

function endingOf(mediaType: string): string {
  if (mediaType.endsWith("json")) return "json";
  const endings: Readonly<Record<string, string>> = {
    "text/csv": "csv",
    "text/html": "html",
    "application/yaml": "yaml",
  };
  return endings[mediaType] ?? (isText(mediaType) ? "txt" : "bcs");
}

export function ReplyView({ reply, name }: { reply: Reply; name: string }): JSX.Element {
  const { status, statusText, milliseconds, mediaType, bytes, isCut, isOpen } = reply;
  const isBytes = !isText(mediaType) && bytes.length > 0;
  const plain = isBytes ? formatHex(bytes) : new TextDecoder().decode(bytes);
  const readable = isBytes ? dumpHex(bytes) : mediaType.endsWith("json") ? indentJson(plain) : plain;
  const shown = readable.slice(0, SHOWN_LENGTH);
  return (
    <section class="reply" aria-label="Response">
      <p class="status-line" role="status">
        <strong class={status < 400 ? "good" : "bad"}>
          {status} {statusText}
        </strong>{" "}
        <span>
          {mediaType === "" ? "no body" : mediaType}, {sizeText(bytes.length)}, {milliseconds.toFixed(0)} ms
          {isOpen && ", still open"}
        </span>
      </p>
      {bytes.length > 0 && (
        <>
          <CodeBox label="Body of the response" text={shown} />
          {(isCut || shown.length < readable.length) && <p class="meaning">The rest is not shown here.</p>}
          <p class="actions">
            <CopyButton text={plain} what="the response" />
            <button type="button" class="quiet" onClick={() => save(reply, `${name}.${endingOf(mediaType)}`)}>
              Download
            </button>
          </p>
        </>
      )}
      <details>
        <summary>Headers ({reply.headers.length})</summary>
        <dl class="headers">
          {reply.headers.map(([header, value]) => (
            <div key={header}>
              <dt>{header}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
    </section>
  );
}
