// A client that believes nothing: it asks a node for the proof of an answer, checks it from a waypoint on, and builds the
// answer from what the proof proves. What cannot be proven is refused.
import { equalBytes } from "../base/bytes.ts";
import { CodedError, errorText } from "../base/errors.ts";
import { fromHex, toPrefixedHex } from "../base/hex.ts";
import { escapeControls, shortenText } from "../base/texts/text.ts";
import { parseTime } from "../base/texts/time-text.ts";
import { Slices } from "../base/wait.ts";
import { decodeWith } from "../bcs/codec.ts";
import { BcsReader } from "../bcs/reader.ts";
import { transactionHash } from "../ledger/formats/transaction.ts";
import { formatWaypoint, type Waypoint } from "../ledger/waypoint.ts";
import { type Address, formatAddress, formatAddressLong, parseAddress } from "../move/address.ts";
import { formatStructTag } from "../move/type-tag.ts";
import { parseStructTag } from "../move/type-text.ts";
import { BundleVerifier, decodeBundle, type ProofBundle, type VerifiedProof } from "../proof/bundle.ts";
import type { ProvenClaim } from "../proof/claim.ts";
import { portableBls } from "../proof/portable-bls.ts";
import { type UserTransaction, userTransactionCodec } from "../transaction/user-transaction.ts";
import { VerifiedFetchError, type VerifiedFetchErrorCode } from "./errors.ts";
import { groupOf } from "./group-of.ts";
import { rememberingBls } from "./remembering-bls.ts";
import { committedJson, pendingJson } from "./transaction-json.ts";
import { advance, ledgerOf, readTrusted, type TrustedState, trustedBytes } from "./trusted-state.ts";

const BCS = "application/x-bcs";
const SIGNED_TRANSACTION = "application/x.aptos.signed_transaction+bcs";
/** A thousand changes of an epoch with 138 validators have 12 MB; a proof of one answer has a few kilobytes more. */
const MAX_BYTES = 16 << 20;
/** Transactions that were sent and not seen in the ledger yet. */
const MAX_PENDING = 1000;
const ACCOUNT = "0x1::account::Account";
const FEATURES = "0x1::features::Features";
const CHAIN_ID = "0x1::chain_id::ChainId";
/** The feature that gives every address an account. */
const DEFAULT_ACCOUNTS = 91;
const ANSWER_MS = 60_000;
/** Longest time of a timer. */
const MAX_MS = 2 ** 31 - 1;
/** Longest reason in an error. */
const MAX_REASON = 1000;
const KEPT_QUERY = ["ledger_version", "at", "min_ledger_version", "wait_ms"];

type Body = NonNullable<RequestInit["body"]>;

export interface VerifiedFetchOptions {
  /** Refuses an answer about the latest state that is older than this. */
  readonly maxAgeMs?: number;
  /** How long the node may take for one answer; a minute when left out. */
  readonly timeoutMs?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Sends the requests. */
  readonly fetch?: typeof fetch;
  /** Is called, and waited for, with the trusted state after each change of epoch. Give it to `verifiedFetch` to go on from there. */
  readonly onState?: (state: Uint8Array) => unknown;
}

/** A request of the official SDK, and its answer. */
type ProviderRequest = Readonly<{
  url: string;
  method: string;
  body?: unknown;
  params?: object;
  headers?: object;
}>;
type ProviderResponse<Res> = Readonly<{ status: number; statusText: string; data: Res; headers: object }>;

export interface VerifiedFetch {
  /** As the global `fetch`, for requests to the node. Rejects with VerifiedFetchError. */
  (input: string | URL | Request, init?: RequestInit): Promise<Response>;
  /** For the official SDK: `new AptosConfig({ …, client: { provider } })`. */
  readonly provider: <Req, Res>(request: ProviderRequest & { body?: Req }) => Promise<ProviderResponse<Res>>;
  /** The trusted state in BCS: a waypoint, and the validators after it once they are proven. */
  readonly state: () => Uint8Array;
}

/**
 * A `fetch` whose answers are proven. `url` is that of the node, with `/v1`; `trusted` is a waypoint or the bytes of an earlier
 * state. Throws VerifiedFetchError `options` for anything else.
 */
