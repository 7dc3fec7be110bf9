// A real listening server over a ledger, for tests.
import { afterAll } from "vitest";
import {
  createHttpServer,
  type HttpFigures,
  type HttpServerOptions,
  type HttpServices,
} from "../../src/http/server.ts";
import { parseJson } from "../../src/json/parse.ts";
import { Reader } from "../../src/node/api/reader.ts";
import { TransactionError } from "../../src/transaction/errors.ts";
import { createHttpLedger } from "./http-ledger.ts";

/** The bytes that the test encoder returns for an accepted body. */
export const SIGNING_MESSAGE: Uint8Array = new Uint8Array(200).fill(0xab);

/** Replaces the encoder: accepts objects; `{"invalid": …}` is an invalid transaction. */
async function encodeForTest(body: Uint8Array): Promise<Uint8Array> {
  const document = parseJson(body);
  if (document.kind(document.root) !== "object") {
    throw new TransactionError("request", "body: expected an object");
  }
  if (document.member(document.root, "invalid") >= 0) {
    throw new TransactionError("invalid", "payload: no such function");
  }
  return SIGNING_MESSAGE;
}

/** A running server. */
export interface TestServer {
  readonly url: string;
  readonly host: string;
  readonly port: number;
  close(): Promise<void>;
  figures(): HttpFigures;
}

/** Starts a server on a free port; it is closed when the test file ends. */
export async function startServer(
  options: Partial<HttpServices> & HttpServerOptions = {},
): Promise<TestServer> {
  const ledger = options.ledger ?? (await createHttpLedger());
  const reader = new Reader(ledger);
  const server = createHttpServer({
    ledger,
    encoder: encodeForTest,
    explainer: async (body, view) => JSON.stringify(await reader.explain(body, view)),
    machine: reader.machine,
    nodeInfo: () => ({ chain_id: "44", node_type: "PublicFullnode", latest_version: 30n }),
    port: 0,
    // A loaded machine must not make the server refuse the test's requests.
    maxWaitMs: 0,
    // Whether the program was built must not matter.
    console: false,
    ...options,
  });
  const { host, port } = await server.listen();
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= server.close();
    return closed;
  };
  afterAll(close);
  return { url: `http://${host}:${port}`, host, port, close, figures: () => server.figures() };
}
