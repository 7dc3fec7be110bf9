// One server of the `lanes` benchmark, in its own process: the program's server with or without its direct
// lane, or Fastify with the same operations. All read the same store, count requests alike and send the same
// headers. Arguments: the kind and the data directory.

import fastify, { type FastifyInstance } from "fastify";
import { Slices } from "../src/base/wait.ts";
import { createMachineSource } from "../src/chain/machine-source.ts";
import type { Operation } from "../src/http/operation.ts";
import { OPERATIONS } from "../src/http/operation-list.ts";
import { HeaderMaker } from "../src/http/response/headers.ts";
import { negotiateForm } from "../src/http/response/negotiation.ts";
import { createHttpServer } from "../src/http/server.ts";
import type { RequestEncoder } from "../src/http/services.ts";
import type { HeaderSet } from "../src/http/transport/exchange.ts";
import type { Ledger } from "../src/ledger/view.ts";
import { Reader } from "../src/node/api/reader.ts";
import { createMetrics } from "../src/node/metrics/metrics.ts";
import { openLmdbStore } from "../src/store/lmdb/store.ts";
import type { BareReport } from "./bare-server.ts";
import type { Lane } from "./lanes.ts";

/** The parts that both stacks share. */
interface Parts {
  readonly ledger: Ledger;
  readonly encode: RequestEncoder;
  readonly onRequest: (operation: string, status: number, seconds: number) => void;
}

async function startOwnServer({ ledger, encode, onRequest }: Parts, isDirect: boolean): Promise<number> {
  const nodeInfo = (): Readonly<Record<string, unknown>> => ({});
  // No admission control: Fastify has none either.
  const explain = (): Promise<never> => Promise.reject(new Error("not measured"));
  const server = createHttpServer({
    ...{
      ledger,
      encoder: encode,
      explainer: explain,
      nodeInfo,
      onRequest,
      isDirect,
      machine: createMachineSource(),
    },
    maxWaitMs: 0,
    port: 0,
  });
  return (await server.listen()).port;
}

async function startFastify(parts: Parts): Promise<number> {
  const app = fastify({ routerOptions: { maxParamLength: 1024 } });
  app.removeContentTypeParser("application/json");
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
  for (const operation of OPERATIONS) {
    if (operation.ledger === "required") addRoute(app, operation, parts);
  }
  return Number(new URL(await app.listen({ port: 0, host: "127.0.0.1" })).port);
}

function addRoute(app: FastifyInstance, operation: Operation, { ledger, encode, onRequest }: Parts): void {
  const maker = new HeaderMaker(["NODE"]);
  const headersOf = headerObjects();
  const names = Object.keys(operation.params);
  // Handlers of ledger operations use no other service.
  const services = { encoder: encode } as Parameters<Operation["handle"]>[1]["services"];
  app.route<{ Params: Record<string, string>; Body: Buffer }>({
    method: operation.method,
    url: operation.path.replaceAll("{", ":").replaceAll("}", ""),
    handler: async (request, reply) => {
      const startedMs = performance.now();
      const mark = request.url.indexOf("?");
      const args = operation.parseArgs(
        names.map((name) => request.params[name] ?? ""),
        mark < 0 ? "" : request.url.slice(mark + 1),
      );
      const form = negotiateForm(request.headers.accept, operation.forms);
      if (operation.body !== undefined) args.body = operation.body.parse(request.body);
      const opened = ledger.openView();
      const view = opened instanceof Promise ? await opened : opened;
      try {
        const slices = new Slices();
        const context = {
          view,
          newerView: async () => view,
          services,
          ledger,
          form,
          isGone: () => false,
          lastEventId: undefined,
          streamHead: () => 0n,
          client: "",
          slices,
        };
        const handled = operation.handle(args, context);
        const answer = handled instanceof Promise ? await handled : handled;
        if (!("data" in answer)) throw new Error(`${operation.id} is streamed`);
        const { data, version } = answer;
        const prepared = maker.prepare(view.position);
        const headers = version === view.position.version ? prepared.latest : prepared.other;
        reply.headers(headersOf(headers[form])).send(operation.encode(data, form, slices));
        onRequest(operation.id, 200, (performance.now() - startedMs) / 1000);
        return reply;
      } finally {
        view.release();
      }
    },
  });
}

/** Headers as objects for Fastify, cached per position as in the program's own server. */
function headerObjects(): (set: HeaderSet) => Record<string, string> {
  const known = new WeakMap<HeaderSet, Record<string, string>>();
  return (set) => {
    let found = known.get(set);
    if (found === undefined) {
      const { list } = set;
      found = {};
      for (let i = 0; i < list.length; i += 2) found[list[i] ?? ""] = list[i + 1] ?? "";
      known.set(set, found);
    }
    return found;
  };
}

async function serve(lane: Lane, data: string): Promise<void> {
  const ledger = await openLmdbStore({ path: data, readOnly: true });
  const reader = new Reader(ledger);
  const parts: Parts = {
    ledger,
    encode: (body, view) => reader.encode(body, view),
    onRequest: createMetrics([]).onRequest,
  };
  const port =
    lane === "fastify" ? await startFastify(parts) : await startOwnServer(parts, lane === "direct");
  // Without a benchmark nobody stops it.
  process.once("disconnect", () => process.exit());
  process.on("message", () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuMicros: user + system } satisfies BareReport);
  });
  process.send?.({ port } satisfies BareReport);
}

const [lane = "", data = ""] = process.argv.slice(2);
await serve(lane as Lane, data);
