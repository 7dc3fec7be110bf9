// Routes that followers and older clients ask for: events of handles, summaries of sent transactions, places in blocks.
// Each is held against the transactions of the whole ledger.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../src/node.ts";
import { until } from "../support/until.ts";

interface Event {
  readonly guid: { readonly creation_number: string; readonly account_address: string };
  readonly sequence_number: string;
  readonly version: string;
}
interface Transaction {
  readonly version: string;
  readonly hash: string;
  readonly sender?: string;
  readonly sequence_number?: string;
  readonly replay_protection_nonce?: string | null;
  readonly events?: readonly Event[];
}

const BLOCKS = "0x1::block::BlockResource/new_block_events";
const ARCHIVE = "https://archive.example/v1";

let node: Node;
let all: readonly Transaction[];
beforeAll(async () => {
  node = await createNode({ localChain: { seed: "old routes" }, http: { port: 0, maxWaitMs: 0 } });
  for (let i = 0; i < 40; i++) await node.produceBlock();
  all = await everything(node);
});
afterAll(() => node.close());

async function everything(of: Node): Promise<readonly Transaction[]> {
  const head = BigInt((await of.ledgerInfo()).ledger_version);
  const found: Transaction[] = [];
  for await (const { items } of of.transactions({ from: 0n, to: head }))
    for (const { data } of items) found.push(data as unknown as Transaction);
  return found;
}

async function ask(path: string, of = node): Promise<[status: number, body: unknown]> {
  const response = await fetch(`${of.url}/${path}`);
  return [response.status, await response.json()];
}
async function askBcs(path: string): Promise<string> {
  const response = await fetch(`${node.url}/${path}`, { headers: { accept: "application/x-bcs" } });
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer()).toString("hex");
}

const eventsOf = (account: string, number: string): readonly Event[] =>
  all.flatMap(({ version, events = [] }) =>
    events
      .filter(({ guid }) => guid.account_address === account && guid.creation_number === number)
      .map((event) => ({ ...event, version })),
  );

describe("events of an account", () => {
  it("are those of the transactions, by handle and by number, from the start, a middle and the end", async () => {
    const blocks = eventsOf("0x1", "3");
    const epochs = eventsOf("0x1", "2");
    expect([blocks.length, epochs.length]).toEqual([41, 2]);
    for (const path of [BLOCKS, "3"]) {
      expect(await ask(`accounts/0x1/events/${path}?start=0&limit=7`)).toEqual([200, blocks.slice(0, 7)]);
      expect(await ask(`accounts/0x1/events/${path}?start=13&limit=9`)).toEqual([200, blocks.slice(13, 22)]);
      expect(await ask(`accounts/0x1/events/${path}`)).toEqual([200, blocks.slice(-25)]);
      expect(await ask(`accounts/0x1/events/${path}?start=40`)).toEqual([200, blocks.slice(40)]);
      expect(await ask(`accounts/0x1/events/${path}?start=41`)).toEqual([200, []]);
    }
    expect(await ask("accounts/0x1/events/2")).toEqual([200, epochs]);
    expect(await ask("accounts/0x1/events/0x1::reconfiguration::Configuration/events")).toEqual([
      200,
      epochs,
    ]);
    expect(await ask("accounts/0x1/events/4")).toEqual([200, []]);
  });

  it("are in BCS each after its version", async () => {
    const [first, second] = eventsOf("0x1", "2");
    const bcs = await askBcs("accounts/0x1/events/2");
    const head = ({ version, sequence_number }: Event): string => {
      const bytes = Buffer.alloc(8 + 1 + 8 + 32 + 8);
      bytes.writeBigUInt64LE(BigInt(version), 0);
      bytes.writeBigUInt64LE(2n, 9);
      bytes.writeUInt8(1, 48);
      bytes.writeBigUInt64LE(BigInt(sequence_number), 49);
      return bytes.toString("hex");
    };
    if (first === undefined || second === undefined) throw new Error("no events");
    expect(bcs.startsWith(`02${head(first)}`)).toBe(true);
    expect(bcs).toContain(head(second));
  });

  it("are 404 by resource, field or number that is not there, and 400 for a page of none", async () => {
    const cases: [string, number, string][] = [
      ["accounts/0x1/events/99", 404, "resource_not_found"],
      ["accounts/0x1/events/0x1::block::Nothing/events", 404, "resource_not_found"],
      ["accounts/0x1/events/0x1::block::BlockResource/nothing", 404, "struct_field_not_found"],
      ["accounts/0x1/events/0x1::block::BlockResource/height", 404, "struct_field_not_found"],
      [`accounts/0x1/events/${BLOCKS}?limit=0`, 400, "invalid_input"],
      ["accounts/0x1/events/x", 400, "web_framework_error"],
    ];
    for (const [path, status, error_code] of cases)
      expect(await ask(path)).toMatchObject([status, { error_code }]);
  });

  it("of pruned versions are 410 with the archive, and the last ones are those that are kept", async () => {
    const pruned = await createNode({
      localChain: { seed: "old routes" },
      pruneWindow: "20",
      http: { port: 0, maxWaitMs: 0, archiveUrl: ARCHIVE },
    });
    for (let i = 0; i < 40; i++) await pruned.produceBlock();
    await until(async () => (await pruned.ledgerInfo()).oldest_ledger_version > 0n);
    const [status, body] = await ask(`accounts/0x1/events/${BLOCKS}?start=0`, pruned);
    expect([status, body]).toMatchObject([410, { error_code: "version_pruned", archival_endpoint: ARCHIVE }]);
    const [, kept] = (await ask(`accounts/0x1/events/${BLOCKS}?limit=100`, pruned)) as [number, Event[]];
    expect(kept.at(-1)?.sequence_number).toBe("40");
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.map(({ sequence_number }) => sequence_number)).toEqual(
      kept.map((_, i) => `${41 - kept.length + i}`),
    );
    await pruned.close();
  });
});

