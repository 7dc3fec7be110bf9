import { afterAll, expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { proofsLine } from "../../src/cli/start-screen.ts";
import { openProofPort } from "../../src/node/proof-port.ts";
import { createNode } from "../../src/node.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { SYNTHETIC_IDENTITY, SyntheticLedger } from "../support/synthetic-ledger.ts";

const closing: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const close of closing) await close();
});

it("says that a ledger without signatures has no proofs, although its port listens", async () => {
  const store = createMemoryStore();
  await store.commit(new SyntheticLedger(1).batch(undefined, 20n), SYNTHETIC_IDENTITY);
  const port = await openProofPort({ host: "127.0.0.1", port: 0, store: () => store, logger: silentLogger });
  closing.push(() => port.close());
  expect(await proofsLine(port.url)).toBe(`Proofs: ${port.url} (none yet: the ledger has no signed version)`);
});

it("says up to which version a ledger has proofs", async () => {
  const node = await createNode({ http: { port: 0, proofPort: 0 } });
  closing.push(() => node.close());
  await node.produceBlock();
  const { ledger_version: version } = await node.ledgerInfo();
  expect(await proofsLine(node.proofUrl ?? "")).toBe(`Proofs: ${node.proofUrl} (up to version ${version})`);
});
