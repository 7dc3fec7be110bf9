// Opens the store that the options name, after looking at it without writing.
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Logger } from "../base/log.ts";
import type { GenesisCheck } from "../ledger/genesis.ts";
import type { Store } from "../store/contract.ts";
import { openLmdbStore } from "../store/lmdb/store.ts";
import { createMemoryStore } from "../store/memory/store.ts";
import { assertHead } from "../sync/check/head-check.ts";
import { assertIdentity } from "../sync/genesis.ts";

/** Another chain's directory is refused untouched. */
async function assertSameChain(data: string, check: GenesisCheck): Promise<void> {
  const store = await openLmdbStore({ path: data, readOnly: true });
  const { identity } = store;
  await store.close();
  if (identity !== undefined) assertIdentity(identity, check);
}

/** Opens a store on disk, or makes one in memory where no directory is given. */
export async function openStore(options: {
  readonly data: string | undefined;
  readonly readOnly: boolean;
  /** The genesis that the store must hold, where it holds one. */
  readonly check: GenesisCheck | undefined;
  readonly logger: Logger;
}): Promise<Store> {
  const { data, readOnly, check, logger } = options;
  if (data === undefined) return createMemoryStore();
  if (check !== undefined && existsSync(join(data, "data.mdb"))) await assertSameChain(data, check);
  const store = await openLmdbStore({ path: data, readOnly, logger });
  if (readOnly) return store;
  try {
    await assertHead(store);
  } catch (error) {
    await store.close();
    throw error;
  }
  return store;
}
