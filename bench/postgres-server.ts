// The typical indexer: a bare node:http server that reads the balance from PostgreSQL by primary key, with the pg
// driver and a prepared statement, and sends the same headers as the program. The benchmark controls it over IPC.
import { createServer } from "node:http";
import pg from "pg";
import type { BareCommand, BareReport } from "./bare-server.ts";

const POOL_SIZE = 16;
const ACCOUNT_AT = "/v1/accounts/0x".length;
const ACCOUNT_DIGITS = 64;

const [place = "", table = ""] = process.argv.slice(2);
const ownServer = { host: place, user: "bench", database: "postgres" };
const pool = new pg.Pool({
  ...(place.includes("://") ? { connectionString: place } : ownServer),
  max: POOL_SIZE,
});
let headers: string[] = [];

const server = createServer(async (request, response) => {
  try {
    const account = (request.url ?? "").slice(ACCOUNT_AT, ACCOUNT_AT + ACCOUNT_DIGITS);
    const { rows } = await pool.query<{ balance: string }>({
      name: "balance",
      text: `SELECT balance FROM ${table} WHERE account = $1`,
      values: [Buffer.from(account, "hex")],
    });
    const body = rows[0]?.balance ?? "0";
    response.writeHead(200, [...headers, "content-length", `${body.length}`]);
    response.end(body);
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});

// Without a benchmark nobody stops it.
process.once("disconnect", () => process.exit());
process.on("message", (command: BareCommand) => {
  if (command === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system } satisfies BareReport);
    return;
  }
  // Lengths differ between responses.
  const pairs = Array.from({ length: command.response.headers.length / 2 }, (_, i) => i);
  headers = pairs.flatMap((i) => {
    const [name = "", value = ""] = command.response.headers.slice(2 * i, 2 * i + 2);
    return name === "content-length" ? [] : [name, value];
  });
  process.send?.({} satisfies BareReport);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  process.send?.({ port: address.port } satisfies BareReport);
});
