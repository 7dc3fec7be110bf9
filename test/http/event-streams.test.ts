// What a stream writes while the text of an event is still being made.
import { EventEmitter } from "node:events";
import { expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { watchedRecords } from "../../src/http/operations/shared/record-stream.ts";
import { TRANSACTION_FEED } from "../../src/http/operations/stream-records.ts";
import { EventStreams } from "../../src/http/response/event-streams.ts";
import { wireOf } from "../../src/http/schemas/event-stream.ts";
import { StateTypes } from "../../src/ledger/items/state-types.ts";
import { HeadWatch } from "../../src/ledger/watch/head-watch.ts";
import { ModuleCache } from "../../src/move/module-cache.ts";
import { SmallLedger } from "../support/small-ledger.ts";
import { until } from "../support/until.ts";

it("a heartbeat waits for an event that is written in slices, which is sent once", async () => {
  const ledger = new SmallLedger();
  await ledger.commit([{ owner: "0x10", amount: 1n }]);
  const headWatch = new HeadWatch({ ledger: ledger.store, isTold: () => false });
  const settings = { maxStreams: 1, streamBufferBytes: 1024, streamHeartbeatMs: 32 };
  const streams = new EventStreams({
    ...{ ledger: ledger.store, headWatch, minTrust: undefined, settings },
    ...{ onTaken: () => {}, logger: silentLogger },
  });
  const socket = Object.assign(new EventEmitter(), { writableLength: 0, writableNeedDrain: false });
  const written: string[] = [];
  const sink = {
    socket,
    write: (bytes: Uint8Array) => written.push(Buffer.from(bytes).toString()),
    end() {},
  };
  let goOn = (): void => {};
  const types = new StateTypes(new ModuleCache({ maxBytes: 1 << 20 }));
  const source = {
    ...{ watched: watchedRecords(TRANSACTION_FEED, "ndjson", types, {}, undefined), opening: "" },
    wire: wireOf("ndjson"),
    ...{ after: { version: 0n, mark: undefined }, beatsFrom: 0n, least: undefined },
    format: ({ version }: { readonly version: bigint }) =>
      version < 2n
        ? `event ${version}`
        : new Promise<string>((resolve) => {
            // More is unsent than a stream may have, and the connection takes more.
            socket.writableLength = 5000;
            goOn = () => resolve(`event ${version}`);
          }),
  };
  streams.open(source as never, sink as never, () => {});
  await ledger.commit([{ owner: "0x10", amount: 2n }]);
  await until(() => written.includes("event 1"));
  await ledger.commit([{ owner: "0x10", amount: 3n }]);
  await until(() => socket.writableLength > 0);
  const before = written.length;
  // As long as six heartbeats: one of them sent the stream back to catching up, which told the event a second time.
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(written.slice(before)).toEqual([]);
  socket.writableLength = 0;
  goOn();
  await until(() => written.length > before + 1);
  expect(written.filter((text) => text === "event 2")).toHaveLength(1);
  streams.close();
});
