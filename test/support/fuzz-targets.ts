// Every decoder as a fuzz target. A target accepts an input, refuses it with a CodedError, or has a fault: any other
// error, other bytes after re-encoding, or two readers of one format that disagree.
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { equalBytes } from "../../src/base/bytes.ts";
import { CodedError } from "../../src/base/errors.ts";
import { formatTime, parseTime } from "../../src/base/texts/time-text.ts";
import { type Codec, encodeWith } from "../../src/bcs/codec.ts";
import { BcsReader } from "../../src/bcs/reader.ts";
import { vector } from "../../src/bcs/sequences.ts";
import { getBalances } from "../../src/http/operations/get-balances.ts";
import { getRawTableItems } from "../../src/http/operations/get-raw-table-items.ts";
import { decodeQueryText, decodeTwice, findQuery, readQuery } from "../../src/http/routing/url.ts";
import { ABSENT } from "../../src/json/document.ts";
import { parseJson } from "../../src/json/parse.ts";
import { parseAsset } from "../../src/ledger/balances/asset.ts";
import { contractEventCodec, newBlockEventCodec } from "../../src/ledger/formats/block-event.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { decodePage, decodeRecord, recordCodec } from "../../src/ledger/formats/record.ts";
import { stateKeyCodec } from "../../src/ledger/formats/state-key.ts";
import { stateValueCodec, stateValueData } from "../../src/ledger/formats/state-value.ts";
import { transactionCodec } from "../../src/ledger/formats/transaction.ts";
import {
  auxiliaryInfoCodec,
  executionStatusCodec,
  transactionInfoCodec,
} from "../../src/ledger/formats/transaction-info.ts";
import { validatorSetCodec } from "../../src/ledger/formats/validator-set.ts";
import { writeSetCodec } from "../../src/ledger/formats/write-set.ts";
import * as resources from "../../src/ledger/items/resources.ts";
import { positionCodec } from "../../src/ledger/position.ts";
import { decodeTreeNode, encodeTreeNode } from "../../src/ledger/state-tree/tree-node.ts";
import { createStateTree } from "../../src/ledger/state-tree/update.ts";
import { formatWaypoint, parseWaypoint } from "../../src/ledger/waypoint.ts";
import { formatAddress, parseAddress } from "../../src/move/address.ts";
import { readModule, readScript } from "../../src/move/bytecode/reader.ts";
import { formatTypeTag, typeTagCodec } from "../../src/move/type-tag.ts";
import { parseTypeTag } from "../../src/move/type-text.ts";
import { createNode, type Node } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { formatPruneWindow, parsePruneWindow } from "../../src/sync/maintenance/prune-window.ts";
import { type BaseRow, FETCHED_ITEM } from "../../src/sync/side-rows.ts";
import {
  accountAuthenticatorCodec,
  authenticatorCodec,
  webAuthnAssertionCodec,
} from "../../src/transaction/authenticator.ts";
import { payloadCodec, rawTransactionCodec } from "../../src/transaction/raw.ts";
import { validatorTransactionCodec } from "../../src/transaction/system-transactions.ts";
import { userTransactionCodec } from "../../src/transaction/user-transaction.ts";
import { baseStep, runBaseProgram } from "./base-run.ts";
import { wrongInExplanation } from "./explained.ts";
import { localChainVectors, typeVectors } from "./golden-vectors.ts";
import { paddedRequests } from "./hostile-bodies.ts";
import * as ledgerValues from "./ledger-arbitraries.ts";
import * as transactionValues from "./transaction-arbitraries.ts";

/** A fuzz target. */
export interface FuzzTarget {
  readonly name: string;
  /** Accepted inputs to start from. */
  readonly seeds: () => readonly Uint8Array[] | Promise<readonly Uint8Array[]>;
  /** Returns if the input is accepted, throws a CodedError if it is refused; anything else is a fault. */
  readonly run: (input: Uint8Array) => unknown;
  /** Words that inputs are made of, where they are texts. */
  readonly words?: readonly string[];
}

