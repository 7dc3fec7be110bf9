// Builds a transaction: a form by the function's ABI, and next to it the request, its bytes and what they mean. On the
// local chain it can also be signed with a demo key and sent.
import { Fragment, type JSX } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { type Answer, ApiError, ask, path } from "../lib/api.ts";
import {
  faultyPart,
  inputKind,
  type Meanings,
  NOTHING,
  placeholderOf,
  type Typed,
  toLiteral,
} from "../lib/arguments.ts";
import { formatUnits, fullAddress, groupDigits } from "../lib/format.ts";
import { demoName, type Info, live } from "../lib/live.ts";
import { optionType, type Structs } from "../lib/move-types.ts";
import { linkTo, replace } from "../lib/router.ts";
import { nextSequence, sendNext, waitFor, withSignature } from "../lib/send.ts";
import { useStore } from "../lib/store.ts";
import { loadStructs } from "../lib/structs.ts";
import type { Transaction } from "../lib/transactions.ts";
import { useLoad } from "../lib/use-load.ts";
import {
  Button,
  Card,
  CodeLine,
  Copy,
  Empty,
  Fact,
  Facts,
  Field,
  Hash,
  LedgerText,
  MonoField,
  MoveType,
  Problem,
  Skeleton,
  Title,
} from "../parts/basics.tsx";
import { type ByteField, ByteView, COLOURS } from "../parts/byte-view.tsx";
import { Faucet } from "../parts/faucet.tsx";
import { TypedValue } from "../parts/typed-value.tsx";
import { BalanceChanges, Words } from "../parts/words.tsx";

type Module = Answer<"get_account_modules">[number];
type Abi = NonNullable<Module["abi"]>;
type Function = Abi["exposed_functions"][number];

