// Work on padded bodies, counted in bytes that the encoder looks at after the text was parsed: names that need
// decoding, names that are nearly the wanted ones, duplicates and nests must not cost more than a few looks per byte.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createLocalChain } from "../../src/chain/local-chain.ts";
import type { JsonDocument } from "../../src/json/document.ts";
import { parseJson } from "../../src/json/parse.ts";
import { readModuleItem } from "../../src/ledger/items/module-item.ts";
import type { LedgerView } from "../../src/ledger/view.ts";
import type { ModuleLoader } from "../../src/move/abi.ts";
import { formatAddress } from "../../src/move/address.ts";
import { ModuleCache } from "../../src/move/module-cache.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { encodeSubmission } from "../../src/transaction/encode-submission.ts";
import { ChainRun } from "../support/chain-run.ts";
import { paddedRequests } from "../support/hostile-bodies.ts";

/** Enough for work that grows with the square of the size to show: some 7,000 members. */
const SIZE = 64 * 1024;
/** Looks at each byte of a body, on average: three wanted names begin alike, and escapes are read for each of them. */
const MAX_LOOKS = 3.5;
/** Texts that are made of a request without structs. */
const MAX_TEXTS = 40;

const chain = createLocalChain({ seed: "work" });
const PADDED = paddedRequests(`${formatAddress(chain.items.demoAddress)}::demo`);
let view: LedgerView;
let loadModule: ModuleLoader;

beforeAll(async () => {
  const run = await new ChainRun(chain, createMemoryStore()).start();
  await run.steps(3);
  view = await run.store.openView();
  loadModule = new ModuleCache().createLoader((module) => readModuleItem(view, module));
});

afterAll(() => view.release());

/** Counts the bytes of a document that are looked at, and the texts that are made of them, from now on. */
function countWork(document: JsonDocument): { looks: number; texts: number } {
  const work = { looks: 0, texts: 0 };
  const { bytes } = document;
  const counting = new Proxy(bytes, {
    get(target, name) {
      if (typeof name !== "string" || !(name[0]! >= "0" && name[0]! <= "9")) {
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? value.bind(target) : value;
      }
      work.looks++;
      return target[Number(name)];
    },
  });
  Object.defineProperty(document, "bytes", { value: counting });
  const makeText = document.string.bind(document);
  document.string = (value) => {
    work.texts++;
    return makeText(value);
  };
  return work;
}

async function expectLittleWork(text: string, maxTexts: number): Promise<void> {
  const body = Buffer.from(text);
  expect(body.length).toBeGreaterThan(SIZE - 1000);
  expect(body.length).toBeLessThanOrEqual(SIZE);
  const document = parseJson(body);
  const work = countWork(document);
  const message = await encodeSubmission(document, { chainId: 4, loadModule });
  expect(message.length).toBeGreaterThan(100);
  expect(work.looks / body.length).toBeLessThan(MAX_LOOKS);
  expect(work.texts).toBeLessThan(maxTexts);
}

describe("a padded request is encoded with a few looks at each byte", () => {
  it.each(PADDED)("%s", (name, build) =>
    // The names of a struct's fields are looked up as texts, each once.
    expectLittleWork(build(SIZE), name.endsWith("in a struct") ? SIZE / 5 : MAX_TEXTS),
  );
});
