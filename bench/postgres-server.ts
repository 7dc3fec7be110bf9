// What an indexer's user has today: a bare node:http server that asks PostgreSQL for the balance by primary key,
// through the pg driver with a prepared statement, and answers with the same headers as the program. Talks to the
// benchmark over IPC.
import { createServer } from "node:http";
import pg from "pg";
import type { BareCommand, BareReport } from "./bare-server.ts";

const POOL_SIZE = 16;
const ACCOUNT_AT = "/v1/accounts/0x".length;
const ACCOUNT_DIGITS = 64;

const [socketFolder = ""] = process.argv.slice(2);
const pool = new pg.Pool({ host: socketFolder, user: "bench", database: "postgres", max: POOL_SIZE });
let headers: string[] = [];

const server = createServer(async (request, response) => {
  try {
    const account = (request.url ?? "").slice(ACCOUNT_AT, ACCOUNT_AT + ACCOUNT_DIGITS);
    const { rows } = await pool.query<{ balance: string }>({
      name: "balance",
      text: "SELECT balance FROM balances WHERE account = $1",
      values: [Buffer.from(account, "hex")],
    });
    response.writeHead(200, headers);
    response.end(rows[0]?.balance ?? "0");
  } catch (error) {
    response.writeHead(500).end(String(error));
  }
});

process.on("message", (command: BareCommand) => {
  if (command === "cpu") {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system } satisfies BareReport);
    return;
  }
  // Lengths differ from answer to answer: node sets them.
  const pairs = Array.from({ length: command.answer.headers.length / 2 }, (_, i) => i);
  headers = pairs.flatMap((i) => {
    const [name = "", value = ""] = command.answer.headers.slice(2 * i, 2 * i + 2);
    return name === "content-length" ? [] : [name, value];
  });
  process.send?.({} satisfies BareReport);
});

server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("listening on no port");
  process.send?.({ port: address.port } satisfies BareReport);
});
