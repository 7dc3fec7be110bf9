import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import { silentLogger } from "../../base/log.ts";
import { DEAD_LETTERS, loadCursor, Relay, signatureOf } from "./relay.ts";

const SECRET = Buffer.from("0123456789abcdef");

function eventAt(version: number, index: number) {
  const data = JSON.stringify({ version: `${version}`, index, type: "0x1::a::B" });
  return { name: "event", id: `${version}.${index}-00112233445566ff`, data };
}

/** A relay whose receiver answers with these statuses, or not at all, and then takes everything. */
function relayTo(statuses: (number | undefined)[], attempts = 30, interrupt = async () => {}) {
  const state = temporaryFolder();
  const requests: { headers: Readonly<Record<string, string>>; body: string }[] = [];
  const pauses: number[] = [];
  let nowMs = 1_700_000_000_500;
  vi.spyOn(Date, "now").mockImplementation(() => nowMs);
  vi.spyOn(Math, "random").mockReturnValue(1);
  const relay = new Relay({
    state,
    from: undefined,
    filter: "",
    secret: SECRET,
    attempts,
    post: async (headers, body) => {
      requests.push({ headers, body });
      const status = statuses.length === 0 ? 200 : statuses.shift();
      if (status === undefined) throw new Error("connection refused");
      return status;
    },
    pause: async (ms) => {
      pauses.push(ms);
      nowMs += ms;
      await interrupt();
    },
    logger: silentLogger,
  });
  return { relay, state, requests, pauses };
}

afterEach(() => vi.restoreAllMocks());

describe("a relay", () => {
  it("signs each request with its time, and names the event by its version and index", async () => {
    const { relay, requests } = relayTo([]);
    await relay.take(eventAt(7, 2));
    const [request] = requests;
    expect(request?.headers).toMatchObject({
      "idempotency-key": "7:2",
      "sextant-timestamp": "1700000000",
      "sextant-signature": `v1=${signatureOf(SECRET, "1700000000", request?.body ?? "")}`,
    });
    expect(JSON.parse(request?.body ?? "")).toMatchObject({
      event: "event",
      data: { version: "7", index: 2 },
    });
  });

  it("sends an event again, with longer and longer pauses and a new signature, until the receiver takes it", async () => {
    const { relay, state, requests, pauses } = relayTo([500, undefined, 404, 302]);
    const sent = relay.take(eventAt(7, 2));
    expect(await loadCursor(state)).toBeUndefined();
    await sent;
    expect(pauses).toEqual([250, 500, 1000, 2000]);
    expect(requests.map(({ headers }) => headers["idempotency-key"])).toEqual(Array(5).fill("7:2"));
    expect(new Set(requests.map(({ body }) => body)).size).toBe(1);
    expect(new Set(requests.map(({ headers }) => headers["sextant-signature"])).size).toBe(4);
    expect(await loadCursor(state)).toEqual({ filter: "", id: eventAt(7, 2).id });
  });

  it("that is ended during the last attempt leaves the event to the next run", async () => {
    const { relay, state } = relayTo([undefined], 1, () => Promise.reject(new Error("stopped")));
    await expect(relay.take(eventAt(7, 2))).rejects.toThrow("stopped");
    expect(existsSync(join(state, DEAD_LETTERS))).toBe(false);
    expect(await loadCursor(state)).toBeUndefined();
  });

  it("puts what is never taken into the dead letters, and goes on", async () => {
    const { relay, state } = relayTo([500, 500, 200], 2);
    await relay.take(eventAt(7, 2));
    await relay.take(eventAt(8, 0));
    const letters = readFileSync(join(state, DEAD_LETTERS), "utf8").trim().split("\n");
    expect(letters.map((line) => JSON.parse(line) as object)).toMatchObject([
      { key: "7:2", fault: "the receiver answered 500", body: { data: { version: "7" } } },
    ]);
    expect(await loadCursor(state)).toEqual({ filter: "", id: eventAt(8, 0).id });
  });

  it("tells the receiver of a gap before it goes on behind it", async () => {
    const { relay, state, requests } = relayTo([]);
    await relay.take({ name: "gap", id: undefined, data: JSON.stringify({ message: "it went back" }) });
    expect([requests.length, await loadCursor(state)]).toEqual([0, undefined]);
    await relay.take({ name: "start", id: "40-00112233445566ff", data: JSON.stringify({ version: "40" }) });
    expect(requests.map(({ body }) => JSON.parse(body) as object)).toMatchObject([
      { event: "gap", data: { message: "it went back", resumes_after: "40" } },
    ]);
    expect(await loadCursor(state)).toEqual({ filter: "", id: "40-00112233445566ff" });
  });

  it("goes on behind a heartbeat, and behind where its stream began", async () => {
    const { relay, state, requests } = relayTo([]);
    for (const [name, data] of [["start", '{"version":"9"}'] as const, ["message", undefined] as const]) {
      const id = `${name === "start" ? 9 : 12}-00112233445566ff`;
      await relay.take({ name, id, data });
      expect(await loadCursor(state)).toEqual({ filter: "", id });
    }
    expect(requests).toEqual([]);
  });
});
