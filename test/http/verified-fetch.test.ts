// A client that verifies: its answers are those of an honest node, and none of them is a lie.
import { Account, TypeTagAddress, TypeTagU64 } from "@aptos-labs/ts-sdk";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import { createNode, type Node } from "../../src/index.ts";
import { computeWaypoint, formatWaypoint, parseWaypoint } from "../../src/ledger/waypoint.ts";
import { parseAddress } from "../../src/move/address.ts";
import { decodeBundle, encodeBundle, type ProofBundle } from "../../src/proof/bundle.ts";
import { type SignedLedgerInfo, signedLedgerInfoCodec } from "../../src/proof/ledger-info.ts";
import { fastestBls } from "../../src/proof/native-bls.ts";
import { portableBls } from "../../src/proof/portable-bls.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { prove } from "../../src/sync/proofs/prover.ts";
import { keepGenesisLedgerInfo, loadEpochEnd } from "../../src/sync/signatures/signed-rows.ts";
import {
  type VerifiedFetch,
  VerifiedFetchError,
  type VerifiedFetchOptions,
  verifiedFetch,
} from "../../src/verify.ts";
import { ChainRun } from "../support/chain-run.ts";
import { type Meddle, type Meddler, startProxy } from "../support/proxy.ts";
import { verifiedSdkClient } from "../support/sdk-client.ts";

const COIN = "0x1::aptos_coin::AptosCoin";
const BOB = `0x${"0".repeat(61)}b0b`;
const BCS = { accept: "application/x-bcs" };

type Row = [what: string, path: () => string, init?: () => RequestInit];

let node: Node;
let other: Node;
let proxy: Meddler;
let url: string;
let waypoint: string;
let accounts: readonly string[];
let table: { readonly handle: string; readonly key: string };

async function startNode(seed: string): Promise<Node> {
  const started = await createNode({ http: { port: 0 }, localChain: { seed, epochTimeMs: 4000 } });
  for (let i = 0; i < 10; i++) await started.produceBlock();
  return started;
}

/** The client's own signatures, in JavaScript. Most of these tests check with the native ones, at a fortieth of the cost. */
const portable = { ...portableBls };
afterAll(() => void Object.assign(portableBls, portable));

beforeAll(async () => {
  Object.assign(portableBls, fastestBls());
  [node, other] = [await startNode("verified"), await startNode("another")];
  waypoint = String((await node.info()).genesis_waypoint);
  const guide = node.guide();
  accounts = guide?.accounts.map(({ address }) => address) ?? [];
  const [first] = guide?.tables ?? [];
  table = { handle: first?.handle ?? "", key: first?.keys[0]?.key ?? "" };
  proxy = await startProxy(node.url ?? "", true);
  url = `${proxy.url}/v1`;
});
beforeEach(() => {
  proxy.meddle = (passing) => passing;
});
afterAll(async () => {
  await proxy.close();
  await Promise.all([node.close(), other.close()]);
});

function client(options: VerifiedFetchOptions = {}): VerifiedFetch {
  return verifiedFetch(url, waypoint, options);
}

async function startRun(options: { readonly epochTimeMs?: number } = {}): Promise<ChainRun> {
  const chain = createLocalChain({ seed: "places", ...options });
  const run = await new ChainRun(chain, createMemoryStore(), "1h").start();
  await keepGenesisLedgerInfo(run.store);
  return run;
}