interface Explanation {
  readonly bytes: string;
  readonly fields: readonly ByteField[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly matches: boolean;
  readonly max_fee?: string;
  readonly expiration?: string;
  readonly payload: {
    readonly arguments?: readonly {
      readonly name?: string;
      readonly type: string;
      readonly value: unknown;
    }[];
  };
}

const DEFAULT_FUNCTION = "0x1::aptos_account::transfer";
const PAUSE_MS = 250;
const EXPIRES_SECONDS = 600;
const FEE_DECIMALS = 8;
const MODULE_PAGES = 5;
const SIGNER = /^&?(?:mut )?signer$/;

/** All modules of an address that have something to call. */
async function loadModules(address: string, signal: AbortSignal): Promise<Abi[]> {
  const abis: Abi[] = [];
  let start: string | undefined;
  for (let page = 0; page < MODULE_PAGES; page++) {
    const query = { limit: 100, start };
    const { data, ledger } = await ask<Module[]>(`${path("accounts", address)}/modules`, { query, signal });
    for (const { abi } of data)
      if (abi?.exposed_functions.some((one) => one.is_entry) === true) abis.push(abi);
    start = ledger.cursor;
    if (start === undefined) break;
  }
  return abis.sort((a, b) => a.name.localeCompare(b.name));
}

/** A type with the chosen type arguments in it. */
export function substitute(type: string, typeArguments: readonly string[]): string {
  return type.replace(/\bT(\d+)\b/g, (whole, index) => typeArguments[Number(index)]?.trim() || whole);
}

export const NO_STRUCTS: Structs = new Map();

/** The field of a parameter; of a struct, the fields of its members. */
export function Argument({
  label,
  type,
  typed,
  error,
  info,
  structs = NO_STRUCTS,
  onChange,
}: {
  readonly label: string;
  readonly type: string;
  readonly typed: Typed;
  readonly error: string | undefined;
  readonly info: Info | undefined;
  readonly structs?: Structs;
  readonly onChange: (typed: Typed) => void;
}): JSX.Element {
  const kind = inputKind(type, structs);
  const inner = kind === "option" ? (optionType(type) ?? "") : type;
  const innerKind = inputKind(inner, structs);
  const set = (text: string): void => onChange({ ...typed, text });
  const hasValue =
    kind === "option" ? (
      <label class="check">
        <input
          type="checkbox"
          checked={!typed.none}
          onChange={(event) => onChange({ ...typed, none: !event.currentTarget.checked })}
        />{" "}
        has a value
      </label>
    ) : undefined;
  if (innerKind === "struct") {
    return (
      <fieldset class="struct">
        <legend>
          <b>{label}</b> <MoveType type={type} />
        </legend>
        {hasValue}
        {typed.none
          ? undefined
          : (structs.get(inner) ?? []).map((field) => (
              <Argument
                key={field.name}
                label={field.name}
                type={field.type}
                typed={typed.fields?.[field.name] ?? NOTHING}
                error={undefined}
                info={info}
                structs={structs}
                onChange={(next) => onChange({ ...typed, fields: { ...typed.fields, [field.name]: next } })}
              />
            ))}
        {error === undefined ? undefined : (
          <p class="field-error" role="alert">
            <LedgerText text={error} max={400} />
          </p>
        )}
      </fieldset>
    );
  }
  const isAddress = inner === "address";
  return (
    <Field
      label={
        <>
          <b>{label}</b> <MoveType type={type} />
        </>
      }
      error={error}
    >
      {(ids) => (
        <>
          {hasValue}
          {kind === "option" && typed.none ? undefined : innerKind === "bool" ? (
            <select
              {...ids}
              value={typed.text || "false"}
              onChange={(event) => set(event.currentTarget.value)}
            >
              <option value="false">false</option>
              <option value="true">true</option>
            </select>
          ) : innerKind === "json" || innerKind === "list" ? (
            <textarea
              {...ids}
              rows={innerKind === "list" ? 2 : 3}
              spellcheck={false}
              placeholder={placeholderOf(inner, structs)}
              value={typed.text}
              onInput={(event) => set(event.currentTarget.value)}
            />
          ) : (
            <input
              {...ids}
              class={innerKind === "text" ? "" : "mono"}
              autocomplete="off"
              spellcheck={false}
              list={isAddress && info?.demo_accounts !== undefined ? "demo-accounts" : undefined}
              placeholder={placeholderOf(inner, structs)}
              value={typed.text}
              onInput={(event) => set(event.currentTarget.value)}
            />
          )}
        </>
      )}
    </Field>
  );
}

/** Demo names stand for their addresses. */
export function addressText(text: string, info: Info | undefined): string {
  return info?.demo_accounts?.[text.trim().toLowerCase()] ?? text.trim();
}

interface Draft {
  readonly sender: string;
  readonly sequence: string;
  readonly maxGas: string;
  readonly gasPrice: string;
  readonly expires: string;
  readonly secondary: readonly string[];
  readonly typeArguments: readonly string[];
  readonly args: readonly Typed[];
}

/** The parts of a draft that a link keeps, as JSON; undefined where all are as they were at first. */
function savedForm(draft: Draft, first: Draft, isOwnSequence: boolean): string | undefined {
  const kept = Object.entries(draft).filter(
    ([key, value]) =>
      (key !== "sequence" || isOwnSequence) &&
      JSON.stringify(value) !== JSON.stringify(first[key as keyof Draft]),
  );
  return kept.length === 0 ? undefined : JSON.stringify(Object.fromEntries(kept));
}

function isTyped(value: unknown): value is Typed {
  if (typeof value !== "object" || value === null) return false;
  const { text, none, fields = {} } = value as Partial<Typed>;
  const areFields = typeof fields === "object" && fields !== null && Object.values(fields).every(isTyped);
  return typeof text === "string" && typeof none === "boolean" && areFields;
}

/** A draft with what a link kept; parts that are none of a form are left out. */
function restored(first: Draft, form: string | undefined): Draft {
  let saved: unknown;
  try {
    saved = JSON.parse(form ?? "{}");
  } catch {
    return first;
  }
  if (typeof saved !== "object" || saved === null) return first;
  const isPart = ([key, value]: [string, unknown]): boolean => {
    const old = first[key as keyof Draft];
    if (key === "args") return Array.isArray(value) && value.every(isTyped);
    if (!Array.isArray(old)) return typeof old === "string" && typeof value === "string";
    return (
      Array.isArray(value) && value.length === old.length && value.every((one) => typeof one === "string")
    );
  };
  return { ...first, ...Object.fromEntries(Object.entries(saved).filter(isPart)) };
}

/** The request as JSON text, or the first part that cannot be written. */
function requestText(
  name: string,
  draft: Draft,
  types: readonly string[],
  info: Info | undefined,
  structs: Structs,
): { readonly text: string } | { readonly part: string; readonly error: string } {
  const literals: string[] = [];
  const meanings: Meanings = { structs, addressOf: (text) => addressText(text, info) };
  for (const [index, type] of types.entries()) {
    const literal = toLiteral(type, draft.args[index] ?? NOTHING, meanings);
    if ("error" in literal) return { part: `payload.arguments[${index}]`, error: literal.error };
    literals.push(literal.json);
  }
  const line = (key: string, value: string, indent = "  "): string => `${indent}"${key}": ${value}`;
  const payload = [
    line("type", '"entry_function_payload"', "    "),
    line("function", JSON.stringify(name), "    "),
    line("type_arguments", JSON.stringify(draft.typeArguments.map((type) => type.trim())), "    "),
    line("arguments", `[${literals.join(", ")}]`, "    "),
  ];
  const secondary = draft.secondary.map((address) => addressText(address, info));
  const lines = [
    line("sender", JSON.stringify(addressText(draft.sender, info))),
    line("sequence_number", JSON.stringify(draft.sequence.trim())),
    line("max_gas_amount", JSON.stringify(draft.maxGas.trim())),
    line("gas_unit_price", JSON.stringify(draft.gasPrice.trim())),
    line("expiration_timestamp_secs", JSON.stringify(draft.expires.trim())),
    ...(secondary.length === 0 ? [] : [line("secondary_signers", JSON.stringify(secondary))]),
    `  "payload": {\n${payload.join(",\n")}\n  }`,
  ];
  return { text: `{\n${lines.join(",\n")}\n}` };
}

interface Result {
  readonly request: string;
  readonly bytes: string;
  readonly explanation: Explanation;
  readonly simulation: Simulation;
}

/** The transaction as it would be committed now, or why the node does not run it. */
type Simulation = { readonly transaction: Transaction } | { readonly reason: string };

const UNSIGNED = { type: "no_account_signature" };

/** Runs a request without signatures on the latest state; the node keeps nothing of it. */
async function simulate(request: string, signal: AbortSignal): Promise<Simulation> {
  const { secondary_signers: others } = JSON.parse(request) as { readonly secondary_signers?: string[] };
  const signature =
    others === undefined
      ? UNSIGNED
      : {
          type: "multi_agent_signature",
          sender: UNSIGNED,
          secondary_signer_addresses: others,
          secondary_signers: others.map(() => UNSIGNED),
        };
  try {
    const body = withSignature(request, signature);
    const { data } = await ask<readonly Transaction[]>("transactions/simulate", { body, signal });
    const [transaction] = data;
    return transaction === undefined ? { reason: "the node answered nothing" } : { transaction };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { reason: error.message };
  }
}

function isNumberUsed(simulation: Simulation): boolean {
  return "transaction" in simulation && simulation.transaction.vm_status === "SEQUENCE_NUMBER_TOO_OLD";
}

async function encode(request: string, signal: AbortSignal): Promise<Result> {
  const [bytes, explanation, simulation] = await Promise.all([
    ask<string>("transactions/encode_submission", { body: request, signal }),
    ask<Explanation>("transactions/explain_submission", { body: request, signal }),
    simulate(request, signal),
  ]);
  return { request, bytes: bytes.data, explanation: explanation.data, simulation };
}

/** Encodes, explains and simulates a request a moment after the last keystroke: `next` gives it the latest number. */
function useEncoded(
  request: string | undefined,
  next: () => Promise<string>,
): {
  readonly result: Result | undefined;
  readonly error: Error | undefined;
} {
  const [result, setResult] = useState<Result>();
  const [error, setError] = useState<Error>();
  const returns = useStore(live, (state) => state.returns);
  useEffect(() => {
    if (request === undefined) {
      setResult(undefined);
      setError(undefined);
      return;
    }
    const controller = new AbortController();
    const { signal } = controller;
    const timer = setTimeout(async () => {
      try {
        let body = await next();
        let result = await encode(body, signal);
        // The sender may send meanwhile: with a number that is used by now, the simulation says nothing.
        while (isNumberUsed(result.simulation)) {
          const later = await next();
          if (later === body) break;
          body = later;
          result = await encode(body, signal);
        }
        setResult(result);
        setError(undefined);
      } catch (failure) {
        if (signal.aborted) return;
        setResult(undefined);
        setError(failure as Error);
      }
    }, PAUSE_MS);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [request, returns]);
  return { result, error };
}

/** A name that may break behind its dots. */
function FieldName({ name }: { readonly name: string }): JSX.Element {
  return (
    <span>
      {name.split(/(?<=\.)/).map((part, index) => (
        <Fragment key={index}>
          {part}
          <wbr />
        </Fragment>
      ))}
    </span>
  );
}

/** What a run on the latest state did. */
function Simulated({ simulation }: { readonly simulation: Simulation }): JSX.Element {
  if ("reason" in simulation)
    return (
      <p class="faint">
        It was not tried: <LedgerText text={simulation.reason} max={300} />
      </p>
    );
  const { transaction } = simulation;
  const isBad = transaction.success === false;
  return (
    <>
      <p class="sentence" data-testid="words">
        <span class={`badge ${isBad ? "bad" : "good"}`}>{isBad ? "would fail" : "would succeed"}</span>{" "}
        <Words transaction={transaction} />
      </p>
      <BalanceChanges transaction={transaction} />
    </>
  );
}

function Meaning({
  explanation,
  simulation,
}: {
  readonly explanation: Explanation;
  readonly simulation: Simulation;
}): JSX.Element {
  const { warnings, max_fee: maxFee, expiration, payload } = explanation;
  return (
    <Card title="What it means">
      <Simulated simulation={simulation} />
      {payload.arguments === undefined || payload.arguments.length === 0 ? undefined : (
        <Facts>
          {payload.arguments.map(({ name, type, value }, index) => (
            <Fact key={index} name={name ?? `argument ${index}`}>
              <TypedValue type={type} value={value} />
            </Fact>
          ))}
        </Facts>
      )}
      <p>
        It costs at most{" "}
        <b>{maxFee === undefined ? "?" : `${formatUnits(BigInt(maxFee), FEE_DECIMALS)} APT`}</b> and expires{" "}
        {expiration ?? "at a time that cannot be written"}.
      </p>
      {warnings.length === 0 ? undefined : (
        <ul class="warnings">
          {warnings.map(({ code, message }) => (
            <li key={message} data-code={code}>
              <LedgerText text={message} max={300} />
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function Explained({ result }: { readonly result: Result }): JSX.Element {
  const [active, setActive] = useState<number>();
  const { explanation, bytes, request, simulation } = result;
  const { fields } = explanation;
  return (
    <>
      <Meaning explanation={explanation} simulation={simulation} />
      <Card
        title={`${groupDigits(`${(bytes.length - 2) / 2}`)} bytes to sign`}
        actions={<Copy text={bytes} label="bytes" />}
      >
        <ByteView hex={bytes} fields={fields} active={active} onActive={setActive} />
        <table class="rows fits byte-table">
          <thead>
            <tr>
              <th scope="col">Field</th>
              <th scope="col">Value</th>
              <th scope="col" class="right">
                Bytes
              </th>
            </tr>
          </thead>
          <tbody>
            {fields.map(({ name, value, start, end }, index) => (
              <tr
                key={start}
                class={index === active ? "active" : ""}
                onMouseEnter={() => setActive(index)}
                onMouseLeave={() => setActive(undefined)}
              >
                <td>
                  <button
                    type="button"
                    class="field-name mono"
                    onFocus={() => setActive(index)}
                    onBlur={() => setActive(undefined)}
                    onClick={() => setActive(index)}
                  >
                    <span class={`swatch colour-${index % COLOURS}`} />
                    <FieldName name={name} />
                  </button>
                </td>
                <td class="mono">
                  <LedgerText text={value} max={80} />
                </td>
                <td class="right num faint">
                  {start}–{end - 1}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
        {explanation.bytes === bytes && explanation.matches ? (
          <p class="faint">The explanation was encoded again, and gives these bytes.</p>
        ) : (
          <p class="warn">The explanation does not give these bytes: do not sign them.</p>
        )}
      </Card>
      <Card title="Body of the request">
        <CodeLine text={request} label="request" />
      </Card>
    </>
  );
}

type Sent =
  | { readonly state: "sending" | "waiting"; readonly hash?: string }
  | { readonly state: "sent"; readonly hash: string }
  | { readonly state: "arrived"; readonly transaction: Transaction }
  | { readonly state: "failed"; readonly error: Error };

/** Signs with a demo key and sends, where the node has both. */
function Submit({
  build,
  isReady,
  privateKey,
  name,
  onArrived,
}: {
  /** The request with the account's next sequence number. */
  readonly build: () => Promise<string>;
  readonly isReady: boolean;
  readonly privateKey: string;
  readonly name: string;
  readonly onArrived: () => void;
}): JSX.Element {
  const [sent, setSent] = useState<Sent>();
  const send = async (): Promise<void> => {
    setSent({ state: "sending" });
    try {
      const hash = await sendNext(build, privateKey);
      setSent({ state: "waiting", hash });
      const transaction = await waitFor(hash);
      setSent(transaction === undefined ? { state: "sent", hash } : { state: "arrived", transaction });
      onArrived();
    } catch (error) {
      setSent({ state: "failed", error: error as Error });
    }
  };
  const isBusy = sent?.state === "sending" || sent?.state === "waiting";
  return (
    <Card title="Send it to the local chain">
      <p class="faint">
        The demo key of {name} is public: it signs on this local chain only. Never give keys of your own to a
        page.
      </p>
      <div class="buttons">
        <Button look="primary" onClick={send} isOff={!isReady || isBusy} data-testid="submit">
          Sign as {name} and submit
        </Button>
      </div>
      <div role="status">
        {sent?.state === "sending" ? "Signing and sending…" : undefined}
        {sent?.state === "waiting" ? "Sent. Waiting for its block…" : undefined}
        {sent?.state === "sent" ? (
          <p>
            Sent as <Hash hash={sent.hash} />. This node does not find transactions by their hash.
          </p>
        ) : undefined}
        {sent?.state === "arrived" ? (
          <p>
            <span class={`badge ${sent.transaction.success === false ? "bad" : "good"}`}>
              {sent.transaction.success === false ? "failed" : "succeeded"}
            </span>{" "}
            It arrived as{" "}
            <a href={linkTo(["transaction", sent.transaction.version ?? ""])}>
              transaction {groupDigits(sent.transaction.version ?? "")}
            </a>
            {sent.transaction.success === false ? `: ${sent.transaction.vm_status ?? ""}` : "."}
          </p>
        ) : undefined}
      </div>
      {sent?.state === "failed" ? <Problem error={sent.error} /> : undefined}
    </Card>
  );
}

/** Names of the parameters before anything is typed, where the node knows them: from a call with zeros. */
function useNames(name: string, types: readonly string[]): { current: readonly (string | undefined)[] } {
  const names = useRef<readonly (string | undefined)[]>([]);
  const isSimple = types.length > 0 && types.every((type) => inputKind(type) !== "json");
  useLoad(isSimple ? `names ${name}` : undefined, async (signal) => {
    const zeros = types.map((type) => {
      const text = /^0x1::object|^address$/.test(type) ? "0x0" : /^[iu]\d/.test(type) ? "0" : "";
      const literal = toLiteral(type, { text, none: true });
      return "json" in literal ? literal.json : '""';
    });
    const number = '"0"';
    const body = `{"sender":"0x0","sequence_number":${number},"max_gas_amount":${number},"gas_unit_price":${number},"expiration_timestamp_secs":${number},"payload":{"type":"entry_function_payload","function":${JSON.stringify(name)},"type_arguments":[],"arguments":[${zeros.join(",")}]}}`;
    const { data } = await ask<Explanation>("transactions/explain_submission", { body, signal });
    names.current = (data.payload.arguments ?? []).map((one) => one.name);
    return names.current;
  });
  return names;
}

function Form({
  name,
  one,
  info,
  saved,
}: {
  readonly name: string;
  readonly one: Function;
  readonly info: Info | undefined;
  /** What the link keeps of the form. */
  readonly saved: string | undefined;
}): JSX.Element {
  const demo = Object.keys(info?.demo_accounts ?? {});
  const signers = one.params.filter((type) => SIGNER.test(type)).length;
  const [first] = useState<Draft>({
    sender: demo[0] ?? "",
    sequence: "",
    maxGas: "2000",
    gasPrice: "100",
    expires: `${Math.floor(Date.now() / 1000) + EXPIRES_SECONDS}`,
    secondary: Array.from({ length: Math.max(0, signers - 1) }, (_, index) => demo[index + 1] ?? ""),
    typeArguments: one.generic_type_params.map(() => ""),
    args: [],
  });
  const [draft, setDraft] = useState<Draft>(() => restored(first, saved));
  const [isOwnSequence, setOwnSequence] = useState(draft.sequence !== "");
  const written = useRef(saved);
  // The link follows the form, and the form a link that somebody opens.
  useEffect(() => {
    if (saved === written.current) return;
    written.current = saved;
    const next = restored(first, saved);
    setDraft(next);
    setOwnSequence(next.sequence !== "");
  }, [saved]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const form = savedForm(draft, first, isOwnSequence);
      if (form === written.current) return;
      written.current = form;
      replace(linkTo(["encode"], { function: name, form }));
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, isOwnSequence]);
  const change = (part: Partial<Draft>): void => setDraft((old) => ({ ...old, ...part }));
  const types = one.params
    .filter((type) => !SIGNER.test(type))
    .map((type) => substitute(type, draft.typeArguments));

  const structs =
    useLoad(`structs ${types.join(" ")}`, (signal) => loadStructs(types, signal)).data ?? NO_STRUCTS;
  const sender = fullAddress(addressText(draft.sender, info));
  const account = useLoad(sender === undefined ? undefined : `account ${sender}`, (signal) =>
    nextSequence(sender ?? "", signal),
  );
  const next = account.data;
  useEffect(() => {
    if (!isOwnSequence && next !== undefined) change({ sequence: next });
  }, [next, isOwnSequence]);

  const buildNext = async (): Promise<string> => {
    let sequence = draft.sequence;
    if (!isOwnSequence) sequence = await nextSequence(sender ?? "");
    const next = requestText(name, { ...draft, sequence }, types, info, structs);
    if ("error" in next) throw new Error(next.error);
    return next.text;
  };
  const built = useMemo(() => requestText(name, draft, types, info, structs), [name, draft, info, structs]);
  const isUntouched = types.length > 0 && draft.args.length === 0;
  const isWaiting = draft.sequence === "" && account.isLoading;
  const request = "text" in built && !isUntouched && !isWaiting ? built.text : undefined;
  const { result, error } = useEncoded(request, buildNext);
  const local = "error" in built && !isUntouched ? built : undefined;
  const part = local?.part ?? (error instanceof ApiError ? faultyPart(error.message) : undefined);
  const message = local?.error ?? error?.message;
  const known = new Set<string>();
  const errorOf = (field: string): string | undefined => {
    known.add(field);
    return part !== undefined &&
      (part === field || part.startsWith(`${field}.`) || part.startsWith(`${field}[`))
      ? message
      : undefined;
  };
  const names = useNames(name, types);
  if (result !== undefined)
    names.current = (result.explanation.payload.arguments ?? []).map((one) => one.name);

  const demoOfSender = sender === undefined ? undefined : demoName(info, sender);
  const privateKey = demoOfSender === undefined ? undefined : info?.demo_keys?.[demoOfSender];
  const form = (
    <Card title="Call">
      <Argument
        label="sender"
        type="address"
        typed={{ text: draft.sender, none: false }}
        error={errorOf("sender")}
        info={info}
        onChange={({ text }) => change({ sender: text })}
      />
      {draft.secondary.map((address, index) => (
        <Argument
          key={index}
          label={`also signs ${index + 1}`}
          type="address"
          typed={{ text: address, none: false }}
          error={errorOf(`secondary_signers[${index}]`)}
          info={info}
          onChange={({ text }) =>
            change({ secondary: draft.secondary.map((old, at) => (at === index ? text : old)) })
          }
        />
      ))}
      {draft.typeArguments.map((type, index) => (
        <MonoField
          key={index}
          label={
            <>
              <b>T{index}</b> a type
            </>
          }
          error={errorOf(`payload.type_arguments[${index}]`)}
          list="known-types"
          placeholder="0x1::aptos_coin::AptosCoin"
          value={type}
          onInput={(value) =>
            change({ typeArguments: draft.typeArguments.map((old, at) => (at === index ? value : old)) })
          }
        />
      ))}
      {types.map((type, index) => (
        <Argument
          key={index}
          label={names.current[index] ?? `argument ${index}`}
          type={type}
          typed={draft.args[index] ?? NOTHING}
          error={errorOf(`payload.arguments[${index}]`)}
          info={info}
          structs={structs}
          onChange={(typed) =>
            change({ args: types.map((_, at) => (at === index ? typed : (draft.args[at] ?? NOTHING))) })
          }
        />
      ))}
      <details class="advanced">
        <summary>Sequence number, gas and expiry</summary>
        <div class="advanced-fields">
          {(
            [
              ["sequence_number", "sequence", "Sequence number"],
              ["max_gas_amount", "maxGas", "Most gas"],
              ["gas_unit_price", "gasPrice", "Price of gas"],
              ["expiration_timestamp_secs", "expires", "Expires, in Unix seconds"],
            ] as const
          ).map(([field, key, label]) => (
            <Field key={key} label={label} error={errorOf(field)}>
              {(ids) => (
                <input
                  {...ids}
                  class="num"
                  inputMode="numeric"
                  autocomplete="off"
                  value={draft[key]}
                  onInput={(event) => {
                    if (key === "sequence") setOwnSequence(true);
                    change({ [key]: event.currentTarget.value });
                  }}
                />
              )}
            </Field>
          ))}
        </div>
      </details>
      {message !== undefined &&
      (part === undefined || ![...known].some((field) => errorOf(field) !== undefined)) ? (
        <Problem error={error ?? new Error(message)} />
      ) : undefined}
    </Card>
  );
  return (
    <>
      <div class="encode-form">
        {form}
        {sender === undefined ? undefined : <Faucet address={sender} onPaid={account.reload} />}
        {privateKey === undefined || demoOfSender === undefined ? undefined : (
          <Submit
            build={buildNext}
            isReady={result !== undefined}
            privateKey={privateKey}
            name={demoOfSender}
            onArrived={account.reload}
          />
        )}
      </div>
      <div class="encode-result">
        {result === undefined ? (
          <Card>
            <Empty
              title={
                isUntouched
                  ? "Fill in the arguments"
                  : message === undefined
                    ? "One moment"
                    : "Not yet a transaction"
              }
            >
              <p>
                {message === undefined
                  ? "The request, its bytes and what they mean show here as you type."
                  : "Correct the field that is marked."}
              </p>
            </Empty>
          </Card>
        ) : (
          <Explained result={result} />
        )}
      </div>
    </>
  );
}

export function Encode({ query }: { readonly query: Readonly<Record<string, string>> }): JSX.Element {
  const info = useStore(live, (value) => value.info);
  const [address = "0x1", module = "", name = ""] = (query.function ?? DEFAULT_FUNCTION).split("::");
  const [typed, setTyped] = useState(address);
  const modules = useLoad(`modules ${address}`, (signal) =>
    loadModules(fullAddress(address) ?? address, signal),
  );
  const choose = (nextAddress: string, nextModule = "", nextName = ""): void => {
    const parts = [nextAddress, nextModule, nextName].filter((part) => part !== "");
    replace(linkTo(["encode"], { function: parts.join("::") }));
  };
  const abi = modules.data?.find((one) => one.name === module) ?? modules.data?.[0];
  const entries = abi?.exposed_functions.filter((one) => one.is_entry) ?? [];
  const one =
    entries.find((entry) => entry.name === name) ??
    (abi?.name === module && name !== "" ? undefined : entries[0]);
  const isAbsent = modules.error instanceof ApiError && modules.error.status === 404;
  const assets = Object.values(info?.demo_assets ?? {}).filter((asset) => asset.includes("::"));
  // Not in the form, which begins again with each choice: the control that was used must stay.
  const pickers = (
    <div class="pickers">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          choose(addressText(typed, info));
        }}
      >
        <Field
          label="Published at"
          error={
            isAbsent || (modules.data !== undefined && modules.data.length === 0)
              ? "nothing that can be called is published there"
              : modules.error?.message
          }
        >
          {(ids) => (
            <input
              {...ids}
              class="mono"
              list="demo-accounts"
              autocomplete="off"
              spellcheck={false}
              value={typed}
              onInput={(event) => setTyped(event.currentTarget.value)}
              onBlur={() => {
                if (addressText(typed, info) !== address) choose(addressText(typed, info));
              }}
            />
          )}
        </Field>
      </form>
      <Field label="Module">
        {(ids) => (
          <select
            {...ids}
            value={abi?.name ?? ""}
            onChange={(event) => choose(address, event.currentTarget.value)}
          >
            {(modules.data ?? []).map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="Function"
        error={
          abi !== undefined && one === undefined ? `${abi.name} has no entry function ${name}` : undefined
        }
      >
        {(ids) => (
          <select
            {...ids}
            value={one?.name ?? ""}
            onChange={(event) => choose(address, abi?.name, event.currentTarget.value)}
          >
            {one === undefined ? <option value="">choose</option> : undefined}
            {entries.map((each) => (
              <option key={each.name}>{each.name}</option>
            ))}
          </select>
        )}
      </Field>
    </div>
  );
  return (
    <>
      <Title text="Encode a transaction" />
      <datalist id="demo-accounts">
        <option value="0x1" />
        {Object.entries(info?.demo_accounts ?? {}).map(([known, at]) => (
          <option key={known} value={at}>
            {known}
          </option>
        ))}
      </datalist>
      <datalist id="known-types">
        {["0x1::aptos_coin::AptosCoin", ...assets, "u64", "address", "0x1::string::String"].map((type) => (
          <option key={type} value={type} />
        ))}
      </datalist>
      {info === undefined ? (
        <Skeleton lines={8} />
      ) : (
        <div class="encode">
          <Card title="What to call">{pickers}</Card>
          {one === undefined || abi === undefined ? undefined : (
            <Form
              key={`${address}::${abi.name}::${one.name}`}
              name={`${address}::${abi.name}::${one.name}`}
              one={one}
              info={info}
              saved={query.form}
            />
          )}
        </div>
      )}
    </>
  );
}
