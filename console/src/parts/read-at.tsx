// Chooses which state is read: now, at a version, or at a time.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { toMillis } from "../lib/format.ts";
import { headOf, live } from "../lib/live.ts";
import { fromLocalInput, type ReadAt, toLocalInput } from "../lib/read-at.ts";
import { Choice } from "./basics.tsx";

const KINDS = [
  ["now", "Now"],
  ["version", "At a version"],
  ["time", "At a time"],
] as const;

export function ReadAtControl({
  value,
  onChange,
}: {
  readonly value: ReadAt;
  readonly onChange: (value: ReadAt) => void;
}): JSX.Element {
  const [kind, setKind] = useState<ReadAt["kind"]>(value.kind);
  const [text, setText] = useState("");
  useEffect(() => {
    setKind(value.kind);
    if (value.kind === "version") setText(value.version);
    if (value.kind === "time") setText(toLocalInput(value.at));
  }, [value.kind === "now" ? "" : value.kind === "version" ? value.version : value.at]);

  const choose = (next: ReadAt["kind"]): void => {
    setKind(next);
    const head = headOf(live.get());
    if (next === "now") onChange({ kind: "now" });
    // What is read does not change until the reader says which one.
    if (next === "version") setText(head.version ?? "");
    if (next === "time")
      setText(toLocalInput(new Date(toMillis(head.timestampUsec) ?? Date.now()).toISOString()));
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (kind === "version") onChange({ kind, version: text.replace(/[,_ ]/g, "") });
    const at = kind === "time" ? fromLocalInput(text) : undefined;
    if (kind === "time" && at !== undefined) onChange({ kind, at });
  };
  return (
    <form class="read-at" onSubmit={submit}>
      <Choice label="State to read" value={kind} options={KINDS} onChange={choose} />
      {kind === "now" ? undefined : (
        <>
          <label class="offscreen" for="read-at">
            {kind === "version" ? "Version" : "Time, in your zone"}
          </label>
          {kind === "version" ? (
            <input
              id="read-at"
              class="num"
              inputMode="numeric"
              autocomplete="off"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          ) : (
            <input
              id="read-at"
              type="datetime-local"
              step="1"
              value={text}
              onInput={(event) => setText(event.currentTarget.value)}
            />
          )}
          <button type="submit" class="button">
            Read
          </button>
        </>
      )}
    </form>
  );
}