/** A client of a store without a node, which proves resources from the items of their own. */
async function clientOf(run: ChainRun): Promise<VerifiedFetch> {
  const { store } = run;
  const genesis = await loadEpochEnd(store, 0n);
  if (genesis === undefined) throw new Error("no genesis");
  const serve = async (input: unknown): Promise<Response> => {
    const { pathname, searchParams } = new URL(String(input));
    const [, , , address = "", kind, name = ""] = pathname.split("/").map(decodeURIComponent);
    const where = { address: parseAddress(address) };
    const claim =
      kind === "module"
        ? ({ kind, name, ...where } as const)
        : ({ kind: "resource", type: name, group: undefined, ...where } as const);
    const fromWaypoint = parseWaypoint(searchParams.get("from_waypoint") ?? "");
    const view = await store.openView();
    const bundle = await prove(store, view, { kind: "state", claim }, { fromWaypoint });
    view.release();
    return new Response(encodeBundle(bundle) as never);
  };
  return verifiedFetch(url, formatWaypoint(computeWaypoint(genesis.ledgerInfo)), { fetch: serve });
}

const item = (key: string, headers: Record<string, string> = {}): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify({ key }),
});

describe("an answer is that of the node", () => {
  it.each<Row>([
    ["a balance", () => `accounts/${accounts[0]}/balance/${COIN}`],
    ["a quoted balance", () => `accounts/${accounts[0]}/balance/0xa?quoted=true`],
    ["a balance of nobody", () => `accounts/0xdead/balance/${COIN}`],
    ["a balance in BCS", () => `accounts/${accounts[0]}/balance/${COIN}`, () => ({ headers: BCS })],
    ["a table item", () => `tables/${table.handle}/raw_item`, () => item(table.key)],
    ["a table item in BCS", () => `tables/${table.handle}/raw_item`, () => item(table.key, BCS)],
    [
      "a member of a group",
      () => "accounts/0xa/resource/0x1::fungible_asset::Metadata",
      () => ({ headers: BCS }),
    ],
    ["a resource in BCS", () => "accounts/0x1/resource/0x1::chain_id::ChainId", () => ({ headers: BCS })],
    ["a module in BCS", () => "accounts/0x1/module/coin", () => ({ headers: BCS })],
    ["an account", () => `accounts/${accounts[0]}`],
    ["an account in BCS", () => `accounts/${accounts[0]}`, () => ({ headers: BCS })],
  ])("%s", async (_, path, init) => {
    const [proven, read] = [
      await client()(`${url}/${path()}`, init?.()),
      await fetch(`${url}/${path()}`, init?.()),
    ];
    expect(proven.status).toBe(200);
    expect(await proven.text()).toBe(await read.text());
    expect(proven.headers.get("content-type")).toBe(read.headers.get("content-type"));
    expect(proven.headers.get("x-node-read-version")).toBe(read.headers.get("x-node-ledger-version"));
  });

  it.each<Row>([
    ["a table item", () => `tables/${table.handle}/raw_item`, () => item("0xffff")],
    ["a resource", () => "accounts/0xdead/resource/0x1::chain_id::ChainId"],
    ["a member of a group", () => "accounts/0xdead/resource/0x1::fungible_asset::Metadata"],
    ["a resource of no module", () => "accounts/0xdead/resource/0x1::nothing::Nothing"],
    ["a module", () => "accounts/0x1/module/nothing"],
    ["an account", () => "accounts/0xdead"],
  ])("the absence of %s", async (_, path, init) => {
    const [proven, read] = [
      await client()(`${url}/${path()}`, init?.()),
      await fetch(`${url}/${path()}`, init?.()),
    ];
    expect([proven.status, read.status]).toEqual([404, 404]);
    const code = ((await read.json()) as { readonly error_code: string }).error_code;
    expect(await proven.json()).toMatchObject({ error_code: code });
  });

  it("a module in JSON, without the ABI", async () => {
    const path = `${url}/accounts/0x1/module/coin`;
    const { bytecode } = (await (await fetch(path)).json()) as { readonly bytecode: string };
    expect(await (await client()(path)).json()).toEqual({ bytecode });
  });

  it("the ledger's position, as far as it is signed", async () => {
    const read = (await (await fetch(url)).json()) as Record<string, unknown>;
    const proven = (await (await client()(url)).json()) as Record<string, unknown>;
    expect(Object.keys(proven)).toEqual(["chain_id", "epoch", "ledger_version", "ledger_timestamp"]);
    expect(read).toMatchObject(proven);
  });

  it("a transaction of each kind, without what no proof covers", async () => {
    const { ledger_version: latest } = await node.ledgerInfo();
    const page = (await (await fetch(`${url}/transactions?start=${latest - 29n}&limit=30`)).json()) as Record<
      string,
      unknown
    >[];
    const verified = client();
    const kinds = new Map(page.map((one) => [String(one.type), one]));
    expect(kinds.size).toBeGreaterThan(2);
    for (const read of kinds.values()) {
      const byVersion = await verified(`${url}/transactions/by_version/${read.version}`);
      const { payload, ...proven } = (await byVersion.json()) as Record<string, unknown>;
      expect(read).toMatchObject(proven);
      if (payload !== undefined)
        expect(Object.keys(payload as object)).toEqual(Object.keys((read.payload ?? {}) as object));
      const byHash = await verified(`${url}/transactions/by_hash/${read.hash}`);
      expect(await byHash.json()).toMatchObject(proven);
    }
  });

  it("at a version and a time that were asked for, also before the waypoint that is trusted", async () => {
    const verified = client();
    const { ledger_version: version } = await node.ledgerInfo();
    const old = await node.balance(accounts[0] ?? "", COIN);
    for (let i = 0; i < 10; i++) await node.produceBlock();
    const path = `${url}/accounts/${accounts[0]}/balance/${COIN}`;
    const before = verified.state();
    await verified(path);
    // A change of epoch was proven.
    expect(verified.state()).not.toEqual(before);
    expect(await (await verified(`${path}?ledger_version=${version}`)).text()).toBe(`${old}`);
    const at = new Date(Number((await node.ledgerInfo()).ledger_timestamp / 1000n) - 3000).toISOString();
    const [proven, read] = [await verified(`${path}?at=${at}`), await fetch(`${path}?at=${at}`)];
    expect(await proven.text()).toBe(await read.text());
    const { ledger_version: latest } = await node.ledgerInfo();
    const waiting = verified(`${path}?min_ledger_version=${latest + 1n}&wait_ms=20000`);
    await node.produceBlock();
    expect(BigInt((await waiting).headers.get("x-node-read-version") ?? 0)).toBeGreaterThan(latest);
  });
});