describe("summaries of sent transactions", () => {
  const summariesOf = (sender: string): readonly object[] =>
    all
      .filter((one) => one.sender === sender)
      .map(({ version, hash, sequence_number, replay_protection_nonce: nonce }) => ({
        sender,
        version,
        transaction_hash: hash,
        replay_protector:
          typeof nonce === "string"
            ? { type: "nonce", value: nonce }
            : { type: "sequence_number", value: sequence_number },
      }));

  it("are those of the transactions, for every sender and many ranges", async () => {
    const senders = new Set(all.flatMap(({ sender }) => sender ?? []));
    const head = Number(all.at(-1)?.version);
    let both = 0;
    for (const sender of senders) {
      const expected = summariesOf(sender) as { version: string; replay_protector: { type: string } }[];
      if (new Set(expected.map(({ replay_protector }) => replay_protector.type)).size > 1) both++;
      const path = `accounts/${sender}/transaction_summaries`;
      expect(await ask(`${path}?limit=100`)).toEqual([200, expected.slice(-100)]);
      for (const [from, to, limit] of [
        [5, undefined, 3],
        [undefined, head / 2, 4],
        [10, head - 9, 5],
      ] as const) {
        const inside = expected.filter(
          ({ version }) => Number(version) >= (from ?? 0) && Number(version) <= (to ?? head),
        );
        const query = new URLSearchParams({ limit: `${limit}` });
        if (from !== undefined) query.set("start_version", `${from}`);
        if (to !== undefined) query.set("end_version", `${Math.floor(to)}`);
        const page = from === undefined ? inside.slice(-limit) : inside.slice(0, limit);
        expect(await ask(`${path}?${query}`)).toEqual([200, page]);
      }
    }
    expect(both).toBeGreaterThan(0);
    expect(await ask(`accounts/0x${"ab".repeat(32)}/transaction_summaries`)).toEqual([200, []]);
  });

  it("are in BCS as other clients read them", async () => {
    const sender = all.find(({ replay_protection_nonce: nonce }) => nonce === null)?.sender ?? "";
    const [first] = summariesOf(sender) as { version: string; transaction_hash: string }[];
    const bcs = await askBcs(`accounts/${sender}/transaction_summaries?start_version=0&limit=1`);
    const bytes = Buffer.from(bcs, "hex");
    expect([bytes[0], bytes[1], bytes[42]]).toEqual([1, 0, 32]);
    expect(bcs.slice(4, 68)).toBe(sender.slice(2).padStart(64, "0"));
    expect(`${bytes.readBigUInt64LE(34)}`).toBe(first?.version);
    expect(`0x${bcs.slice(86, 150)}`).toBe(first?.transaction_hash);
    expect(bytes.length).toBe(1 + 1 + 32 + 8 + 33 + 1 + 8);
  });
});

describe("auxiliary info", () => {
  it("is the place in the block where the info commits to one", async () => {
    const [status, infos] = (await ask("transactions/auxiliary_info?start_version=0&limit=20")) as [
      number,
      { transaction_index?: number }[],
    ];
    expect([status, infos.length]).toEqual([200, 20]);
    const blockOf = async (version: number): Promise<{ first_version: string }> =>
      (await ask(`blocks/by_version/${version}`))[1] as { first_version: string };
    let committed = 0;
    for (const [version, { transaction_index: index }] of infos.entries()) {
      if (index === undefined) continue;
      committed++;
      expect(index).toBe(version - Number((await blockOf(version)).first_version));
    }
    expect(committed).toBeGreaterThan(0);
    const bcs = await askBcs("transactions/auxiliary_info?start_version=0&limit=2");
    const [zero = {}, one = {}] = infos;
    const entry = ({ transaction_index: index }: { transaction_index?: number }): string =>
      index === undefined ? "00" : `01${Buffer.from(Uint32Array.of(index).buffer).toString("hex")}`;
    expect(bcs).toBe(`02${entry(zero)}${entry(one)}`);
    expect(await ask("transactions/auxiliary_info?start_version=99999")).toMatchObject([400, {}]);
    const last = await ask("transactions/auxiliary_info?limit=1");
    expect(last).toMatchObject([200, [{ transaction_index: expect.any(Number) }]]);
  });
});
