// The faucet of a local chain, as official clients ask it: `POST /fund` with JSON, and the older `POST /mint` with a query.
// On a loopback address also `POST /chain/NAME`: what else an author of tests does with the chain.
import { CodedError, ConfigError, errorText } from "../../base/errors.ts";
import { fromHex } from "../../base/hex.ts";
import { isLoopback } from "../../base/loopback.ts";
import { sha3Parts } from "../../base/sha3.ts";
import { shortenText } from "../../base/texts/text.ts";
import { JsonError } from "../../json/errors.ts";
import { parseJsonInSlices } from "../../json/parse.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { type Address, addressFromBytes, parseAddress } from "../../move/address.ts";
import { MoveError } from "../../move/errors.ts";
import { TransactionError } from "../../transaction/errors.ts";
import { SubmissionError } from "../../transaction/submission-error.ts";
import { RateLimiter } from "../admission/rate-limiter.ts";
import { AnsweredError } from "../error-answer.ts";
import { ERROR_CATALOGUE } from "../error-catalogue.ts";
import { HttpError } from "../errors.ts";
import { MAX_STATE_BYTES } from "../services.ts";
import {
  listenSmall,
  type SideServer,
  type SmallRequest,
  type SmallResponse,
  type SmallServerOptions,
} from "./side-server.ts";

type Body = Readonly<Record<string, unknown>>;

/** Ends early when its client leaves. */
type SwitchCall = (body: Body, signal: AbortSignal) => Promise<object>;

export interface FaucetOptions extends Pick<SmallServerOptions, "host" | "port" | "logger"> {
  /** Mints the native coin; returns the hashes of its transactions once they are committed. Throws CodedError. */
  readonly fund: (address: Address, amount: bigint) => Promise<readonly string[]>;
  /** Why the faucet cannot mint now; undefined if it can. */
  readonly unreadyReason: () => string | undefined;
  /** Changes of the chain by name. Undefined where other machines reach the port. */
  readonly switches?: Readonly<Record<string, SwitchCall>> | undefined;
  /** The OpenAPI document of the switches. */
  readonly document?: (() => object) | undefined;
  /** In milliseconds. */
  readonly clock?: () => number;
}

/** One coin, for a request that names no amount. */
const DEFAULT_AMOUNT = 100_000_000n;
/** A billion coins. */
const MAX_AMOUNT = 100_000_000_000_000_000n;
/** Requests of one client in a second. */
const MAX_PER_SECOND = 100;
/** Each request makes a block, and blocks are made one after the other. */
const MAX_WAITING = 200;
/** Hex of the largest table item, and more. */
const MAX_CHANGE_BYTES = 5 << 20;
/** Names and values of a body, an object or a list counts twice. */
const MAX_TAPE = 40_000;
const CHAIN = "/chain/";
/** The switch whose body is not JSON. */
const LOAD = "load_state";
const SPEC = "/chain/spec.json";
const HEALTHY = "tap:ok";
const ED25519_SCHEME = Uint8Array.of(0);
const DIGITS = /^\d{1,20}$/;

/** What a request asks for cannot be done. */
class FaucetRefusal extends Error {
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

function refusal(status: number, code: string, message: string): SmallResponse {
  return { status, body: { message, error_code: code, rejection_reasons: [], txn_hashes: [] } };
}

function invalid(message: string): FaucetRefusal {
  return new FaucetRefusal(400, "InvalidRequest", message);
}

function amountOf(given: unknown): bigint {
  if (given === undefined || given === null) return DEFAULT_AMOUNT;
  const isNumber = typeof given === "number" && Number.isSafeInteger(given) && given >= 0;
  const isText = typeof given === "string" && DIGITS.test(given);
  if (!isNumber && !isText)
    throw invalid(`amount: expected a whole number, got ${shortenText(JSON.stringify(given))}`);
  const amount = BigInt(given as number | string);
  if (amount <= MAX_AMOUNT) return amount;
  throw invalid(`amount: expected at most ${MAX_AMOUNT}, got ${amount}`);
}

function parseAccount(name: string, given: unknown): Address {
  if (typeof given !== "string") throw invalid(`${name}: expected an address in hex, got ${typeof given}`);
  try {
    // Older clients leave 0x out.
    return parseAddress(given.startsWith("0x") ? given : `0x${given}`);
  } catch (error) {
    throw invalid(`${name}: ${errorText(error)}`);
  }
}

function accountOf(asked: Body): Address {
  const { address, auth_key: authKey, pub_key: publicKey } = asked;
  if (address !== undefined && address !== null) return parseAccount("address", address);
  if (authKey !== undefined && authKey !== null) return parseAccount("auth_key", authKey);
  if (typeof publicKey !== "string") throw invalid("address: expected an address in hex, got none");
  const key = fromHex(publicKey.replace(/^0x/, ""));
  if (key?.length !== 32) throw invalid("pub_key: expected an Ed25519 public key: 64 hex digits");
  return addressFromBytes(sha3Parts(key, ED25519_SCHEME));
}

/** What a chain throws, as a refusal; `code` is that of what the call itself refuses. */
async function told<T>(code: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SubmissionError) throw new FaucetRefusal(400, "TransactionFailed", error.message);
    // A large request was read by another thread.
    if (error instanceof AnsweredError && ERROR_CATALOGUE[error.answer.condition].status < 500)
      throw new FaucetRefusal(400, code, error.message);
    if (!(error instanceof CodedError)) throw error;
    const isAsked = [ConfigError, TransactionError, MoveError, JsonError].some(
      (kind) => error instanceof kind,
    );
    if (isAsked) throw new FaucetRefusal(400, code, error.message);
    // Messages of the store contain paths.
    const isPublic = error instanceof LedgerError || error instanceof HttpError;
    const reason = isPublic ? error.message : "the chain cannot make blocks just now";
    throw new FaucetRefusal(503, "FaucetNotReady", reason);
  }
}

