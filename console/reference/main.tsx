// The API reference: contents, search, and every operation folded. Everything comes from this node: the document from
// spec.json, and values to try from its info.
import { type JSX, render } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { NAVIGATION, showFocusedLinks } from "../src/lib/navigation.ts";
import { type ApiDocument, type Operation, operationsOf } from "./api-document.ts";
import { OperationView, type Suggestions } from "./operation-view.tsx";
import { Prose } from "./prose.tsx";
import { API_ROOT } from "./request.ts";

function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path class="mark-frame" d="M14.9 7.1 5 24.2M17.1 7.1 27 24.2" />
      <path class="mark-arc" d="M4.2 25.3a24 24 0 0 0 23.6 0" />
      <path class="mark-arm" d="M16.3 7.5 20.4 28" />
      <circle class="mark-pivot" cx="16" cy="5.2" r="2.6" />
    </svg>
  );
}

/** A path that breaks at its slashes. */
function Path({ path }: { path: string }): JSX.Element {
  return (
    <>
      {path.split(/(?=\/)/).map((part, index) => (
        <>
          {index > 0 && <wbr />}
          {part}
        </>
      ))}
    </>
  );
}

function matches(
  { operationId, method, path, summary, description }: Operation,
  words: readonly string[],
): boolean {
  const text = `${operationId} ${method} /v1${path} ${summary} ${description}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

function Contents({
  operations,
  current,
}: {
  operations: readonly Operation[];
  current: string;
}): JSX.Element {
  const groups = [...new Set(operations.map(({ group }) => group))];
  return (
    <>
      {groups.map((group) => (
        <section key={group}>
          <h2>{group}</h2>
          <ul>
            {operations
              .filter((operation) => operation.group === group)
              .map(({ operationId, summary }) => (
                <li key={operationId}>
                  <a href={`#${operationId}`} aria-current={operationId === current ? "true" : undefined}>
                    {summary}
                  </a>
                </li>
              ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function Folded({
  document,
  operation,
  suggestions,
  isOpen,
  onToggle,
}: {
  document: ApiDocument;
  operation: Operation;
  suggestions: Suggestions;
  isOpen: boolean;
  onToggle: (isOpen: boolean) => void;
}): JSX.Element {
  const { operationId, method, path, summary } = operation;
  return (
    <details
      id={operationId}
      class="operation"
      open={isOpen}
      onToggle={(event) => {
        // Also told by details inside.
        if (event.target === event.currentTarget) onToggle(event.currentTarget.open);
      }}
    >
      <summary>
        <h3>{summary}</h3>
        <span class="route">
          <span class={`method ${method.toLowerCase()}`}>{method}</span>{" "}
          <code>
            <Path path={`/v1${path}`} />
          </code>
        </span>
      </summary>
      {isOpen && <OperationView document={document} operation={operation} suggestions={suggestions} />}
    </details>
  );
}

function useHash(): string {
  const read = (): string => location.hash.slice(1);
  const [hash, setHash] = useState(read);
  useEffect(() => {
    const change = (): void => setHash(read());
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  return hash;
}

/** The views of the console, as the console itself shows them. */
function Views(): JSX.Element {
  return (
    <nav aria-label="Views" class="views">
      {NAVIGATION.map(([section, text, href]) => (
        <a key={section} href={`../${href}`}>
          {text}
        </a>
      ))}
      <a href="spec" aria-current="page">
        API
      </a>
    </nav>
  );
}

function Reference({
  document: api,
  suggestions,
  hasConsole,
}: {
  document: ApiDocument;
  suggestions: Suggestions;
  hasConsole: boolean;
}): JSX.Element {
  const operations = useMemo(() => operationsOf(api), [api]);
  const hash = useHash();
  const [text, setText] = useState("");
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set([hash]));
  const search = useRef<HTMLInputElement>(null);
  const menu = useRef<HTMLDetailsElement>(null);
  const words = text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== "");
  const found = operations.filter((operation) => matches(operation, words));
  const groups = [...new Set(found.map(({ group }) => group))];

  const toggle = (id: string, isOpen: boolean): void =>
    setOpened((before) => {
      const after = new Set(before);
      if (isOpen) after.add(id);
      else after.delete(id);
      return after;
    });

  useEffect(() => {
    if (hash === "") return;
    toggle(hash, true);
    if (menu.current !== null) menu.current.open = false;
    const target = document.getElementById(hash);
    target?.scrollIntoView();
    target?.querySelector<HTMLElement>(":scope > summary")?.focus({ preventScroll: true });
  }, [hash]);

  useEffect(() => {
    const focus = (event: KeyboardEvent): void => {
      const isTyping = (event.target as HTMLElement).closest("input, textarea, select") !== null;
      if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      search.current?.focus();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);

  return (
    <>
      <a class="skip" href="#operations">
        Skip to the operations
      </a>
      <header>
        <a class="brand" href="../">
          <Mark />
          <span>Sextant</span>
        </a>
        <label class="search">
          <span class="offscreen">Search the operations</span>
          <input
            ref={search}
            type="search"
            placeholder="Search, or press /"
            value={text}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <p class="offscreen" role="status">
          {words.length === 0 ? "" : `${found.length} of ${operations.length} operations`}
        </p>
      </header>
      {hasConsole && <Views />}
      <div class="columns">
        <nav aria-label="Operations" class="wide">
          <Contents operations={found} current={hash} />
        </nav>
        <main id="operations" tabIndex={-1}>
          <h1>
            {api.info.title} <small>{api.info.version}</small>
          </h1>
          <p class="lead">
            <Prose text={api.info.description} /> Open an operation, change the values, and send it to this
            node.
          </p>
          <p class="meaning">
            The base is <code>{API_ROOT}</code>. As a document: <a href="spec.json">spec.json</a>,{" "}
            <a href="spec.yaml">spec.yaml</a>. Where an answer exists in BCS, choose it below, or send{" "}
            <code>Accept: application/x-bcs</code>. Errors are JSON.
          </p>
          <details class="narrow contents" ref={menu}>
            <summary>Contents ({found.length})</summary>
            <nav aria-label="Operations, short">
              <Contents operations={found} current={hash} />
            </nav>
          </details>
          {found.length === 0 && (
            <p class="empty">
              No operation matches “{text}”.{" "}
              <button
                type="button"
                class="quiet"
                onClick={() => {
                  setText("");
                  search.current?.focus();
                }}
              >
                Show all
              </button>
            </p>
          )}
          {groups.map((group) => (
            <section key={group}>
              <h2>{group}</h2>
              {found
                .filter((operation) => operation.group === group)
                .map((operation) => (
                  <Folded
                    key={operation.operationId}
                    document={api}
                    operation={operation}
                    suggestions={suggestions}
                    isOpen={opened.has(operation.operationId)}
                    onToggle={(isOpen) => toggle(operation.operationId, isOpen)}
                  />
                ))}
            </section>
          ))}
        </main>
      </div>
    </>
  );
}

function Failed({ message }: { message: string }): JSX.Element {
  return (
    <main class="plain">
      <h1>Sextant node API</h1>
      <p role="alert">The operations could not be loaded: {message}.</p>
      <button type="button" onClick={() => location.reload()}>
        Try again
      </button>
    </main>
  );
}

/** Parameters whose values a local chain names, and the member of its info that has them by name. */
const KNOWN: readonly (readonly [parameter: string, member: string])[] = [
  ["address", "demo_accounts"],
  ["asset_type", "demo_assets"],
  ["table_handle", "demo_tables"],
];

/** What is read of it: by member and name a value, or an account with its keys. */
type Info = Readonly<Record<string, Readonly<Record<string, string | { readonly address: string }>>>>;

/** A JSON answer of this node; undefined where it gives none: the examples of the document stay. */
async function answerOf<T>(path: string): Promise<T | undefined> {
  try {
    const response = await fetch(`${API_ROOT}/${path}`);
    return response.ok ? ((await response.json()) as T) : undefined;
  } catch {
    return undefined;
  }
}

/** The demo accounts, assets and tables of a local chain, and the latest transaction of any. */
async function loadSuggestions(): Promise<Suggestions> {
  const [info = {}, [latest] = []] = await Promise.all([
    answerOf<Info>("info"),
    answerOf<{ readonly hash: string; readonly version: string }[]>("transactions?limit=1"),
  ]);
  const lists = KNOWN.flatMap(([parameter, member]) => {
    const pairs = Object.entries(info[member] ?? {}).map(
      ([name, value]) => [typeof value === "string" ? value : value.address, name] as const,
    );
    return pairs.length === 0 ? [] : [[parameter, pairs] as const];
  });
  const transaction: Suggestions =
    latest === undefined
      ? {}
      : {
          txn_hash: [[latest.hash, "the latest"]],
          txn_version: [[latest.version, "the latest"]],
          version: [[latest.version, "the latest"]],
        };
  return { ...Object.fromEntries(lists), ...transaction };
}

/** True where the node serves the console: `--no-start-page` serves nothing there. */
async function findConsole(): Promise<boolean> {
  try {
    return (await fetch("../", { method: "HEAD" })).ok;
  } catch {
    return false;
  }
}

async function start(root: HTMLElement): Promise<void> {
  try {
    // The choice of the console; its page is the place to change it.
    document.documentElement.dataset.theme = localStorage.getItem("sextant.theme") ?? "auto";
  } catch {
    // Storage may be forbidden.
  }
  try {
    const loadSpec = async (): Promise<ApiDocument> => {
      const response = await fetch(`${API_ROOT}/spec.json`);
      if (!response.ok) throw new Error(`the node answered ${response.status}`);
      return (await response.json()) as ApiDocument;
    };
    const [api, suggestions, hasConsole] = await Promise.all([loadSpec(), loadSuggestions(), findConsole()]);
    root.textContent = "";
    render(<Reference document={api} suggestions={suggestions} hasConsole={hasConsole} />, root);
  } catch (error) {
    root.textContent = "";
    render(<Failed message={error instanceof Error ? error.message : String(error)} />, root);
  }
}

showFocusedLinks();
const root = document.getElementById("root");
if (root !== null) void start(root);