class Fault extends Error {}

/** Throws unless the condition holds; never a CodedError, so it counts as a fault. */
function demand(holds: boolean, what: string): void {
  if (!holds) throw new Fault(what);
}

function endOf(bytes: Uint8Array, pass: (reader: BcsReader) => unknown): number | CodedError {
  const reader = new BcsReader(bytes);
  try {
    pass(reader);
    return reader.offset;
  } catch (error) {
    if (error instanceof CodedError) return error;
    throw error;
  }
}

/** Reading and skipping must end at the same offset, and the value must re-encode to the same bytes. */
function runCodec<T>(codec: Codec<T>, bytes: Uint8Array): void {
  let again: Uint8Array | undefined;
  const end = endOf(bytes, (reader) => {
    again = encodeWith(codec, codec.read(reader));
  });
  const skipped = endOf(bytes, (reader) => codec.skip(reader));
  demand(
    (typeof end === "number" ? end : -1) === (typeof skipped === "number" ? skipped : -1),
    "skip ends elsewhere",
  );
  if (typeof end !== "number") throw end;
  demand(again !== undefined && equalBytes(again, bytes.subarray(0, end)), "other bytes written back");
}

/** Codecs with values to start from, each reached by the first byte of an input. */
const FORMATS: readonly [Codec<unknown>, fc.Arbitrary<unknown> | undefined][] = [
  [transactionCodec, ledgerValues.anyTransaction],
  [transactionInfoCodec, ledgerValues.anyTransactionInfo],
  [contractEventCodec, ledgerValues.anyContractEvent],
  [writeSetCodec, ledgerValues.anyWriteSet],
  [stateKeyCodec, ledgerValues.anyStateKey],
  [stateValueCodec, ledgerValues.anyStateValue],
  [executionStatusCodec, ledgerValues.anyExecutionStatus],
  [auxiliaryInfoCodec, ledgerValues.anyAuxiliaryInfo],
  [newBlockEventCodec, ledgerValues.anyNewBlockEvent],
  [validatorSetCodec, ledgerValues.anyValidatorSet],
  [positionCodec, ledgerValues.anyPosition],
  [payloadCodec, transactionValues.anyPayload],
  [rawTransactionCodec, transactionValues.anyRawTransaction],
  [userTransactionCodec, transactionValues.anyUserTransaction],
  [authenticatorCodec, transactionValues.anyAuthenticator],
  [accountAuthenticatorCodec, transactionValues.anyAccountAuthenticator],
  [validatorTransactionCodec, transactionValues.anyValidatorTransaction],
  [webAuthnAssertionCodec, undefined],
  [typeTagCodec, undefined],
  [resources.accountCodec, undefined],
  [resources.coinStoreCodec, undefined],
  [resources.resourceGroupCodec, undefined],
  [resources.fungibleStoreCodec, undefined],
  // Each codec has its own type; here each one encodes only values that it decoded.
] as never;

const SEED = 20_261_115;

function sample<T>(codec: Codec<T>, values: fc.Arbitrary<T>, count: number): Uint8Array[] {
  return fc.sample(values, { numRuns: count, seed: SEED }).map((value) => encodeWith(codec, value));
}

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("latin1");
}

function texts(...all: string[]): () => Uint8Array[] {
  return () => all.map((text) => new TextEncoder().encode(text));
}

let node: Promise<Node> | undefined;
/** A node whose modules encode requests are read against. */
function localNode(): Promise<Node> {
  node ??= createNode({ localChain: {} });
  return node;
}