export function verifiedFetch(
  url: string,
  trusted: string | Uint8Array,
  options: VerifiedFetchOptions = {},
): VerifiedFetch {
  const client = new VerifyingClient(...checkedOptions(url, trusted, options));
  const run = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    client.answer(new Request(input, init));
  return Object.assign(run, {
    provider: async <Res>({ url: to, method, body, params = {}, headers = {} }: ProviderRequest) => {
      const target = new URL(to);
      const given = (record: object) => Object.entries(record).filter(([, value]) => value !== undefined);
      for (const [name, value] of given(params)) target.searchParams.set(name, `${value}`);
      const sent = body === undefined || body instanceof Uint8Array ? body : JSON.stringify(body);
      const response = await run(target, {
        method,
        headers: given(headers).map(([name, value]): [string, string] => [name, `${value}`]),
        body: (sent ?? null) as Body | null,
      });
      const data = (await response.json()) as Res;
      const { status, statusText } = response;
      return { status, statusText, data, headers: Object.fromEntries(response.headers) };
    },
    state: () => client.state(),
  });
}

function checkedOptions(url: string, trusted: string | Uint8Array, options: VerifiedFetchOptions) {
  const { maxAgeMs = 0, timeoutMs = ANSWER_MS } = options;
  if (!(typeof maxAgeMs === "number" && maxAgeMs >= 0))
    throw refusal("options", "maxAgeMs: expected a number of milliseconds");
  if (!(Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= MAX_MS))
    throw refusal("options", `timeoutMs: expected a whole number of milliseconds from 1 to ${MAX_MS}`);
  try {
    return [new URL(url).href.replace(/\/$/, ""), readTrusted(trusted), options] as const;
  } catch (cause) {
    const what = "expected the URL of a node, and a waypoint or the bytes of a state";
    throw refusal("options", `${what}: ${errorText(cause)}`, cause);
  }
}

/** A request that is answered. */
interface Asked {
  readonly request: Request;
  /** Parts of the path below `/v1`. */
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly isBcs: boolean;
}

/** A proof that holds. */
interface Proven {
  readonly bundle: ProofBundle;
  readonly proof: VerifiedProof;
}

type ClaimOf<Kind> = Extract<ProvenClaim, { readonly kind: Kind }>;
type Answer = (asked: Asked, first: string, second: string) => Promise<Response>;

class VerifyingClient {
  readonly #url: string;
  readonly #options: VerifiedFetchOptions;
  readonly #bls = rememberingBls(portableBls);
  readonly #pending = new Map<string, UserTransaction>();
  #trusted: TrustedState;
  /** The newest version that was proven. */
  #newest = 0n;