/** Changes the proofs that pass. */
function forge(change: (bundle: ProofBundle) => ProofBundle): Meddle {
  return (passing) => ({ ...passing, body: Buffer.from(encodeBundle(change(decodeBundle(passing.body)))) });
}

/** Answers with the proof that another request gets. */
function swap(path: (asked: string) => string, of = node): Meddle {
  return async (passing) => {
    const response = await fetch(`${new URL(of.url ?? "").origin}${path(passing.path)}`, { headers: BCS });
    return { ...passing, status: response.status, body: Buffer.from(await response.arrayBuffer()) };
  };
}

function signed({ ledger }: ProofBundle): Extract<ProofBundle["ledger"], { readonly kind: "signed" }> {
  if (ledger.kind !== "signed") throw new Error("expected signatures");
  return ledger;
}

function changedLast(bundle: ProofBundle, change: (last: SignedLedgerInfo) => SignedLedgerInfo): ProofBundle {
  const ledger = signed(bundle);
  const last = encodeWith(signedLedgerInfoCodec, change(decodeWith(signedLedgerInfoCodec, ledger.last)));
  return { ...bundle, ledger: { ...ledger, last } };
}

describe("a lie is refused with its reason", () => {
  const path = (more = ""): string => `${url}/accounts/${accounts[0]}/balance/${COIN}${more}`;

  it.each<readonly [lie: string, meddle: () => Meddle, reason: RegExp]>([
    [
      "a wrong amount",
      () =>
        forge((bundle) => {
          if (bundle.claim.kind !== "balances") throw new Error("expected balances");
          const raised = bundle.claim.accounts.map(({ address, amounts }) => ({
            address,
            amounts: amounts.map(({ asset, amount }) => ({ asset, amount: amount + 1n })),
          }));
          return { ...bundle, claim: { ...bundle.claim, accounts: raised } };
        }),
      /is proven to be \d+, not \d+$/,
    ],
    [
      "a proof with another balance too",
      () => async (passing) => {
        const pairs = [accounts[0] ?? "", BOB].map((address) => ({ address, asset: COIN }));
        return { ...passing, body: Buffer.from(await node.proveBalances(pairs)) };
      },
      /the proof has other balances too$/,
    ],
    [
      "the proof of another account",
      () => swap((asked) => asked.replace(accounts[0] ?? "", accounts[1] ?? "")),
      /something else than was asked for$/,
    ],
    [
      "the proof of another asset",
      () => swap((asked) => asked.replace(COIN.replaceAll(":", "%3A"), "0xa")),
      /something else/,
    ],
    [
      "a proof of another kind",
      () => swap((asked) => asked.replace(/accounts.*proof/, "accounts/0x1/module/coin/proof")),
      /another kind: module$/,
    ],
    [
      "the proof of another chain",
      () => swap((asked) => asked.replace(/\?.*/, ""), other),
      /the proof begins at \d+:\w+, not at the waypoint 0:/,
    ],
    [
      "a proof that is cut",
      () => (passing) => ({ ...passing, body: passing.body.subarray(0, -40) }),
      /not a proof bundle/,
    ],
    [
      "a proof that is longer",
      () => (passing) => ({ ...passing, body: Buffer.concat([passing.body, Buffer.of(0)]) }),
      /not a proof bundle/,
    ],
    [
      "a newer head that nobody signed",
      () =>
        forge((bundle) =>
          changedLast(bundle, (last) => ({
            ...last,
            ledgerInfo: { ...last.ledgerInfo, version: last.ledgerInfo.version + 5n },
          })),
        ),
      /the signature is not by those/,
    ],
    [
      "a head without a signature",
      () =>
        forge((bundle) =>
          changedLast(bundle, (last) => ({
            ...last,
            signatures: { ...last.signatures, signature: undefined },
          })),
        ),
      /a signature has 96 bytes, not 0/,
    ],
    [
      "a signature of validators of another epoch",
      () => forge((bundle) => ({ ...bundle, ledger: { ...signed(bundle), epochChanges: [] } })),
      /the known validators are of epoch/,
    ],
    [
      "an error with status 200",
      () => (passing) => ({ ...passing, body: Buffer.from('{"message":"no"}') }),
      /not a proof bundle/,
    ],
    [
      "an amount without a proof",
      () => (passing) => ({ ...passing, body: Buffer.from("1000") }),
      /not a proof bundle/,
    ],
    [
      "404 for what exists",
      () => (passing) => ({ ...passing, status: 404, body: Buffer.from('{"message":"no such account"}') }),
      /proves nothing and answers 404: no such account$/,
    ],
    [
      "a redirection to another node",
      () => (passing) => ({
        ...passing,
        status: 302,
        headers: { location: `${other.url}/accounts/0x1` },
        body: Buffer.of(),
      }),
      /the node redirects the request to another address, which is not asked$/,
    ],
    [
      "a refusal with characters that control a terminal",
      () => (passing) => ({
        ...passing,
        status: 500,
        body: Buffer.from(JSON.stringify({ message: `\u001b[2J\u202e${"long".repeat(500)}` })),
      }),
      /answers 500: \\u001b\[2J\\u202e(long)+l?o?n?…$/,
    ],
    [
      "a refusal whose message is no text",
      () => (passing) => ({ ...passing, status: 500, body: Buffer.from('{"message":{"a":1}}') }),
      /answers 500: \{"message":\{"a":1\}\}$/,
    ],
    [
      "a proof of millions of nothings",
      () => (passing) => ({
        ...passing,
        body: Buffer.concat([Buffer.of(0, 0, 0x80, 0xad, 0xe2, 0x04), Buffer.alloc(10_000_000)]),
      }),
      /claim.assets: sequence of 10000000 elements is too long \(at byte 2\)$/,
    ],
    [
      "an answer longer than any proof",
      () => (passing) => ({ ...passing, body: Buffer.alloc((16 << 20) + 1) }),
      /the node's answer cannot be read: it has more than 16777216 bytes$/,
    ],
  ])("%s", async (_, meddle, reason) => {
    const verified = client();
    proxy.meddle = meddle();
    const refused = verified(path());
    await expect(refused).rejects.toThrow(reason);
    await expect(refused).rejects.toThrow(path());
    await expect(refused).rejects.toThrow(VerifiedFetchError);
    proxy.meddle = (passing) => passing;
    expect(await (await verified(path())).text()).toBe(`${await node.balance(accounts[0] ?? "", COIN)}`);
  });

  it("another version than was asked for", async () => {
    const { ledger_version: version } = await node.ledgerInfo();
    await node.produceBlock();
    proxy.meddle = swap((asked) => asked.replace(/(min_)?ledger_version=\d+&/, ""));
    await expect(client()(path(`?ledger_version=${version}`))).rejects.toThrow(`not of ${version}`);
    await expect(client()(path(`?min_ledger_version=99999999`))).rejects.toThrow("before 99999999");
  });

  it("an older state than was seen, proven again or replayed", async () => {
    const verified = client();
    const replayed: Buffer[] = [];
    proxy.meddle = (passing) => {
      replayed.push(passing.body);
      return passing;
    };
    const { ledger_version: version } = await node.ledgerInfo();
    await verified(path());
    await node.produceBlock();
    await verified(path());
    proxy.meddle = (passing) => ({ ...passing, body: replayed[0] ?? passing.body });
    // The first proof began at genesis, and is not from the state that is trusted now.
    await expect(verified(path())).rejects.toThrow(VerifiedFetchError);
    proxy.meddle = swap((asked) => `${asked}&ledger_version=${version}`);
    await expect(verified(path())).rejects.toThrow(
      `the proof is of version ${version}; the node has shown version`,
    );
    // A new client has seen nothing yet: an old state is old even where a new signature covers it.
    for (let i = 0; i < 3; i++) await node.produceBlock();
    const nowMs = Number((await node.ledgerInfo()).ledger_timestamp / 1000n);
    const fresh = client({ maxAgeMs: 1000, now: () => nowMs });
    await expect(fresh(path())).rejects.toMatchObject({ code: "stale" });
    proxy.meddle = (passing) => passing;
    expect((await fresh(path())).status).toBe(200);
  });

  it("another transaction, and an unknown one", async () => {
    const { ledger_version: latest } = await node.ledgerInfo();
    const verified = client();
    proxy.meddle = swap((asked) => asked.replace(/by_\w+\/\w+/, `by_version/${latest - 1n}`));
    await expect(verified(`${url}/transactions/by_version/${latest}`)).rejects.toThrow("something else");
    const unknown = `${url}/transactions/by_hash/0x${"ab".repeat(32)}`;
    await expect(verified(unknown)).rejects.toThrow("something else");
    proxy.meddle = (passing) => passing;
    await expect(verified(unknown)).rejects.toThrow("answers 404: no committed transaction");
  });

  it("the absence of a resource from a place where the chain does not keep it", async () => {
    const run = await startRun();
    await run.steps(3);
    const verified = await clientOf(run);
    await expect(verified(`${url}/accounts/0xa/resource/0x1::fungible_asset::Metadata`)).rejects.toThrow(
      "the proof looks for it in no group, not in 0x1::object::ObjectGroup",
    );
    expect((await verified(`${url}/accounts/0xa/resource/0x1::chain_id::ChainId`)).status).toBe(404);
  });
});

describe("what cannot be proven is refused before anything is sent", () => {
  it.each([
    ["a view", "view", { method: "POST", body: "{}" }],
    ["prices", "estimate_gas_price", {}],
    ["lists", "accounts/0x1/resources", {}],
    ["a method", "accounts/0x1", { method: "DELETE" }],
    ["a text that is no address", "accounts/0xzz", {}],
    ["a body that is no key", "tables/0x1/raw_item", { method: "POST", body: "{}" }],
    ["a transaction in JSON", "transactions", { method: "POST", body: "{}" }],
    [
      "bytes that are no transaction",
      "transactions",
      {
        method: "POST",
        headers: { "content-type": "application/x.aptos.signed_transaction+bcs" },
        body: Buffer.of(1, 2, 3),
      },
    ],
  ])("%s", async (_, path, init) => {
    const before = proxy.seen.length;
    const refused = client()(`${url}/${path}`, init);
    await expect(refused).rejects.toMatchObject({ code: "unsupported" });
    expect(proxy.seen.length).toBe(before);
  });

  it("a resource in JSON, with what to ask instead", async () => {
    const path = `${url}/accounts/0x1/resource/0x1::chain_id::ChainId`;
    await expect(client()(path)).rejects.toThrow("ask with Accept: application/x-bcs");
  });

  it("a request that was aborted, as fetch does", async () => {
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(client()(url, { signal })).rejects.toThrow(/^enough$/);
  });

  it("a node that does not answer, and a state that cannot be kept", async () => {
    const path = `${url}/accounts/${accounts[0]}/balance/${COIN}`;
    const refused = async (options: VerifiedFetchOptions): Promise<string> =>
      client(options)(path).then(() => "answered", String);
    expect(await refused({ onState: () => Promise.reject(new Error("disk full")) })).toContain("disk full");
    proxy.meddle = () => undefined;
    expect(await refused({ timeoutMs: 50 })).toContain("the node gave no answer");
  });

  it("another node", async () => {
    await expect(client()("http://127.0.0.1:1/v1")).rejects.toThrow(`only requests to ${url} are answered`);
    await expect(client()(`${url}2/accounts/0x1`)).rejects.toThrow("only requests to");
  });
});

describe("the trusted state", () => {
  it("goes on after a restart, from the last epoch", async () => {
    const states: Uint8Array[] = [];
    const first = client({ onState: (state) => states.push(state) });
    expect(Buffer.from(first.state()).toString("hex")).toBe(`000000000000000000${waypoint.slice(2)}`);
    await first(url);
    expect(states).toEqual([first.state()]);
    const again = verifiedFetch(url, first.state());
    expect((await again(url)).status).toBe(200);
    const asked = proxy.seen.at(-1) ?? "";
    expect(asked).not.toContain(encodeURIComponent(waypoint));
    // Two variants, a waypoint, and the validators of the epoch after it.
    expect(first.state()[0]).toBe(1);
    const version = Buffer.from(first.state()).readBigUInt64LE(1);
    expect(asked).toContain(`from_waypoint=${version}%3A`);
    expect(again.state()).toEqual(first.state());
  });

  it("is refused by a node that does not know it, and as bytes that are none", async () => {
    const foreign = verifiedFetch(url, String((await other.info()).genesis_waypoint));
    await expect(foreign(url)).rejects.toThrow(
      /from_waypoint: expected the waypoint of an epoch's end that this node knows/,
    );
  });

  it.each<[what: string, run: () => unknown, reason: string]>([
    ["a state of other bytes", () => verifiedFetch(url, Uint8Array.of(7)), "unknown TrustedState variant 7"],
    ["a text that is no waypoint", () => verifiedFetch(url, "0:12"), "a waypoint is <version>:"],
    ["nothing to trust", () => verifiedFetch(url, undefined as never), "a waypoint or the bytes of a state"],
    ["an address without a scheme", () => verifiedFetch("localhost", waypoint), "the URL of a node"],
    ["an age that is no number", () => client({ maxAgeMs: Number.NaN }), "maxAgeMs: expected a number"],
    ["a time that is no number", () => client({ timeoutMs: "5" as never }), "timeoutMs: expected a whole"],
  ])("is refused at once with %s", (_, run, reason) => {
    const refused = expect.objectContaining({
      name: "VerifiedFetchError",
      code: "options",
      message: expect.stringContaining(reason),
    });
    expect(run).toThrow(refused);
  });

  it("is checked once for requests under way at the same time, while other work and signals have their turn", async () => {
    const run = await startRun({ epochTimeMs: 2000 });
    await run.steps(12);
    const path = `${url}/accounts/0x1/resource/0x1::chain_id::ChainId`;
    Object.assign(portableBls, portable);
    const verify = vi.spyOn(portableBls, "verify");
    try {
      const verified = await clientOf(run);
      const seen = new Set<number>();
      const timer = setInterval(() => seen.add(verify.mock.calls.length), 1);
      await Promise.all([1, 2, 3].map(() => verified(path, { headers: BCS })));
      clearInterval(timer);
      const asked = verify.mock.calls.map(([, message]) => Buffer.from(message).toString("hex"));
      expect(asked.length).toBeGreaterThan(4);
      expect(new Set(asked).size).toBe(asked.length);
      expect([...seen].filter((count) => count > 0 && count < asked.length)).not.toEqual([]);
      const leaving = new AbortController();
      verify.mockClear();
      verify.mockImplementationOnce(() => {
        leaving.abort(new Error("enough"));
        return true;
      });
      const left = (await clientOf(run))(path, { headers: BCS, signal: leaving.signal });
      await expect(left).rejects.toThrow(/^enough$/);
      expect(verify.mock.calls.length).toBe(1);
    } finally {
      verify.mockRestore();
    }
  });
});

it("the official SDK reads, sends and waits through it", async () => {
  const verified = client();
  const aptos = verifiedSdkClient(verified, url);
  const signer = Account.generate();
  const sender = signer.accountAddress;
  await node.fund(sender.toString(), 1_000_000_000n);
  await node.produceBlock();
  expect(await aptos.getBalance({ accountAddress: sender, asset: COIN })).toBe(1_000_000_000);
  const { ledger_version: version } = await node.ledgerInfo();
  expect((await aptos.getLedgerInfo()).ledger_version).toBe(`${version}`);
  const transaction = await aptos.transferCoinTransaction({
    sender,
    recipient: BOB,
    amount: 12,
    options: { gasUnitPrice: 100, maxGasAmount: 5000 },
  });
  const withAbi = await aptos.transaction.build.simple({
    sender,
    data: {
      function: "0x1::aptos_account::transfer",
      functionArguments: [BOB, 12],
      abi: { typeParameters: [], parameters: [new TypeTagAddress(), new TypeTagU64()] },
    },
    options: { gasUnitPrice: 100, maxGasAmount: 5000 },
  });
  expect(withAbi.rawTransaction.sender.equals(sender)).toBe(true);
  const { hash } = await aptos.signAndSubmitTransaction({ signer, transaction });
  expect(await aptos.getTransactionByHash({ transactionHash: hash })).toMatchObject({
    type: "pending_transaction",
  });
  // A block that ends an epoch may leave transactions to the next.
  await node.mine(2);
  const committed = await aptos.waitForTransaction({ transactionHash: hash });
  expect(committed).toMatchObject({ success: true, hash, type: "user_transaction" });
  expect(await aptos.getBalance({ accountAddress: BOB, asset: COIN })).toBe(12);
  expect((await aptos.getAccountInfo({ accountAddress: sender })).sequence_number).toBe("1");
  await expect(aptos.getGasPriceEstimation()).rejects.toThrow(VerifiedFetchError);
});