async function runEncode(input: Uint8Array): Promise<void> {
  const message = await (await localNode()).encodeSubmission(input);
  demand(message.length > 32, "a signing message without a transaction");
  const reader = new BcsReader(message);
  // Multi-agent and fee-payer messages have a variant number after the prefix; the transaction follows either way.
  reader.skip(32);
  const start = (message[32] ?? 2) < 2 && message.length > 33 ? 33 : 32;
  const single = endOf(message.subarray(32), (inner) => rawTransactionCodec.read(inner));
  const multi = endOf(message.subarray(start), (inner) => rawTransactionCodec.read(inner));
  demand(typeof single === "number" || typeof multi === "number", "what was encoded does not decode");
}

async function runExplain(request: Uint8Array | object): Promise<void> {
  const explanation = await (await localNode()).explainSubmission(request);
  const wrong = wrongInExplanation(explanation, Buffer.from(explanation.bytes.slice(2), "hex"));
  demand(wrong === undefined, wrong ?? "");
}

/** Messages that the official SDK's classes made, the larger ones left out. */
function messageSeeds(): Uint8Array[] {
  return [...localChainVectors.vectors, ...typeVectors.vectors]
    .map(({ expected }) => Buffer.from(expected.slice(2), "hex"))
    .filter(({ length }) => length < 600);
}

/** Requests are padded to this size: enough for a few members more than are wanted. */
const PADDED_BYTES = 800;

async function encodeSeeds(): Promise<Uint8Array[]> {
  const functions = (await localNode()).guide()?.functions ?? [];
  const demo = functions.at(-1)?.replace(/::\w+$/, "") ?? "";
  const base = {
    sender: "0xa11ce",
    sequence_number: "7",
    max_gas_amount: "2000",
    gas_unit_price: "100",
    expiration_timestamp_secs: "32425224034",
  };
  const call = (name: string, type_arguments: string[], args: unknown[]) => ({
    ...base,
    payload: { type: "entry_function_payload", function: name, type_arguments, arguments: args },
  });
  const bytecode = "0xa11ceb0b060000000105000703060c060c03000000010102";
  // Takes `T0` and `vector<T0>` by value.
  const generic = "0xa11ceb0b06000000010500070209000a090000010000010102";
  const requests = [
    call("0x1::aptos_account::transfer", [], ["0xb0b", "1000"]),
    call("0x1::coin::transfer", ["0x1::aptos_coin::AptosCoin"], ["0xb0b", "1000"]),
    call("0x1::aptos_account::transfer_coins", ["0x1::aptos_coin::AptosCoin"], ["0xb0b", "1"]),
    {
      ...base,
      payload: { type: "script_payload", code: { bytecode }, type_arguments: [], arguments: ["5"] },
    },
    {
      ...base,
      payload: {
        type: "script_payload",
        code: { bytecode: generic },
        type_arguments: ["u8"],
        arguments: [5, "0x0102"],
      },
    },
    {
      ...base,
      payload: {
        type: "multisig_payload",
        multisig_address: "0xc0ffee",
        transaction_payload: call("0x1::aptos_account::transfer", [], ["0xb0b", "1"]).payload,
      },
    },
    { ...call("0x1::aptos_account::transfer", [], ["0xb0b", "1"]), secondary_signers: ["0x1", "0x2"] },
    { ...call("0x1::aptos_account::transfer", [], ["0xb0b", "1"]), fee_payer: "0x0" },
  ].map((request) => JSON.stringify(request));
  const padded = paddedRequests(demo).map(([, build]) => build(PADDED_BYTES));
  return [...requests, ...padded].map((text) => new TextEncoder().encode(text));
}

function scriptSeeds(): Uint8Array[] {
  return [
    "a11ceb0b0100000001050001000000000102",
    "a11ceb0b060000000105000703060c060c03000000010102",
    "a11ceb0b0900000a010500050314151600000001010102",
  ].map((hex) => Buffer.from(hex, "hex"));
}

/** Modules as the local chain publishes them. */
async function moduleSeeds(): Promise<Uint8Array[]> {
  const { createLocalChain } = await import("../../src/chain/local-chain.ts");
  const { writes } = checkGenesis(createLocalChain({ seed: "fuzz" }).genesisBlob());
  const magic = Buffer.from("a11ceb0b", "hex");
  return writes.flatMap(({ value }) => {
    const data = value === undefined ? new Uint8Array() : stateValueData(value);
    return magic.equals(data.subarray(0, 4)) ? [data] : [];
  });
}

