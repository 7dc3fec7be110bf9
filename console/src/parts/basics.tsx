// The small parts that every view is made of.
import { type ComponentChildren, Fragment, type JSX } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { ApiError, NodeGone } from "../lib/api.ts";
import {
  formatLocal,
  formatLocalShort,
  formatUnits,
  formatUtc,
  fullAddress,
  groupDigits,
  shorten,
  toMillis,
  trimAddress,
  zoneName,
} from "../lib/format.ts";
import { demoName, live } from "../lib/live.ts";
import { zone } from "../lib/preferences.ts";
import { linkTo } from "../lib/router.ts";
import { copyText } from "../lib/save-file.ts";
import { useStore } from "../lib/store.ts";
import type { Loaded } from "../lib/use-load.ts";
import { cutText, visibleParts, visibleText } from "../lib/visible-text.ts";

/** The sextant: an arc with its index arm. */
export function Mark(): JSX.Element {
  return (
    <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
      <path class="mark-frame" d="M14.9 7.1 5 24.2M17.1 7.1 27 24.2" />
      <path class="mark-arc" d="M4.2 25.3a24 24 0 0 0 23.6 0" />
      <path class="mark-scale" d="M10.3 16.6a15 15 0 0 0 11.4 0" />
      <path class="mark-arm" d="M16.3 7.5 20.4 28" />
      <circle class="mark-pivot" cx="16" cy="5.2" r="2.6" />
    </svg>
  );
}

export function Card({
  title,
  actions,
  children,
  className = "",
}: {
  readonly title?: ComponentChildren;
  readonly actions?: ComponentChildren;
  readonly children: ComponentChildren;
  readonly className?: string;
}): JSX.Element {
  const id = useId();
  return (
    <section class={`card ${className}`} {...(title === undefined ? {} : { "aria-labelledby": id })}>
      {title === undefined ? undefined : (
        <header class="card-head">
          <h2 id={id}>{title}</h2>
          {actions === undefined ? undefined : <div class="card-actions">{actions}</div>}
        </header>
      )}
      {children}
    </section>
  );
}

/** Names with values. */
export function Facts({ children }: { readonly children: ComponentChildren }): JSX.Element {
  return <dl class="facts">{children}</dl>;
}

