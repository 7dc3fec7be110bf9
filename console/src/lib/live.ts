// What the node says of itself, kept fresh: blocks are pushed, the rest is asked for every few seconds. A hidden page
// holds no stream and asks for nothing.
import { type Answer, ask, NodeGone, onReach, path, urlOf } from "./api.ts";
import { fullAddress } from "./format.ts";
import { createStore } from "./store.ts";

/** The info response: names and values, of which these are used here. */
export interface Info {
  readonly software?: string;
  readonly sextant_version?: string;
  readonly node_type?: string;
  readonly chain_id?: string;
  readonly chain_id_number?: number;
  readonly ledger_version?: string;
  readonly oldest_ledger_version?: string;
  readonly block_height?: string;
  readonly oldest_block_height?: string;
  readonly epoch?: string;
  readonly ledger_timestamp?: string;
  readonly sync_mode?: string;
  readonly sync_state?: string;
  readonly sync_fault?: string;
  readonly sync_reason?: string;
  readonly upstream_version?: string;
  readonly versions_behind?: string;
  readonly upstreams?: readonly {
    readonly url: string;
    readonly state: string;
    readonly version?: string;
    readonly last_fault?: string;
  }[];
  readonly trust_level?: string;
  readonly weakest_trust_level?: string;
  readonly trust_ranges?: readonly {
    readonly first_version: string;
    readonly last_version: string;
    readonly level: string;
  }[];
  readonly refuted_from?: string;
  readonly refutation?: string;
  readonly genesis_waypoint?: string;
  readonly waypoint?: string;
  /** Addresses by name. */
  readonly demo_accounts?: Readonly<Record<string, string>>;
  /** Private keys by name: everybody knows them. */
  readonly demo_keys?: Readonly<Record<string, string>>;
  readonly demo_assets?: Readonly<Record<string, string>>;
  readonly demo_tables?: Readonly<Record<string, string>>;
  readonly index?: string;
  readonly storage_engine?: string;
  readonly prune_window?: string;
  readonly uptime_seconds?: number;
  readonly runtime?: string;
}

/** A block as its event tells it; blocks before the first event have no epoch. */
export interface Block {
  readonly height: string;
  readonly first_version: string;
  readonly last_version: string;
  readonly timestamp_usec: string;
  readonly epoch?: string;
}

export interface Live {
  readonly state: "connecting" | "there" | "gone";
  /** Since when the node is gone, in milliseconds. */
  readonly goneSince: number | undefined;
  /** How often it came back. */
  readonly returns: number;
  readonly info: Info | undefined;
  /** Newest first. */
  readonly blocks: readonly Block[];
  /** True while blocks are pushed. */
  readonly isPushed: boolean;
}

const POLL_MS = 5000;
/** Without a stream. */
const POLL_ALONE_MS = 2000;
const RETRY_MS = 1500;
const ASK_TIMEOUT_MS = 6000;
const KEPT_BLOCKS = 60;
/** Blocks that a page shows at once, before others arrive. */
const FIRST_BLOCKS = 10;

export const live = createStore<Live>({
  state: "connecting",
  goneSince: undefined,
  returns: 0,
  info: undefined,
  blocks: [],
  isPushed: false,
});

function update(change: Partial<Live>): void {
  live.set({ ...live.get(), ...change });
}

onReach((isThere) => {
  const { state, returns } = live.get();
  if (isThere && state !== "there") {
    update({ state: "there", goneSince: undefined, returns: returns + (state === "gone" ? 1 : 0) });
  }
  if (!isThere && state !== "gone") {
    update({ state: "gone", goneSince: Date.now(), isPushed: false });
    schedule(RETRY_MS);
  }
});

let timer: ReturnType<typeof setTimeout> | undefined;
let events: EventSource | undefined;

function schedule(ms: number): void {
  clearTimeout(timer);
  timer = setTimeout(refresh, ms);
}

type DemoAccounts = Readonly<Record<string, { readonly address: string; readonly private_key?: string }>>;