async function genesisSeeds(): Promise<Uint8Array[]> {
  const { createLocalChain } = await import("../../src/chain/local-chain.ts");
  return [createLocalChain({ seed: "fuzz" }).genesisBlob()];
}

function treeSeeds(): Uint8Array[] {
  const items = fc.sample(fc.tuple(fc.uint8Array({ minLength: 32, maxLength: 32 }), fc.nat()), {
    numRuns: 400,
    seed: SEED,
  });
  const unique = new Map(items.map(([key]) => [Buffer.from(key).toString("hex"), key]));
  const updates = [...unique.values()].map((keyHash) => ({ keyHash, valueHash: keyHash }));
  return createStateTree(updates).nodes.flatMap(({ value }) => (value === undefined ? [] : [value]));
}

function runJson(input: Uint8Array): void {
  const document = parseJson(input);
  // JSON.parse must accept whatever our reader accepts.
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(input));
  } catch (error) {
    throw new Fault("JSON.parse refuses what we take", { cause: error });
  }
  if (document.kind(document.root) !== "object") return;
  // Every member is found however its name is escaped, the last one if repeated; an absent name is not found.
  const entries = Object.entries(value as object);
  const names = entries.map(([name]) => name);
  const found = document.members(document.root, [...names, `${names.join("")}x`]);
  demand(found.pop() === ABSENT, "a member that is not there");
  for (const [i, [name, member]] of entries.entries()) {
    const at = found[i] ?? ABSENT;
    demand(at !== ABSENT && document.member(document.root, name) === at, "a member that is not found");
    if (typeof member === "string") demand(document.string(at) === member, "the value of another member");
  }
}

function runTexts(input: Uint8Array): void {
  const text = textOf(input.subarray(1));
  switch ((input[0] ?? 0) % 5) {
    case 0: {
      const tag = parseTypeTag(text);
      const bytes = encodeWith(typeTagCodec, tag);
      demand(
        equalBytes(bytes, encodeWith(typeTagCodec, parseTypeTag(formatTypeTag(tag)))),
        "another type printed",
      );
      return;
    }
    case 1: {
      const address = parseAddress(text);
      demand(equalBytes(address, parseAddress(formatAddress(address))), "another address printed");
      return;
    }
    case 2: {
      const printed = formatWaypoint(parseWaypoint(text));
      demand(printed === formatWaypoint(parseWaypoint(printed)), "another waypoint printed");
      return;
    }
    case 3:
      parseAsset(text);
      return;
    default:
      demand(formatPruneWindow(parsePruneWindow(text)) === text, "another window printed");
  }
}

/** A ledger from the middle, where every read must equal the model: a program is never refused. */
async function runBase(input: Uint8Array): Promise<void> {
  try {
    await runBaseProgram(createMemoryStore(), input.subarray(0, 200));
  } catch (error) {
    throw new Fault("an answer over a base is not the model's", { cause: error });
  }
}

/** Items that are read, deleted, written and deleted again, and pruned in between. */
function rowBytes(row: BaseRow): Uint8Array {
  return FETCHED_ITEM.row(row, new Uint8Array(32)).value ?? new Uint8Array();
}

function baseSeeds(): Uint8Array[] {
  const changes = [
    baseStep("delete"),
    baseStep("endBlock"),
    baseStep("endBlock", 1),
    baseStep("write"),
    baseStep("endBlock"),
    baseStep("delete"),
    baseStep("endVersion"),
    baseStep("write"),
    baseStep("endBlock"),
  ];
  const begin = [baseStep("endBlock"), baseStep("readAll")];
  return [
    [...begin, ...changes, baseStep("prune", 2), baseStep("readAll")],
    [...begin, baseStep("hold"), ...changes, baseStep("prune", 3), baseStep("hold", 1), baseStep("hold")],
    [baseStep("readOne"), ...changes, baseStep("prune", 2), ...changes, baseStep("readOne", 9)],
  ].map((steps) => Uint8Array.from(steps));
}