  /** By method and path; a star stands for any part. */
  readonly #answers: Readonly<Record<string, Answer>> = {
    "GET ": (asked) => this.#ledgerInfo(asked),
    "GET accounts/*": (asked, address) => this.#account(asked, parseAddress(address)),
    "GET accounts/*/balance/*": (asked, address, asset) => this.#balance(asked, parseAddress(address), asset),
    "GET accounts/*/resource/*": (asked, address, type) => this.#resource(asked, parseAddress(address), type),
    "GET accounts/*/module/*": (asked, address, name) => this.#module(asked, parseAddress(address), name),
    "POST tables/*/raw_item": (asked, handle) => this.#rawItem(asked, parseAddress(handle)),
    "GET transactions/by_version/*": (asked, version) => this.#byVersion(asked, version),
    "GET transactions/by_hash/*": (asked, hash) => this.#byHash(asked, hash),
    "GET transactions/wait_by_hash/*": (asked, hash) => this.#byHash(asked, hash),
    "POST transactions": (asked) => this.#submit(asked),
  };

  constructor(url: string, trusted: TrustedState, options: VerifiedFetchOptions) {
    this.#url = url;
    this.#trusted = trusted;
    this.#options = options;
  }

  state(): Uint8Array {
    return trustedBytes(this.#trusted);
  }

  /** Throws VerifiedFetchError. */
  async answer(request: Request): Promise<Response> {
    try {
      const { origin, pathname, searchParams: query } = new URL(request.url);
      const path = `${origin}${pathname}`.replace(/\/$/, "");
      if (path !== this.#url && !path.startsWith(`${this.#url}/`)) {
        throw refusal("unsupported", `only requests to ${this.#url} are answered`);
      }
      const parts = path
        .slice(this.#url.length + 1)
        .split("/")
        .map(decodeURIComponent);
      const isBcs = request.headers.get("accept")?.includes(BCS) === true;
      for (const [route, answer] of Object.entries(this.#answers)) {
        const [method, pattern = ""] = route.split(" ");
        const names = pattern.split("/");
        const isMatch =
          names.length === parts.length && names.every((name, i) => name === "*" || name === parts[i]);
        if (method !== request.method || !isMatch) continue;
        const [first = "", second = ""] = parts.filter((_, i) => names[i] === "*");
        return await answer({ request, parts, query, isBcs }, first, second);
      }
      throw refusal("unsupported", "an answer to this request cannot be proven");
    } catch (error) {
      request.signal.throwIfAborted();
      const code = error instanceof VerifiedFetchError ? error.code : codeOf(error);
      throw new VerifiedFetchError(code, `${request.method} ${request.url}: ${clean(errorText(error))}`, {
        cause: error,
      });
    }
  }

  async #send(
    asked: Asked,
    to: string,
    headers: Readonly<Record<string, string>>,
    body?: Body,
  ): Promise<Response> {
    const { request } = asked;
    const sent = new Headers(request.headers);
    for (const [name, value] of Object.entries(headers)) sent.set(name, value);
    const { fetch: send = fetch, timeoutMs = ANSWER_MS } = this.#options;
    const init = {
      method: request.method,
      headers: sent,
      body: body ?? null,
      signal: AbortSignal.any([request.signal, AbortSignal.timeout(timeoutMs)]),
      // Another node is not the one that was named; a cache has older answers.
      redirect: "manual" as const,
      cache: "no-store" as const,
    };
    let response: Response;
    try {
      response = await send(`${this.#url}/${to}`, init);
    } catch (cause) {
      throw refusal("node", `the node gave no answer: ${errorText(cause)}`, cause);
    }
    // Browsers hide the status.
    if (response.type === "opaqueredirect" || (response.status >= 300 && response.status < 400))
      throw refusal("node", "the node redirects the request to another address, which is not asked");
    return response;
  }

  /** Asks for the proof beside a read, and checks it. */
  async #prove(
    asked: Asked,
    path: readonly string[],
    query: URLSearchParams,
    body?: string,
  ): Promise<Proven> {
    const { waypoint } = this.#trusted;
    const known = new URLSearchParams([...query].filter(([name]) => KEPT_QUERY.includes(name)));
    known.set("from_waypoint", formatWaypoint(waypoint));
    const json = body === undefined ? {} : { "content-type": "application/json" };
    const to = `${path.map(encodeURIComponent).join("/")}/proof?${known}`;
    const response = await this.#send(asked, to, { accept: BCS, ...json }, body);
    const bytes = await bytesOf(response);
    if (response.status !== 200) {
      throw refusal("node", `the node proves nothing and answers ${response.status}: ${messageOf(bytes)}`);
    }
    const bundle = decodeBundle(bytes);
    // Refused before a thousand types are parsed.
    if (bundle.claim.kind === "balances" && bundle.claim.assets.length + bundle.claim.accounts.length > 2)
      throw refusal("unproven", "the proof has other balances too");
    const proof = await this.#verify(bundle, waypoint, asked.request.signal);
    const before = this.#trusted;
    this.#trusted = advance(before, bundle);
    if (this.#trusted !== before) await this.#options.onState?.(this.state());
    return { bundle, proof };
  }

  /** Other work of the program has its turns: a client that starts may have hundreds of signatures to check. */
  async #verify(bundle: ProofBundle, waypoint: Waypoint, signal: AbortSignal): Promise<VerifiedProof> {
    const slices = new Slices();
    const steps = new BundleVerifier(waypoint, this.#bls).steps(bundle);
    for (;;) {
      const { done, value } = steps.next();
      if (done === true) return value;
      await slices.pause();
      signal.throwIfAborted();
    }
  }

  /** A proof about the state that was asked for. */
  async #proveState<Kind extends ProvenClaim["kind"]>(
    asked: Asked,
    kind: Kind,
    path: readonly string[] = asked.parts,
    query: URLSearchParams = asked.query,
    body?: string,
  ): Promise<Proven & { readonly claim: ClaimOf<Kind> }> {
    // An answer that was asked for before another one arrived may be older than that.
    const newest = this.#newest;
    const proven = await this.#prove(asked, path, query, body);
    const { claim, ledgerVersion, timestampUsec = 0n, nextTimestampUsec = 0n } = proven.proof;
    const [version, at, least] = ["ledger_version", "at", "min_ledger_version"].map((name) =>
      query.get(name),
    );
    if (claim.kind !== kind) throw refusal("unproven", `the proof is of another kind: ${claim.kind}`);
    if (version != null && ledgerVersion !== BigInt(version)) {
      throw refusal("unproven", `the proof is of version ${ledgerVersion}, not of ${version}`);
    }
    if (at != null && (parseTime(at) < timestampUsec || parseTime(at) >= nextTimestampUsec)) {
      throw refusal("unproven", `version ${ledgerVersion} is not proven to be the last one at ${at}`);
    }
    if (least != null && ledgerVersion < BigInt(least)) {
      throw refusal("stale", `the proof is of version ${ledgerVersion}, before ${least}`);
    }
    if (version == null && at == null) {
      if (ledgerVersion < newest) {
        throw refusal(
          "stale",
          `the proof is of version ${ledgerVersion}; the node has shown version ${newest} before`,
        );
      }
      const { maxAgeMs = Number.POSITIVE_INFINITY, now = Date.now } = this.#options;
      const ageMs = now() - Number(timestampUsec / 1000n);
      if (!(ageMs <= maxAgeMs)) throw refusal("stale", `version ${ledgerVersion} is ${ageMs} ms old`);
    }
    this.#note(ledgerVersion);
    return { ...proven, claim: claim as ClaimOf<Kind> };
  }

  #note(version: bigint): void {
    if (version > this.#newest) this.#newest = version;
  }

  async #ledgerInfo(asked: Asked): Promise<Response> {
    const { bundle, proof, value } = await this.#item(asked, parseAddress("0x1"), CHAIN_ID);
    const { epoch, version, timestampUsec } = ledgerOf(bundle);
    if (value === undefined || asked.isBcs)
      throw refusal("unsupported", "the chain's id is given in JSON only");
    const [chain_id] = value;
    const info = { epoch: `${epoch}`, ledger_version: `${version}`, ledger_timestamp: `${timestampUsec}` };
    return jsonAnswer(JSON.stringify({ chain_id, ...info }), proof);
  }

  /** A resource of the framework that is an item of its own. */
  async #item(asked: Asked, address: Address, type: string, query = asked.query) {
    const path = ["accounts", formatAddressLong(address), "resource", type];
    const { bundle, proof, claim } = await this.#proveState(asked, "resource", path, query);
    assertAsked(claim.address === formatAddress(address) && claim.type === type && claim.group === undefined);
    return { bundle, proof, value: claim.value };
  }

  async #account(asked: Asked, address: Address): Promise<Response> {
    const { proof, value } = await this.#item(asked, address, ACCOUNT);
    if (value !== undefined && asked.isBcs) return bcsAnswer(value, proof);
    if (value !== undefined) {
      const reader = new BcsReader(value);
      const key = reader.byteString();
      return accountAnswer(key, reader.u64(), proof);
    }
    const { value: features } = await this.#item(asked, parseAddress("0x1"), FEATURES, atVersion(proof));
    const flags = features === undefined ? undefined : new BcsReader(features).byteString();
    if (((flags?.[DEFAULT_ACCOUNTS >> 3] ?? 0) & (1 << (DEFAULT_ACCOUNTS & 7))) === 0) {
      return absence("account", `no account at address ${formatAddress(address)}`, proof);
    }
    if (asked.isBcs) throw refusal("unsupported", "the address has no Account resource; ask for JSON");
    return accountAnswer(address, 0n, proof);
  }

  async #balance(asked: Asked, address: Address, asset: string): Promise<Response> {
    const name = asset.includes(":")
      ? formatStructTag(parseStructTag(asset))
      : formatAddress(parseAddress(asset));
    const { claim, proof } = await this.#proveState(asked, "balances");
    const [account] = claim.accounts;
    const [first] = account?.balances ?? [];
    assertAsked(account?.address === formatAddress(address) && first?.asset === name);
    if (!asked.isBcs) {
      const isQuoted = asked.query.get("quoted") === "true";
      return jsonAnswer(isQuoted ? `"${first.balance}"` : `${first.balance}`, proof);
    }
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, first.balance, true);
    return bcsAnswer(bytes, proof);
  }

  async #rawItem(asked: Asked, handle: Address): Promise<Response> {
    const body = await asked.request.text();
    const given = JSON.parse(body) as { readonly key?: unknown } | string | null;
    const text = typeof given === "string" ? given : given?.key;
    const key = typeof text === "string" ? fromHex(text.replace(/^0x/, "")) : undefined;
    if (key === undefined) throw refusal("unsupported", 'body: expected {"key": "0x…"}');
    const { claim, proof } = await this.#proveState(asked, "table_item", asked.parts, asked.query, body);
    assertAsked(claim.tableHandle === formatAddress(handle) && equalBytes(claim.key, key));
    const { value } = claim;
    if (value === undefined) return absence("table_item", `no item under this handle and key`, proof);
    return asked.isBcs ? bcsAnswer(value, proof) : jsonAnswer(`"${toPrefixedHex(value)}"`, proof);
  }

  async #resource(asked: Asked, address: Address, given: string): Promise<Response> {
    const tag = parseStructTag(given);
    const type = formatStructTag(tag);
    const { claim, proof } = await this.#proveState(asked, "resource");
    const { value, group } = claim;
    assertAsked(claim.address === formatAddress(address) && claim.type === type);
    if (value !== undefined) {
      if (asked.isBcs) return bcsAnswer(value, proof);
      throw refusal("unsupported", `a resource is proven as bytes; ask with Accept: ${BCS}`);
    }
    // The chain keeps a resource in one place. That it is not in another says nothing.
    const code = await this.#code(asked, tag.address, tag.module, atVersion(proof));
    const kept = code.value && groupOf(code.value, tag.name);
    if (group !== (kept && formatStructTag(parseStructTag(kept)))) {
      throw refusal("unproven", `the proof looks for it in ${group ?? "no group"}, not in ${kept ?? "none"}`);
    }
    return absence("resource", `no resource ${type} at address ${claim.address}`, proof);
  }

  async #module(asked: Asked, address: Address, name: string): Promise<Response> {
    const { value, proof } = await this.#code(asked, address, name);
    if (value === undefined)
      return absence("module", `no module ${name} at ${formatAddress(address)}`, proof);
    return asked.isBcs
      ? bcsAnswer(value, proof)
      : jsonAnswer(`{"bytecode":"${toPrefixedHex(value)}"}`, proof);
  }

  async #code(asked: Asked, address: Address, name: string, query = asked.query) {
    const path = ["accounts", formatAddressLong(address), "module", name];
    const { claim, proof } = await this.#proveState(asked, "module", path, query);
    assertAsked(claim.address === formatAddress(address) && claim.name === name);
    return { proof, value: claim.value };
  }

  async #byVersion(asked: Asked, version: string): Promise<Response> {
    const proven = await this.#prove(asked, asked.parts, new URLSearchParams());
    assertAsked(proven.proof.ledgerVersion === BigInt(version));
    return this.#transaction(asked, proven);
  }

  async #byHash(asked: Asked, given: string): Promise<Response> {
    const hash = given.toLowerCase();
    const sent = this.#pending.get(hash);
    let proven: Proven;
    try {
      proven = await this.#prove(asked, ["transactions", "by_hash", hash], new URLSearchParams());
    } catch (error) {
      // No proof shows that a transaction does not exist. One that was sent from here waits, as far as anybody knows.
      const isUnproven = error instanceof VerifiedFetchError && error.code === "node";
      if (sent === undefined || !isUnproven) throw error;
      return new Response(JSON.stringify(pendingJson(sent, hash)), { headers: JSON_HEADERS });
    }
    const { claim } = proven.proof;
    assertAsked(claim.kind === "transaction" && claim.hash === hash);
    this.#pending.delete(hash);
    return this.#transaction(asked, proven);
  }

  #transaction(asked: Asked, { bundle, proof }: Proven): Response {
    assertAsked(proof.claim.kind === "transaction");
    if (asked.isBcs)
      throw refusal("unsupported", "a transaction is proven without its changes and events; ask for JSON");
    this.#note(proof.ledgerVersion);
    return jsonAnswer(JSON.stringify(committedJson(bundle, proof)), proof);
  }

  /** Sends a transaction. The answer is made of what was sent. */
  async #submit(asked: Asked): Promise<Response> {
    const type = asked.request.headers.get("content-type");
    if (type !== SIGNED_TRANSACTION)
      throw refusal("unsupported", `expected a signed transaction as ${SIGNED_TRANSACTION}`);
    const bytes = new Uint8Array(await asked.request.arrayBuffer());
    const transaction = sentTransaction(bytes);
    const hash = toPrefixedHex(transactionHash(Uint8Array.of(0, ...bytes)));
    const response = await this.#send(asked, "transactions", { accept: "application/json" }, bytes);
    const answer = await bytesOf(response);
    if (response.status !== 202) {
      throw refusal(
        "node",
        `the node does not take the transaction and answers ${response.status}: ${messageOf(answer)}`,
      );
    }
    const [oldest] = this.#pending.keys();
    if (this.#pending.size >= MAX_PENDING && oldest !== undefined) this.#pending.delete(oldest);
    this.#pending.set(hash, transaction);
    return new Response(JSON.stringify(pendingJson(transaction, hash)), {
      status: 202,
      headers: JSON_HEADERS,
    });
  }
}