export function Fact({
  name,
  children,
  wide = false,
}: {
  readonly name: string;
  readonly children: ComponentChildren;
  /** Takes the whole width. */
  readonly wide?: boolean;
}): JSX.Element {
  return (
    <div class={wide ? "wide-fact" : undefined}>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A button that copies, and says so for a moment. */
export function Copy({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  const [said, setSaid] = useState("");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const copy = async (): Promise<void> => {
    setSaid((await copyText(text)) ? "copied" : "the browser does not allow it");
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setSaid(""), 1500);
  };
  return (
    <button type="button" class="copy" onClick={copy} title={`Copy ${label}`} aria-label={`Copy ${label}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        {said === "copied" ? (
          <path d="M3 8.5l3.2 3.2L13 5" />
        ) : (
          <path d="M5.5 5.5v-3h8v8h-3M2.5 5.5h8v8h-8z" />
        )}
      </svg>
      <span class="offscreen" role="status">
        {said}
      </span>
    </button>
  );
}

/** A button. While it is off it keeps the focus, which a browser takes away from one that is `disabled`. */
export function Button({
  isOff = false,
  look = "",
  onClick,
  ...rest
}: {
  readonly isOff?: boolean;
  /** Classes besides that of every button. */
  readonly look?: "" | "small" | "primary";
  readonly onClick?: () => void;
  readonly type?: "button" | "submit";
  readonly children: ComponentChildren;
  readonly "data-testid"?: string;
}): JSX.Element {
  return (
    <button
      type="button"
      {...rest}
      class={`button ${look}`}
      aria-disabled={isOff}
      onClick={(event) => {
        // Also keeps a form from being sent.
        if (isOff) event.preventDefault();
        else onClick?.();
      }}
    />
  );
}

/** Text that anybody may have written: isolated, with hidden characters named, cut where it is long. */
export function LedgerText({
  text,
  max = 120,
  isInside = false,
}: {
  readonly text: string;
  readonly max?: number;
  /** Inside a link or a summary, which can hold no button: the rest is cut off. */
  readonly isInside?: boolean;
}): JSX.Element {
  const [isWhole, setWhole] = useState(false);
  const { start, isCut } = cutText(text, max);
  return (
    <span class="ledger-text">
      <bdi class={isWhole ? "whole-text" : undefined}>
        {visibleParts(isWhole ? text : start).map((part, index) =>
          part.isNamed ? (
            <span key={index} class="named" title="A character that cannot be seen">
              {part.text}
            </span>
          ) : (
            part.text
          ),
        )}
      </bdi>
      {isCut && isInside ? "…" : undefined}
      {isCut && !isInside ? (
        <button type="button" class="more" onClick={() => setWhole(!isWhole)} aria-expanded={isWhole}>
          {isWhole ? "show less" : `… all ${groupDigits(`${text.length}`)} characters`}
        </button>
      ) : undefined}
    </span>
  );
}

/** A ledger time in the reader's zone, with UTC on hover; or the other way round, as the reader chose. */
export function Time({
  usec,
  isWhole = false,
}: {
  readonly usec: string | undefined;
  /** With the date, also today's, and the zone. */
  readonly isWhole?: boolean;
}): JSX.Element {
  const chosen = useStore(zone);
  const millis = toMillis(usec);
  if (usec === undefined) return <span class="faint">unknown</span>;
  if (millis === undefined) return <span class="faint">genesis</span>;
  const utc = formatUtc(usec);
  const local = `${formatLocal(millis)} ${zoneName(millis)}`;
  return (
    <time dateTime={utc} title={chosen === "utc" ? local : `${utc} (UTC), ${local}`} class="time">
      {chosen === "utc"
        ? `${utc.slice(0, 19).replace("T", " ")} UTC`
        : isWhole
          ? local
          : formatLocalShort(millis)}
    </time>
  );
}

/** An amount with its decimal point; the exact digits of the smallest unit on hover. */
export function Amount({
  amount,
  decimals,
  symbol,
  signed = false,
}: {
  readonly amount: string | bigint;
  readonly decimals: number | undefined;
  readonly symbol?: string | undefined;
  readonly signed?: boolean;
}): JSX.Element {
  const exact = BigInt(amount);
  const text = formatUnits(exact, decimals ?? 0);
  return (
    <span class="amount" title={`${exact} in the smallest unit`} data-exact={`${exact}`}>
      {signed && exact > 0n ? "+" : ""}
      {text}
      {symbol === undefined ? undefined : (
        <span class="unit">
          {" "}
          <LedgerText text={symbol} max={16} />
        </span>
      )}
    </span>
  );
}

/** An account by its demo name, or by a short form of its address, as in a sentence. */
export function AccountLink({ address }: { readonly address: string }): JSX.Element {
  const info = useStore(live, (value) => value.info);
  const known = demoName(info, address);
  return (
    <a href={linkTo(["account", fullAddress(address) ?? address])} title={address}>
      {known === undefined ? (
        <span class="mono">{shorten(trimAddress(address), 4)}</span>
      ) : (
        <span class="demo-name">{known}</span>
      )}
    </a>
  );
}

/** An account or object: a link with its demo name where it has one, a copy button. */
export function Address({
  address: given,
  full = false,
  name = true,
  query = {},
}: {
  readonly address: string;
  readonly full?: boolean;
  readonly name?: boolean;
  /** Parameters of the account's view. */
  readonly query?: Readonly<Record<string, string>>;
}): JSX.Element {
  const info = useStore(live, (value) => value.info);
  const address = fullAddress(given) ?? given;
  const known = name ? demoName(info, address) : undefined;
  return (
    <span class="address">
      <a href={linkTo(["account", address], query)} title={address}>
        {known === undefined ? undefined : (
          <>
            <span class="demo-name">{known}</span>{" "}
          </>
        )}
        <span class={full ? "mono" : "mono together"}>{full ? address : shorten(trimAddress(address))}</span>
      </a>
      <Copy text={address} label="address" />
    </span>
  );
}

/** A hash or other bytes in one line. */
export function Hash({
  hash,
  href,
  full = false,
  label = "hash",
}: {
  readonly hash: string;
  readonly href?: string;
  readonly full?: boolean;
  readonly label?: string;
}): JSX.Element {
  const text = full ? hash : shorten(hash, 8);
  return (
    <span class="address">
      {href === undefined ? (
        <span class={full ? "mono" : "mono together"} title={hash}>
          {text}
        </span>
      ) : (
        <a href={href} class={full ? "mono" : "mono together"} title={hash}>
          {text}
        </a>
      )}
      <Copy text={hash} label={label} />
    </span>
  );
}

/** A version as a link to its transaction. */
export function Version({ version }: { readonly version: string }): JSX.Element {
  return (
    <a href={linkTo(["transaction", version])} class="num">
      {groupDigits(version)}
    </a>
  );
}

/** Longer types are cut. */
const MAX_TYPE_LENGTH = 200;

/** A type with the addresses in it shortened; the whole on hover. */
export function MoveType({
  type,
  isInside = false,
}: {
  readonly type: string;
  readonly isInside?: boolean;
}): JSX.Element {
  const short = type.replace(/0x[0-9a-f]{20,64}/g, (address) => shorten(trimAddress(address), 4));
  return (
    <span class="mono move-type" title={visibleText(cutText(type, 1000).start)}>
      {short.length > MAX_TYPE_LENGTH ? (
        <LedgerText text={short} max={MAX_TYPE_LENGTH} isInside={isInside} />
      ) : (
        short.split(/(?<=::)/).map((part, index) => (
          <Fragment key={index}>
            <LedgerText text={part} max={MAX_TYPE_LENGTH} />
            <wbr />
          </Fragment>
        ))
      )}
    </span>
  );
}

/** Grey bars where something will be. */
export function Skeleton({ lines = 3 }: { readonly lines?: number }): JSX.Element {
  return (
    <div class="skeleton" aria-busy="true">
      <span class="offscreen">Loading…</span>
      {Array.from({ length: lines }, (_, index) => (
        <span key={index} class="bone" />
      ))}
    </div>
  );
}

/** Nothing to show, and why. */
export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  return (
    <div class="empty">
      <Mark />
      <p class="empty-title">{title}</p>
      {children === undefined ? undefined : <div class="empty-text">{children}</div>}
    </div>
  );
}

const ERROR_TITLES: Readonly<Record<string, string>> = {
  version_pruned: "This version is pruned",
  version_not_found: "The ledger has no such version",
  block_pruned: "This block is pruned",
  block_not_found: "The ledger has no such block",
  account_not_found: "There is no such account",
  transaction_not_found: "There is no such transaction",
  table_item_not_found: "The table has no such item",
  module_not_found: "There is no such module",
  resource_not_found: "There is no such resource",
  web_framework_error: "The request is not right",
  invalid_input: "The request is not right",
};

/** An error as the reader needs it: what is wrong in a few words, the node's own message, and a way to try again. */
export function Problem({
  error,
  onRetry,
}: {
  readonly error: Error;
  readonly onRetry?: (() => void) | undefined;
}): JSX.Element {
  if (error instanceof NodeGone) {
    return (
      <div class="problem" role="status">
        <p class="problem-title">The node does not answer</p>
        <p>This part loads by itself as soon as the node is back.</p>
      </div>
    );
  }
  const code = error instanceof ApiError ? error.code : "";
  if (error instanceof ApiError && error.isNotServed) {
    return (
      <div class="problem notice" role="status">
        <p class="problem-title">This node does not serve this</p>
        <p>
          <LedgerText text={error.message} max={600} />
        </p>
      </div>
    );
  }
  const isNodeFault = error instanceof ApiError && error.status >= 500;
  return (
    <div class="problem" role="alert">
      <p class="problem-title">
        {ERROR_TITLES[code] ?? (isNodeFault ? "The node could not answer" : "That did not work")}
      </p>
      <p>
        <LedgerText text={error.message} max={600} />
      </p>
      {onRetry === undefined ? undefined : (
        <button type="button" class="button small" onClick={onRetry}>
          Try again
        </button>
      )}
    </div>
  );
}

/** Loading, error or content; both if it could not be read again. */
export function Load<T>({
  loaded,
  lines = 3,
  children,
}: {
  readonly loaded: Loaded<T>;
  readonly lines?: number;
  readonly children: (data: T) => ComponentChildren;
}): JSX.Element {
  const { data, error, reload } = loaded;
  if (data !== undefined) {
    // The page says by itself, once, that the node does not answer.
    const isSaid = error === undefined || error instanceof NodeGone;
    return (
      <>
        {isSaid ? undefined : <Problem error={error} onRetry={reload} />}
        {children(data)}
      </>
    );
  }
  if (error !== undefined) return <Problem error={error} onRetry={reload} />;
  return <Skeleton lines={lines} />;
}

/** A box that scrolls. `look` is its class. */
export function ScrollBox({
  look,
  label,
  children,
}: {
  readonly look: string;
  readonly label: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section class={look} tabIndex={0} aria-label={label}>
      {children}
    </section>
  );
}

/** A line to paste into a shell. */
export function CodeLine({ text, label }: { readonly text: string; readonly label: string }): JSX.Element {
  return (
    <div class="code-line">
      <ScrollBox look="code-box" label={label}>
        <pre>{text}</pre>
      </ScrollBox>
      <Copy text={text} label={label} />
    </div>
  );
}

/** A labelled input with its error next to it. */
export function Field({
  label,
  hint,
  error,
  children,
}: {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly children: (ids: {
    readonly id: string;
    readonly "aria-describedby": string | undefined;
    readonly "aria-invalid": boolean;
  }) => ComponentChildren;
}): JSX.Element {
  const id = useId();
  const describedBy = [hint === undefined ? "" : `${id}-hint`, error === undefined ? "" : `${id}-error`];
  return (
    <div class={`field ${error === undefined ? "" : "has-error"}`}>
      <label for={id}>{label}</label>
      {children({
        id,
        "aria-describedby": describedBy.join(" ").trim() || undefined,
        "aria-invalid": error !== undefined,
      })}
      {hint === undefined ? undefined : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {error === undefined ? undefined : (
        <p class="field-error" id={`${id}-error`} role="alert">
          <LedgerText text={error} max={400} />
        </p>
      )}
    </div>
  );
}

/** A labelled line for hex, types and the like, which no browser completes or spell-checks. */
export function MonoField({
  value,
  onInput,
  placeholder,
  list,
  ...field
}: {
  readonly label: ComponentChildren;
  readonly hint?: ComponentChildren;
  readonly error?: string | undefined;
  readonly value: string;
  readonly onInput: (value: string) => void;
  readonly placeholder?: string;
  /** Id of a list of suggestions. */
  readonly list?: string;
}): JSX.Element {
  return (
    <Field {...field}>
      {(ids) => (
        <input
          {...ids}
          class="mono"
          list={list}
          autocomplete="off"
          spellcheck={false}
          placeholder={placeholder}
          value={value}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

/** A choice of a few, as one control. */
export function Choice<T extends string>({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: T;
  readonly options: readonly (readonly [T, string])[];
  readonly onChange: (value: T) => void;
}): JSX.Element {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="offscreen">{label}</legend>
      {options.map(([option, text]) => (
        <label key={option} class={option === value ? "chosen" : ""}>
          <input
            type="radio"
            name={name}
            value={option}
            checked={option === value}
            onChange={() => onChange(option)}
          />
          {text}
        </label>
      ))}
    </fieldset>
  );
}

/** Links that show one part of a view each. */
export function Tabs({
  label,
  current,
  tabs,
}: {
  readonly label: string;
  readonly current: string;
  readonly tabs: readonly (readonly [id: string, text: string, href: string])[];
}): JSX.Element {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map(([id, text, href]) => (
        <a key={id} href={href} aria-current={id === current ? "page" : undefined}>
          {text}
        </a>
      ))}
    </nav>
  );
}

/** Heading of a view; the document's title follows it. */
export function Title({
  text,
  children,
}: {
  readonly text: string;
  readonly children?: ComponentChildren;
}): JSX.Element {
  useEffect(() => {
    document.title = `${text} · Sextant`;
  }, [text]);
  return (
    <div class="title">
      <h1>{text}</h1>
      {children}
    </div>
  );
}