const recordsCodec = vector(recordCodec);

/** All targets. */
export const FUZZ_TARGETS: readonly FuzzTarget[] = [
  {
    name: "bcs",
    seeds: () =>
      FORMATS.flatMap(([codec, values], i) => {
        const some = values === undefined ? [new Uint8Array(randomBytes(40))] : sample(codec, values, 20);
        return some.map((bytes) => Buffer.concat([Buffer.from([i]), bytes]));
      }),
    run: (input) => runCodec(FORMATS[(input[0] ?? 0) % FORMATS.length]![0], input.subarray(1)),
  },
  {
    name: "record",
    seeds: () => sample(recordCodec, ledgerValues.anyRecord, 60),
    run: (input) => {
      runCodec(recordCodec, input);
      const spans = endOf(input, () => decodeRecord(input));
      const whole = endOf(input, (reader) => {
        recordCodec.read(reader);
        reader.finish();
      });
      demand(spans instanceof CodedError === whole instanceof CodedError, "spans and values disagree");
    },
  },
  {
    name: "page",
    seeds: () => sample(recordsCodec, fc.array(ledgerValues.anyRecord, { maxLength: 3 }), 40),
    run: (input) => {
      const records = decodePage(input);
      const total = records.reduce((sum, { bytes }) => sum + bytes.length, 0);
      demand(total <= input.length, "more bytes than were given");
    },
  },
  { name: "genesis", seeds: genesisSeeds, run: (input) => checkGenesis(input) },
  { name: "module", seeds: moduleSeeds, run: (input) => readModule(input) },
  { name: "script", seeds: scriptSeeds, run: (input) => readScript(input) },
  {
    name: "tree-node",
    seeds: treeSeeds,
    run: (input) =>
      demand(equalBytes(encodeTreeNode(decodeTreeNode(input)), input), "other bytes written back"),
  },
  {
    name: "base-row",
    seeds: () =>
      [undefined, new Uint8Array(9)].map((value) =>
        rowBytes({ version: 7n, value, fetched: { at: 9n, level: { kind: "proven" }, rewinds: 1n } }),
      ),
    run: (input) =>
      demand(equalBytes(rowBytes(FETCHED_ITEM.decode(input)), input), "other bytes written back"),
  },
  { name: "base-deletions", seeds: baseSeeds, run: runBase },
  {
    name: "json",
    seeds: texts(
      '{"a":[1,-2.5e3,true,null,"\\u00e9\\ud83d\\ude00"],"b":{}}',
      '"x"',
      "[[[[]]]]",
      "0",
      ' {"a" : 1 } ',
      '{"a":"1","\\u0061":"2","\\u0061b":"3","é":"4","\\u00e9":"5","":"6","\\"":"7","\\n":"8","a":"9"}',
    ),
    run: runJson,
    words: [
      '"\\u0073":1,',
      '"\\u00e9":"a",',
      '"é":1,',
      '"s":"b",',
      "\\u",
      "\\ud83d",
      "e+1",
      "-0",
      "null",
      "true",
      "[[",
      "]]",
      '"',
      "{",
      "}",
      ":",
      ",",
    ],
  },
  {
    name: "texts",
    seeds: texts(
      "\0vector<0x1::coin::Coin<u8>>",
      "\0&mut 0x1::a::B",
      "\0|u8|bool has copy",
      "\x010x1",
      "\x01000000000000000000000000000000000000000000000000000000000000000a",
      "\x020:00000000000000000000000000000000000000000000000000000000000000ff",
      "\x030x1::aptos_coin::AptosCoin",
      "\x030xa",
      "\x0424h",
      "\x04100",
    ),
    run: runTexts,
    words: ["0x", "::", "<", ">", "vector<", "u256", "address", "signer", " ", ",", "T1", "&", "|"],
  },
  {
    name: "time",
    seeds: texts(
      "0",
      "1700000000.000001",
      "@1700000000",
      "2026-01-31T23:59:60.5Z",
      "2024-02-29t00:00:00+05:30",
    ),
    run: (input) => {
      const text = textOf(input);
      const [down, up] = [parseTime(text), parseTime(text, true)];
      demand(up === down || up === down + 1n, "rounded by more than a microsecond");
      // Unix seconds may lie beyond every calendar.
      if (down < 253_402_300_800_000_000n)
        demand(parseTime(formatTime(down)) === down, "another time printed");
    },
    words: ["T", "Z", "-", ":", ".", "+", "@", "00", "60", "29", "9999", "0000000001"],
  },
  {
    name: "batch",
    seeds: texts(
      '\0{"queries":[{"address":"0x1","asset_type":"0x1::aptos_coin::AptosCoin"}],"totals":true}',
      '\0{"ledger_version":"5","queries":[{"asset_type":"0xa","address":"2"},{"address":"x","asset_type":""}]}',
      '\x01{"queries":[{"table_handle":"0x1","key":"0x00"}],"at":"2026-01-31T00:00:00Z"}',
    ),
    run: async (input) => {
      const { body } = (input[0] ?? 0) % 2 === 0 ? getBalances : getRawTableItems;
      const batch = (await body?.parse(input.subarray(1))) as
        | { readonly queries: readonly unknown[] }
        | undefined;
      const count = batch?.queries.length ?? 0;
      demand(count >= 1 && count <= 1000, "a batch of another size");
    },
    words: [
      '"queries"',
      '"address"',
      '"asset_type"',
      '"at"',
      '"totals"',
      "true",
      "[{",
      "}]",
      '"key"',
      "\\u0061",
    ],
  },
  {
    name: "url",
    seeds: texts("%2541%20b", "ledger_version=5&quoted=true", "a=%zz&ledger_version=1", "%e2%82%ac"),
    run: (input) => {
      const text = textOf(input);
      decodeTwice(text);
      decodeQueryText(text);
      findQuery(readQuery(text), "ledger_version");
    },
    words: ["%25", "%", "&", "=", "ledger_version", "+", "%00"],
  },
  {
    name: "encode",
    seeds: encodeSeeds,
    run: runEncode,
    words: [
      '"0x1"',
      '"type"',
      "::",
      "null",
      "[]",
      "{}",
      '"arguments"',
      '"18446744073709551616"',
      "\\u0000",
      "1e3",
      '"\\u0073":1,',
      '"é":1,',
    ],
  },
  {
    name: "explain",
    seeds: async () => [
      ...(await encodeSeeds()),
      ...messageSeeds()
        .slice(0, 40)
        .flatMap((message) => [
          { message: Buffer.from(message).toString("hex") },
          { raw_transaction: Buffer.from(message.subarray(32)).toString("hex") },
        ])
        .map((request) => new TextEncoder().encode(JSON.stringify(request))),
    ],
    run: runExplain,
    words: ['"message"', '"raw_transaction"', '"sender"', '"0x"', "null", "00", "ff", "{}"],
  },
  {
    name: "message",
    seeds: messageSeeds,
    run: (input) => runExplain({ message: Buffer.from(input).toString("hex") }),
  },
];

/** Runs one input and returns its outcome, with the text of a refusal. Throws faults. */
export async function tryInput(target: FuzzTarget, input: Uint8Array): Promise<string | undefined> {
  try {
    await target.run(input);
    return undefined;
  } catch (error) {
    if (error instanceof CodedError) return error.message;
    throw error;
  }
}

/** Frees resources shared by targets. */
export async function closeTargets(): Promise<void> {
  await (await node)?.close();
  node = undefined;
}
