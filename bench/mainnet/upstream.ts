// An upstream in its own process that replays a recording as a full node of a public network would serve it: at most 100
// transactions a page, and as many versions as have happened, at a given number a second or all at once.
//   argv: the folder of the recording. Messages: { opened } records at once, or { rate } versions a second from now on.
import { openSync, readFileSync, readSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { BcsWriter } from "../../src/bcs/writer.ts";
import { START } from "./chain.ts";
import { partsOf, type RecordedHead, readHeads } from "./recording.ts";
import { CHAIN_ID } from "./state.ts";

/** What the process is told: how much of the recording there is, at once or at a rate from then on. */
export interface ReplayCommand {
  readonly opened?: number;
  readonly rate?: number;
}

const PAGE = 100;
const [folder = ""] = process.argv.slice(2);
const { heads } = await readHeads(folder);
const parts = partsOf(folder);
const offsets = new Float64Array(new Uint8Array(readFileSync(parts.offsets)).buffer);
const records = openSync(parts.records, "r");
let opened = heads[0]?.records ?? 0;
let rate = 0;
let sinceMs = 0;
let at = 0;

/** The last block that has happened. */
function head(): RecordedHead {
  const happened = opened + (rate * (performance.now() - sinceMs)) / 1000;
  while ((heads[at + 1]?.records ?? Number.POSITIVE_INFINITY) <= happened) at++;
  const last = heads[at];
  if (last === undefined) throw new Error("the recording has no blocks");
  return last;
}

function pageOf(start: number, count: number): Buffer {
  const [from = 0, to = 0] = [offsets[start], offsets[start + count]];
  const page = Buffer.allocUnsafe(to - from);
  readSync(records, page, 0, page.length, from);
  return Buffer.concat([new BcsWriter(8).uleb(count).take(), page]);
}

const server = createServer((request, response) => {
  const { records: count, height, epoch, timestampUsec } = head();
  const headers = {
    "X-Aptos-Chain-Id": `${CHAIN_ID}`,
    "X-Aptos-Ledger-Version": `${START.version + BigInt(count) - 1n}`,
    "X-Aptos-Ledger-Oldest-Version": `${START.version}`,
    "X-Aptos-Ledger-TimestampUsec": timestampUsec,
    "X-Aptos-Epoch": epoch,
    "X-Aptos-Block-Height": height,
    "X-Aptos-Oldest-Block-Height": `${START.height + 1n}`,
  };
  const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
  if (pathname !== "/v1/transactions") {
    response.writeHead(pathname === "/v1" || pathname === "/v1/" ? 200 : 404, {
      ...headers,
      "content-type": "application/json",
    });
    response.end("{}");
    return;
  }
  const start = Number(BigInt(searchParams.get("start") ?? START.version) - START.version);
  if (start >= count || start < 0) {
    response.writeHead(start < 0 ? 410 : 400, { ...headers, "content-type": "application/json" });
    response.end("{}");
    return;
  }
  const page = pageOf(start, Math.min(Number(searchParams.get("limit") ?? PAGE), PAGE, count - start));
  response.writeHead(200, { ...headers, "content-type": "application/x-bcs", "content-length": page.length });
  response.end(page);
});

process.on("message", (command: ReplayCommand) => {
  opened = command.opened ?? head().records;
  rate = command.rate ?? 0;
  sinceMs = performance.now();
  process.send?.({ opened: head().records });
});
process.on("disconnect", () => process.exit(0));
server.listen(0, "127.0.0.1", () => process.send?.({ port: (server.address() as AddressInfo).port }));
