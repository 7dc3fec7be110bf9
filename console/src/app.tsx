// The frame around every view: skip link, header with search and navigation, the notice that the node is gone, footer.
import { Component, type ComponentChildren, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { groupDigits } from "./lib/format.ts";
import { headOf, live } from "./lib/live.ts";
import { NAVIGATION } from "./lib/navigation.ts";
import { THEMES, type Theme, theme, zone } from "./lib/preferences.ts";
import { go, linkTo, type Route, route } from "./lib/router.ts";
import { targetOf } from "./lib/search.ts";
import { useStore } from "./lib/store.ts";
import { Mark, Problem } from "./parts/basics.tsx";
import { AccountSearch, AccountView } from "./views/account.tsx";
import { AssetView } from "./views/asset.tsx";
import { Blocks, BlockView } from "./views/blocks.tsx";
import { ViewCall } from "./views/call.tsx";
import { Encode } from "./views/encode.tsx";
import { FeedView } from "./views/feed.tsx";
import { NotFound } from "./views/not-found.tsx";
import { Now } from "./views/now.tsx";
import { Search } from "./views/search.tsx";
import { TableView } from "./views/table.tsx";
import { TransactionView } from "./views/transaction.tsx";
import { Verify } from "./views/verify.tsx";

/** Views that belong to an entry of the navigation with another name. */
const SECTIONS: Readonly<Record<string, string>> = {
  asset: "account",
  block: "blocks",
  call: "account",
  transaction: "blocks",
};

/** A fault of this page in one view must not take the others with it. */
class Guard extends Component<{ readonly children: ComponentChildren }, { readonly error?: Error }> {
  static override getDerivedStateFromError(error: Error): { readonly error: Error } {
    return { error };
  }

  override render(): ComponentChildren {
    const { error } = this.state;
    return error === undefined ? (
      this.props.children
    ) : (
      <Problem error={error} onRetry={() => location.reload()} />
    );
  }
}

function View({ segments, query }: Route): JSX.Element {
  const [view = "", first] = segments;
  if (view === "") return <Now />;
  if (view === "account" && first === undefined) return <AccountSearch />;
  if (view === "account" && first !== undefined)
    return <AccountView key={first} address={first} query={query} />;
  if (view === "blocks") return <Blocks query={query} />;
  if (view === "feed") return <FeedView query={query} />;
  if (view === "block" && first !== undefined) return <BlockView key={first} height={first} />;
  if (view === "transaction" && first !== undefined) return <TransactionView key={first} id={first} />;
  if (view === "asset" && first !== undefined) return <AssetView key={first} asset={first} />;
  if (view === "table") return <TableView key={first} handle={first} query={query} />;
  if (view === "encode") return <Encode query={query} />;
  if (view === "call") return <ViewCall key={query.function} called={query.function ?? ""} />;
  if (view === "verify") return <Verify />;
  if (view === "search") return <Search key={query.q} text={query.q ?? ""} />;
  return <NotFound />;
}

function SearchForm(): JSX.Element {
  const [text, setText] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // As on many sites; not while someone types elsewhere.
    const focus = (event: KeyboardEvent): void => {
      const target = event.target as HTMLElement;
      if (event.key !== "/" || target.closest("input, textarea, select, [contenteditable]") !== null) return;
      event.preventDefault();
      input.current?.focus();
    };
    addEventListener("keydown", focus);
    return () => removeEventListener("keydown", focus);
  }, []);
  return (
    <search class="search">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim() === "") return;
          const state = live.get();
          go(targetOf(text, state.info, headOf(state)) ?? linkTo(["search"], { q: text.trim() }));
          setText("");
        }}
      >
        <label class="offscreen" for="search">
          Search
        </label>
        <input
          id="search"
          ref={input}
          type="search"
          autocomplete="off"
          spellcheck={false}
          placeholder="Address, name, version, block 20, asset, function"
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </form>
    </search>
  );
}

function Status(): JSX.Element {
  const state = useStore(live);
  const { version } = headOf(state);
  const texts = { connecting: "connecting", there: "live", gone: "gone" };
  return (
    <a class={`status ${state.state}`} href="#/" title="Where the node stands">
      <span class="dot" />
      <span class="status-word">{texts[state.state]}</span>
      {version === undefined ? undefined : <span class="num">{groupDigits(version)}</span>}
    </a>
  );
}

const THEME_NAMES: Readonly<Record<Theme, string>> = {
  auto: "as the system",
  light: "light",
  dark: "dark",
};

