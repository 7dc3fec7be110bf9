// The documents are the same for the life of a server, so they are serialized and compressed once, however often they
// are asked for. The tests count the work.
import { createHook } from "node:async_hooks";
import { get, type IncomingMessage } from "node:http";
import { describe, expect, it, vi } from "vitest";
import { OPERATIONS } from "../../src/http/operation-list.ts";
import { startServer } from "../support/http-server.ts";

const DOCUMENTS = ["/v1/spec.json", "/v1/spec.yaml", "/v1/spec", "/"];
const ROUNDS = 8;

describe.each([
  ["direct lane", true],
  ["node:http", false],
])("a document asked for again and again (%s)", (_, isDirect) => {
  it.each(DOCUMENTS)("%s is serialized once", async (path) => {
    const operation = OPERATIONS.find((one) => one.path === path);
    if (operation === undefined) throw new Error(`nothing is served at ${path}`);
    const encode = vi.spyOn(operation, "encode");
    const server = await startServer({ isDirect });
    const bodies = new Set<string>();
    for (let i = 0; i < ROUNDS; i++) {
      const coding = ["gzip", "br", "identity"][i % 3] ?? "";
      const answer = await fetch(server.url + path, { headers: { "accept-encoding": coding } });
      expect(answer.status).toBe(200);
      bodies.add(await answer.text());
    }
    expect(bodies.size).toBe(1);
    expect(encode.mock.calls.length).toBe(1);
    encode.mockRestore();
  });

  it("is compressed once for each coding, also when many ask at once", async () => {
    let compressions = 0;
    // Node makes one such resource for each body that it compresses.
    const hook = createHook({
      init: (_id, type) => {
        if (type === "ZLIB") compressions++;
      },
    }).enable();
    try {
      const server = await startServer({ isDirect, answerBudgetBytes: 200_000 });
      const lengths = new Set<string | undefined>();
      for (const coding of ["gzip", "br"]) {
        const ask = async (): Promise<void> => {
          // Unlike fetch it does not inflate what comes.
          const answer = await new Promise<IncomingMessage>((resolve, reject) => {
            const headers = { "accept-encoding": coding };
            get(`${server.url}/v1/spec.json`, { headers }, resolve).on("error", reject);
          });
          expect([answer.statusCode, answer.headers["content-encoding"]]).toEqual([200, coding]);
          lengths.add(answer.headers["content-length"]);
          await answer.resume().toArray();
        };
        await Promise.all(Array.from({ length: ROUNDS }, ask));
        await ask();
      }
      expect(lengths.size).toBe(2);
      expect(compressions).toBe(2);
    } finally {
      hook.disable();
    }
  });
});