/** Wide integers as texts. */
function withTexts(answer: object): unknown {
  return JSON.parse(
    JSON.stringify(answer, (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value)),
  );
}

/** The object of a body. One nested deeper than a chain takes, or of too many values, would hold the event loop. */
async function bodyOf(body: Buffer): Promise<Body> {
  const document = await parseJsonInSlices(body).catch((error: unknown) => {
    throw invalid(`the body is not JSON: ${errorText(error)}`);
  });
  if (document.kind(document.root) !== "object") throw invalid("expected a JSON object");
  if (document.end(document.root) <= MAX_TAPE) return JSON.parse(body.toString("utf8")) as Body;
  throw invalid("the body has too many values: give a large value as BCS in hex");
}

/** Starts the faucet. */
export function listenForFunding(options: FaucetOptions): Promise<SideServer> {
  const { fund, unreadyReason, switches, clock = Date.now } = options;
  const limiter = new RateLimiter(MAX_PER_SECOND);
  let waiting = 0;
  const inLine = async <T>(isAllowed: boolean, work: () => Promise<T>): Promise<T> => {
    if (!isAllowed || waiting >= MAX_WAITING) {
      throw new FaucetRefusal(
        429,
        "Rejected",
        `too many requests: at most ${MAX_PER_SECOND} in a second, and ${MAX_WAITING} at once`,
      );
    }
    waiting++;
    try {
      return await work();
    } finally {
      waiting--;
    }
  };
  const mint = (request: SmallRequest, asked: Body): Promise<readonly string[]> => {
    const [address, amount] = [accountOf(asked), amountOf(asked.amount)];
    const reason = unreadyReason();
    if (reason !== undefined) throw new FaucetRefusal(503, "FaucetNotReady", reason);
    return inLine(limiter.take(request.client, clock()).allowed, () =>
      told("TransactionFailed", () => fund(address, amount)),
    );
  };
  const change = async ({ body, path, origin, signal }: SmallRequest): Promise<SmallResponse> => {
    const name = path.slice(CHAIN.length);
    if (switches === undefined)
      throw new FaucetRefusal(403, "NotAllowed", "the chain is changed on a loopback address alone");
    const isElsewhere =
      origin !== undefined && !(URL.canParse(origin) && isLoopback(new URL(origin).hostname));
    if (isElsewhere)
      throw new FaucetRefusal(403, "NotAllowed", "pages of other machines do not change the chain");
    if (!Object.hasOwn(switches, name))
      throw new FaucetRefusal(404, "NotFound", `here are ${Object.keys(switches).join(", ")}`);
    const json = body.length > 0 ? bodyOf : () => ({});
    const asked = name === LOAD ? { bytes: body } : await json(body);
    // Tests on this machine may send any number in a second.
    const answer = await inLine(true, () =>
      told("InvalidRequest", () => (switches[name] as SwitchCall)(asked, signal)),
    );
    return { status: 200, body: answer instanceof Uint8Array ? answer : withTexts(answer) };
  };
  const answer = async (request: SmallRequest): Promise<SmallResponse> => {
    const { method, path, query } = request;
    const isHealth = path === "/" || path === "/health";
    if (isHealth && method === "GET") {
      const reason = unreadyReason();
      return reason === undefined ? { status: 200, body: HEALTHY } : { status: 503, body: reason };
    }
    if (method === "POST" && request.isSimple) {
      throw new FaucetRefusal(
        415,
        "InvalidRequest",
        "Content-Type: pages of other origins send application/json",
      );
    }
    if (path === SPEC && method === "GET" && switches !== undefined) {
      return { status: 200, body: options.document?.() };
    }
    if (path.startsWith(CHAIN) && method === "POST") return change(request);
    if (path === "/fund" && method === "POST") {
      return { status: 200, body: { txn_hashes: await mint(request, await bodyOf(request.body)) } };
    }
    if (path === "/mint" && method === "POST") {
      return { status: 200, body: await mint(request, Object.fromEntries(query)) };
    }
    if (path === "/fund" || path === "/mint" || isHealth) {
      throw new FaucetRefusal(
        405,
        "MethodNotAllowed",
        `${path} takes ${isHealth ? "GET" : "POST"}, not ${method}`,
      );
    }
    throw new FaucetRefusal(
      404,
      "NotFound",
      `here are GET /, POST /fund, POST /mint, POST /chain/NAME and GET ${SPEC}`,
    );
  };
  return listenSmall({
    ...options,
    maxBodyBytes: (path) => {
      if (switches === undefined || !path.startsWith(CHAIN)) return undefined;
      return path === `${CHAIN}${LOAD}` ? MAX_STATE_BYTES : MAX_CHANGE_BYTES;
    },
    refuse: (status, message) => refusal(status, "InvalidRequest", message),
    respond: (request) =>
      answer(request).catch((error: unknown) => {
        if (!(error instanceof FaucetRefusal)) throw error;
        const headers = error.status === 429 ? { headers: { "Retry-After": "1" } } : {};
        return { ...refusal(error.status, error.code, error.message), ...headers };
      }),
  });
}
