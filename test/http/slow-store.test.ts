// Probes of a node whose storage takes long to answer, or never does.
import { expect, it } from "vitest";
import { startServer } from "../support/http-server.ts";

it("answers the probes from what it knows, while the storage is silent", async () => {
  let hasAsked = 0;
  const ledger = {
    openView: () => {
      hasAsked++;
      return new Promise<never>(() => {});
    },
  };
  const { url } = await startServer({ ledger });
  // Without an answer, the test's own time limit ends it.
  const healthy = await fetch(`${url}/v1/-/healthy`);
  expect([healthy.status, await healthy.text()]).toEqual([200, expect.stringContaining("sextant:ok")]);
  const fresh = await fetch(`${url}/v1/-/healthy?duration_secs=30`);
  expect([fresh.status, await fresh.text()]).toEqual([503, expect.stringContaining("waits for its ledger")]);
  const ready = await fetch(`${url}/v1/-/ready`);
  expect([ready.status, await ready.text()]).toEqual([503, expect.stringContaining("out of reach")]);
  expect(hasAsked).toBe(3);
});