const JSON_HEADERS = { "content-type": "application/json" };

function refusal(code: VerifiedFetchErrorCode, reason: string, cause?: unknown): VerifiedFetchError {
  return new VerifiedFetchError(code, reason, { cause });
}

/** Foreign text for an error: cut, and without characters that control a terminal. */
function clean(text: string): string {
  return shortenText(escapeControls(text), MAX_REASON);
}

function sentTransaction(bytes: Uint8Array): UserTransaction {
  try {
    return decodeWith(userTransactionCodec, bytes);
  } catch (cause) {
    throw refusal("unsupported", `body: not a signed transaction: ${errorText(cause)}`, cause);
  }
}

/** Texts that do not parse are the caller's; a proof that does not hold is the node's. */
function codeOf(error: unknown): VerifiedFetchErrorCode {
  const isOfRequest = !(error instanceof CodedError) || ["address", "type", "time"].includes(error.code);
  return isOfRequest ? "unsupported" : "unproven";
}

function assertAsked(isAsked: boolean): asserts isAsked {
  if (!isAsked) throw refusal("unproven", "the proof is about something else than was asked for");
}

function atVersion({ ledgerVersion }: VerifiedProof): URLSearchParams {
  return new URLSearchParams({ ledger_version: `${ledgerVersion}` });
}