/** The response, with addresses and keys of demo accounts apart. */
function toInfo(data: Readonly<Record<string, unknown>>): Info {
  const { demo_accounts: accounts, ...rest } = data;
  if (accounts === undefined) return rest as Info;
  const entries = Object.entries(accounts as DemoAccounts);
  return {
    ...(rest as Info),
    demo_accounts: Object.fromEntries(entries.map(([name, { address }]) => [name, address])),
    demo_keys: Object.fromEntries(
      entries.flatMap(([name, { private_key: key }]) => (key === undefined ? [] : [[name, key]])),
    ),
  };
}

async function refresh(): Promise<void> {
  clearTimeout(timer);
  if (document.hidden) return;
  try {
    const { data } = await ask<Answer<"info">>("info", { timeoutMs: ASK_TIMEOUT_MS });
    update({ info: toInfo(data) });
    if (events === undefined) openStream();
    schedule(live.get().isPushed ? POLL_MS : POLL_ALONE_MS);
  } catch (error) {
    schedule(error instanceof NodeGone ? RETRY_MS : POLL_ALONE_MS);
  }
}

function addBlock(block: Block): void {
  const { blocks } = live.get();
  if (blocks.length === 0) loadBlocksBefore(block);
  // A chain that began again, or a stream that repeats itself after a reconnect.
  const older = blocks.filter(({ height }) => BigInt(height) < BigInt(block.height));
  update({ isPushed: true, blocks: [block, ...older].slice(0, KEPT_BLOCKS) });
}

/** A block by its height. Throws what the node answers where it does not keep it. */
export async function loadBlock(height: bigint, signal?: AbortSignal): Promise<Block> {
  const relative = path("blocks", "by_height", `${height}`);
  const { data } = await ask<Answer<"get_block_by_height">>(relative, { signal });
  const { first_version, last_version, block_timestamp: timestamp_usec } = data;
  return { height: `${height}`, first_version, last_version, timestamp_usec };
}

async function loadBlocksBefore(first: Block): Promise<void> {
  const heights = Array.from({ length: FIRST_BLOCKS - 1 }, (_, i) => BigInt(first.height) - BigInt(i + 1));
  const found = await Promise.allSettled(
    heights.filter((height) => height >= 0n).map((height) => loadBlock(height)),
  );
  const older = found.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const { blocks } = live.get();
  // A chain that began again meanwhile has other blocks at these heights.
  if (blocks.at(-1)?.height === first.height) update({ blocks: [...blocks, ...older] });
}

function openStream(): void {
  const source = new EventSource(urlOf("blocks/stream"));
  events = source;
  source.addEventListener("block", (event) => addBlock(JSON.parse(event.data) as Block));
  source.addEventListener("error", () => {
    update({ isPushed: false });
    // The browser connects again by itself, unless the node refused.
    if (source.readyState === EventSource.CLOSED && events === source) events = undefined;
    schedule(RETRY_MS);
  });
}

function pause(): void {
  clearTimeout(timer);
  events?.close();
  events = undefined;
}

/** Begins to ask, and goes on while the page is visible. */
export function startLive(): void {
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) pause();
    else refresh();
  });
  refresh();
}

/** Where the ledger stands by the latest word of either source. */
export interface Head {
  readonly version: string | undefined;
  readonly height: string | undefined;
  readonly timestampUsec: string | undefined;
  readonly epoch: string | undefined;
}

export function headOf({ info, blocks }: Live): Head {
  const block = blocks[0];
  if (block !== undefined && BigInt(block.last_version) >= BigInt(info?.ledger_version ?? 0)) {
    return {
      version: block.last_version,
      height: block.height,
      timestampUsec: block.timestamp_usec,
      epoch: block.epoch,
    };
  }
  return {
    version: info?.ledger_version,
    height: info?.block_height,
    timestampUsec: info?.ledger_timestamp,
    epoch: info?.epoch,
  };
}

/** The text may be a demo name, and the node has not told them yet: a name may also be a hex number. */
export function isUndecided(info: Info | undefined, text: string): boolean {
  return info === undefined && !/^0x/i.test(text.trim());
}

/** The name that the local chain gives an address. */
export function demoName(info: Info | undefined, address: string): string | undefined {
  // The ledger prints addresses without the zeros in front.
  const full = fullAddress(address);
  return Object.entries(info?.demo_accounts ?? {}).find(([, known]) => known === full)?.[0];
}