function ThemeButton(): JSX.Element {
  const chosen = useStore(theme);
  const next = THEMES[(THEMES.indexOf(chosen) + 1) % THEMES.length] ?? "auto";
  return (
    <button
      type="button"
      class="icon-button"
      onClick={() => theme.set(next)}
      aria-label={`Colours: ${THEME_NAMES[chosen]}. Change to ${THEME_NAMES[next]}`}
      title={`Colours: ${THEME_NAMES[chosen]}`}
    >
      <svg viewBox="0 0 20 20" aria-hidden="true">
        {chosen === "light" ? (
          <path d="M10 6.2a3.8 3.8 0 1 0 0 7.6 3.8 3.8 0 0 0 0-7.6zM10 1.8v2M10 16.2v2M1.8 10h2M16.2 10h2M4.2 4.2l1.4 1.4M14.4 14.4l1.4 1.4M15.8 4.2l-1.4 1.4M5.6 14.4l-1.4 1.4" />
        ) : chosen === "dark" ? (
          <path d="M16.5 12.2A7 7 0 0 1 7.8 3.5a7 7 0 1 0 8.7 8.7z" />
        ) : (
          <>
            <circle cx="10" cy="10" r="7" />
            <path class="filled" d="M10 3a7 7 0 0 1 0 14z" />
          </>
        )}
      </svg>
    </button>
  );
}

/** Says that the node is gone, and, to those who hear the page, when it is back. */
function Gone(): JSX.Element {
  const { state, goneSince, returns } = useStore(live);
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (goneSince === undefined) return;
    const count = (): void => setSeconds(Math.floor((Date.now() - goneSince) / 1000));
    count();
    const timer = setInterval(count, 1000);
    return () => clearInterval(timer);
  }, [goneSince]);
  return (
    <>
      {state === "gone" ? (
        <div class="gone" data-testid="gone">
          <span class="dot" /> The node does not answer
          {seconds > 2 ? ` since ${seconds} s` : ""}. What you see is the last it said; this page goes on by
          itself when it is back.
        </div>
      ) : undefined}
      <div class="offscreen" role="status">
        {state === "gone" ? "The node does not answer" : returns > 0 ? "The node is back" : ""}
      </div>
    </>
  );
}

function Footer(): JSX.Element {
  const info = useStore(live, (value) => value.info);
  const chosen = useStore(zone);
  return (
    <footer class="foot">
      <span>
        Sextant {info?.sextant_version ?? ""}
        {info?.chain_id === undefined ? "" : ` · ${info.chain_id}`}
      </span>
      <span class="foot-links">
        <a href="v1/spec">API reference</a>
        <a href="v1/info">Info</a>
        <button
          type="button"
          class="link"
          onClick={() => zone.set(chosen === "utc" ? "local" : "utc")}
          aria-pressed={chosen === "utc"}
        >
          Times in {chosen === "utc" ? "UTC" : "your zone"}
        </button>
      </span>
    </footer>
  );
}

export function App(): JSX.Element {
  const current = useStore(route);
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const [view = "", id = ""] = current.segments;
  const section = SECTIONS[view] ?? view;
  const nav = useRef<HTMLElement>(null);
  // On a phone the row of views scrolls.
  useEffect(() => {
    const chosen = nav.current?.querySelector<HTMLElement>("[aria-current]");
    if (nav.current !== null && chosen)
      nav.current.scrollLeft = chosen.offsetLeft - nav.current.clientWidth / 3;
  }, [section]);
  // A new view begins at its top, also for the keyboard; not the page as it loads.
  useEffect(() => {
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    scrollTo(0, 0);
    main.current?.focus({ preventScroll: true });
  }, [view, id]);
  return (
    <>
      <button type="button" class="skip" onClick={() => main.current?.focus()}>
        Skip to the content
      </button>
      <header class="top">
        <div class="top-row">
          <a class="brand" href="#/" aria-label="Sextant, start">
            <Mark />
            <span class="brand-name">Sextant</span>
          </a>
          <SearchForm />
          <Status />
          <ThemeButton />
        </div>
        <nav class="nav" aria-label="Views" ref={nav}>
          {NAVIGATION.map(([name, text, href]) => (
            <a key={name} href={href} aria-current={name === section ? "page" : undefined}>
              {text}
            </a>
          ))}
          <a href="v1/spec">API</a>
        </nav>
      </header>
      <Gone />
      <main id="main" ref={main} tabIndex={-1}>
        <Guard key={`${view} ${id}`}>
          <View {...current} />
        </Guard>
      </main>
      <Footer />
    </>
  );
}