function headersOf({ ledgerVersion, timestampUsec }: VerifiedProof): Record<string, string> {
  const time = timestampUsec === undefined ? {} : { "x-node-read-timestampusec": `${timestampUsec}` };
  return { "x-node-read-version": `${ledgerVersion}`, ...time };
}

function jsonAnswer(text: string, proof: VerifiedProof, status = 200): Response {
  return new Response(text, { status, headers: { ...JSON_HEADERS, ...headersOf(proof) } });
}

function bcsAnswer(bytes: Uint8Array, proof: VerifiedProof): Response {
  return new Response(bytes as Body, { headers: { "content-type": BCS, ...headersOf(proof) } });
}

function accountAnswer(key: Uint8Array, sequenceNumber: bigint, proof: VerifiedProof): Response {
  const account = { sequence_number: `${sequenceNumber}`, authentication_key: toPrefixedHex(key) };
  return jsonAnswer(JSON.stringify(account), proof);
}

/** Says what is proven not to exist, as a node does. */
function absence(what: string, text: string, proof: VerifiedProof): Response {
  const message = `${text} at ledger version ${proof.ledgerVersion}`;
  return jsonAnswer(
    JSON.stringify({ message, error_code: `${what}_not_found`, vm_error_code: null }),
    proof,
    404,
  );
}

/** The bytes of a response, within the bound. */
async function bytesOf(response: Response): Promise<Uint8Array> {
  let size = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      size += chunk.length;
      if (size > MAX_BYTES) controller.error(new Error(`it has more than ${MAX_BYTES} bytes`));
      else controller.enqueue(chunk);
    },
  });
  try {
    return new Uint8Array(await new Response(response.body?.pipeThrough(bound) ?? null).arrayBuffer());
  } catch (cause) {
    throw refusal("node", `the node's answer cannot be read: ${errorText(cause)}`, cause);
  }
}

/** The words of a node for an error. */
function messageOf(bytes: Uint8Array): string {
  const text = new TextDecoder().decode(bytes.subarray(0, 4000));
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown };
    return clean(typeof message === "string" ? message : text);
  } catch {
    return clean(text);
  }
}
