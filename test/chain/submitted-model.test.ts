// Random submitted transactions against an independent model of balances: it knows holdings and rules, and reads nothing
// of the state. A second store follows the records and verifies each of them and every state root.
import { expect, it } from "vitest";
import { silentLogger } from "../../src/base/log.ts";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { u64 } from "../../src/bcs/scalars.ts";
import { vector } from "../../src/bcs/sequences.ts";
import type { AssetName } from "../../src/chain/demo/assets.ts";
import { createKeypair, type Keypair } from "../../src/chain/keys.ts";
import { chainSeed, createLocalChain } from "../../src/chain/local-chain.ts";
import { Mempool } from "../../src/chain/mempool.ts";
import { Random } from "../../src/chain/random.ts";
import { type Submitted, toSubmitted } from "../../src/chain/submission/submitted.ts";
import { metadataAsset, parseAsset, primaryStoreAddress } from "../../src/ledger/balances/asset.ts";
import { readBalance } from "../../src/ledger/balances/balance.ts";
import { checkGenesis } from "../../src/ledger/formats/genesis.ts";
import { decodeRecord, recordTransactionHash } from "../../src/ledger/formats/record.ts";
import { transactionCodec } from "../../src/ledger/formats/transaction.ts";
import { type Address, formatAddress } from "../../src/move/address.ts";
import { formatStructTag } from "../../src/move/type-tag.ts";
import { addressCodec } from "../../src/move/wire.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import { Committer } from "../../src/sync/committer.ts";
import { bootstrapGenesis } from "../../src/sync/genesis.ts";
import { movementsOf, readSupplies } from "../support/expected-balances.ts";
import { signCall } from "../support/submitter.ts";

/** SEXTANT_SUBMITTED=10000 tries more. */
const RUNS = Number(process.env.SEXTANT_SUBMITTED ?? "300");
const PER_BLOCK = 12;
/** Blocks between two comparisons of the supplies with the sums of all balances. */
const SUPPLY_BLOCKS = 10n;
const START_USEC = 1_704_067_200_000_000n;
const ASSETS: readonly AssetName[] = ["native", "gold", "shell"];

interface Holding {
  coin: bigint | undefined;
  store: bigint | undefined;
  coinFrozen: boolean;
  storeFrozen: boolean;
}

/** Balances by rule. Every change returns false, with nothing changed, where the chain must fail. */
class Model {
  readonly holdings = new Map<string, Holding>();

  of(owner: Address, asset: AssetName): Holding {
    const key = `${formatAddress(owner)}/${asset}`;
    const found = this.holdings.get(key) ?? {
      coin: undefined,
      store: undefined,
      coinFrozen: false,
      storeFrozen: false,
    };
    this.holdings.set(key, found);
    return found;
  }

  #deposit(owner: Address, asset: AssetName, amount: bigint, asCoin: boolean): boolean {
    const to = this.of(owner, asset);
    if (asCoin && to.coin !== undefined) {
      if (to.coinFrozen) return false;
      to.coin += amount;
    } else {
      if (to.storeFrozen) return false;
      to.store = (to.store ?? 0n) + amount;
    }
    return true;
  }

  #withdraw(owner: Address, asset: AssetName, amount: bigint, asCoin: boolean): boolean {
    const from = this.of(owner, asset);
    const inCoin = asCoin ? ((from.coin ?? 0n) < amount ? (from.coin ?? 0n) : amount) : 0n;
    const inStore = amount - inCoin;
    if (inCoin > 0n && from.coinFrozen) return false;
    // A coin transfer does not touch the store for nothing; an asset transfer always does.
    if ((inStore > 0n || !asCoin) && ((from.store ?? 0n) < inStore || from.storeFrozen)) return false;
    if (inCoin > 0n) from.coin = (from.coin ?? 0n) - inCoin;
    if (inStore > 0n || !asCoin) from.store = (from.store ?? 0n) - inStore;
    return true;
  }

  hasStore(owner: Address, asset: AssetName): boolean {
    return this.of(owner, asset).store !== undefined;
  }

  /** All transfers, or none. */
  transfer(
    from: Address,
    asset: AssetName,
    moves: readonly { readonly to: Address; readonly amount: bigint }[],
    asCoin: boolean,
  ): boolean {
    const involved = [from, ...moves.map(({ to }) => to)].map((owner) => this.of(owner, asset));
    const before = involved.map((holding) => ({ ...holding }));
    for (const { to, amount } of moves) {
      if (this.#withdraw(from, asset, amount, asCoin) && this.#deposit(to, asset, amount, asCoin)) continue;
      for (const [index, holding] of involved.entries()) Object.assign(holding, before[index]);
      return false;
    }
    return true;
  }

  mint(owner: Address, amount: bigint): void {
    this.#deposit(owner, "native", amount, true);
  }

  burn(owner: Address, amount: bigint): void {
    const { coinFrozen, storeFrozen, ...rest } = this.of(owner, "native");
    const inCoin = (rest.coin ?? 0n) < amount ? (rest.coin ?? 0n) : amount;
    const left = this.of(owner, "native");
    if (inCoin > 0n) left.coin = (rest.coin ?? 0n) - inCoin;
    if (amount > inCoin) left.store = (rest.store ?? 0n) - (amount - inCoin);
    expect(coinFrozen || storeFrozen || (left.store ?? 0n) >= 0n).toBe(true);
  }

  sum(asset: AssetName, part: "coin" | "store"): bigint {
    let sum = 0n;
    for (const [key, holding] of this.holdings) if (key.endsWith(`/${asset}`)) sum += holding[part] ?? 0n;
    return sum;
  }
}

interface Expected {
  readonly submitted: Submitted;
  /** Applies the transaction to the model; false if it must fail. */
  readonly apply: (model: Model) => boolean;
}

it(`${RUNS} random transactions leave the balances and supplies of an independent model`, async () => {
  const name = "submitted model";
  const chain = createLocalChain({ seed: name });
  const { items, submissions } = chain;
  const random = new Random(chainSeed(name));
  const [store, followerStore] = [createMemoryStore(), createMemoryStore()];
  const committer = new Committer({ store, logger: silentLogger });
  const follower = new Committer({ store: followerStore, logger: silentLogger });
  const check = checkGenesis(chain.genesisBlob());
  await bootstrapGenesis({ store, committer, check });
  await bootstrapGenesis({ store: followerStore, committer: follower, check });
  const model = new Model();
  for (const { address, holdings } of Object.values(items.demoAccounts)) {
    for (const { asset, part, amount, frozen = false } of holdings) {
      const held = model.of(address, asset);
      held[part] = amount;
      if (frozen) held[part === "coin" ? "coinFrozen" : "storeFrozen"] = true;
    }
  }
  const users = [0, 1, 2, 3].map((index) => createKeypair(chainSeed(name), `user ${index}`));
  const { anna, basil, clio, dora, emil, gus, fay, hana, demo } = items.demoAccounts;
  const known: readonly Keypair[] = [...users, anna, basil, clio, dora, emil, gus];
  const recipients: readonly Keypair[] = [...known, fay, hana, demo];
  const sequenceNumbers = new Map<Keypair, bigint>(users.map((user) => [user, 0n]));
  const mempool = new Mempool();
  const arg = (address: Address) => encodeWith(addressCodec, address);
  const type = (text: AssetName) => ({ kind: "struct", struct: items.assets[text].coinType! }) as const;
  let [sent, failed, nonce] = [0, 0, 0n];
  const expected = new Map<string, Expected>();
  const queue = (entry: Expected) => {
    mempool.add(entry.submitted, { sequenceNumber: 0n, nowSecs: START_USEC / 1_000_000n });
    expected.set(Buffer.from(entry.submitted.hash).toString("hex"), entry);
  };

  const randomCall = (sender: Keypair) => {
    const asset = random.pick(ASSETS);
    const { metadata, coinType } = items.assets[asset];
    const isBatch = random.oneIn(4);
    const moves = Array.from({ length: isBatch ? random.below(4) : 1 }, () => ({
      to: random.oneIn(8)
        ? createKeypair(chainSeed(name), `new ${sent}`).address
        : random.pick(recipients).address,
      amount: random.oneIn(6) ? 10n ** 18n : random.upTo(1_000_000n),
    }));
    const [first] = moves;
    const lists = [
      encodeWith(
        vector(addressCodec),
        moves.map(({ to }) => to),
      ),
      encodeWith(
        vector(u64),
        moves.map(({ amount }) => amount),
      ),
    ];
    const asCoin = coinType !== undefined && random.oneIn(2);
    const apply = (known: Model) => known.transfer(sender.address, asset, moves, asCoin);
    const one = first === undefined ? [] : [arg(first.to), encodeWith(u64, first.amount)];
    if (asCoin) {
      if (isBatch && asset === "native")
        return { function: "aptos_account::batch_transfer", args: lists, apply };
      const typeArgs = [type(asset)];
      if (isBatch) return { function: "aptos_account::batch_transfer_coins", typeArgs, args: lists, apply };
      if (asset === "native" && random.oneIn(2))
        return { function: "aptos_account::transfer", args: one, apply };
      const path = random.pick(["aptos_account::transfer_coins", "coin::transfer"]);
      return { function: path, typeArgs, args: one, apply };
    }
    if (isBatch) {
      return {
        function: "aptos_account::batch_transfer_fungible_assets",
        args: [arg(metadata), ...lists],
        apply,
      };
    }
    if (random.oneIn(3) && first !== undefined && model.hasStore(sender.address, asset)) {
      // Between stores that exist; the visitor's come and go.
      const to = model.hasStore(first.to, asset) && first.to !== hana.address ? first.to : sender.address;
      const stores = [sender.address, to].map((owner) => arg(primaryStoreAddress(owner, metadata)));
      const path = random.pick(["fungible_asset::transfer", "dispatchable_fungible_asset::transfer"]);
      const typeArgs = [{ kind: "struct", struct: { ...parsedMetadata, name: "FungibleStore" } } as const];
      const moves = [{ to, amount: first.amount }];
      const apply = (known: Model) => known.transfer(sender.address, asset, moves, false);
      return { function: path, typeArgs, args: [...stores, encodeWith(u64, first.amount)], apply };
    }
    if (random.oneIn(2)) {
      return { function: "aptos_account::transfer_fungible_assets", args: [arg(metadata), ...one], apply };
    }
    const metadataType = { kind: "struct", struct: { ...parsedMetadata } } as const;
    return {
      function: "primary_fungible_store::transfer",
      typeArgs: [metadataType],
      args: [arg(metadata), ...one],
      apply,
    };
  };

  const expectSupplies = async (): Promise<void> => {
    const view = await store.openView();
    const supply = await readSupplies(chain, view);
    for (const asset of ASSETS) {
      for (const part of ["coin", "store"] as const) {
        const told = supply(asset, part);
        if (told !== undefined) expect(told, `${asset} ${part}`).toBe(model.sum(asset, part));
      }
    }
    view.release();
  };

  while (sent < RUNS || mempool.count > 0) {
    const view = await store.openView();
    const nowSecs =
      view.position.timestampUsec === 0n ? START_USEC / 1_000_000n : view.position.timestampUsec / 1_000_000n;
    if (sent === 0) {
      for (const user of users) {
        const amount = 50_000_000_000n;
        const transactions = await submissions.fund(view, user.address, amount, (own) =>
          mempool.nextSequenceNumber(submissions.faucet, own),
        );
        for (const [index, submitted] of transactions.entries()) {
          const mints = index === transactions.length - 1;
          queue({
            submitted,
            apply: (known) => {
              if (mints) known.mint(user.address, amount);
              return true;
            },
          });
        }
      }
      sent = 1;
    } else if (mempool.count === 0) {
      for (let left = Math.min(PER_BLOCK, RUNS - sent); left > 0; left--) {
        const sender = random.pick(known);
        const { apply, ...call } = randomCall(sender);
        const sequenceNumber = sequenceNumbers.get(sender);
        const isOrdered = sequenceNumber !== undefined;
        // Demo accounts sign transactions of their own in the same block, so theirs have nonces.
        const fields = isOrdered ? { sequenceNumber } : { expirationTimestampSecs: nowSecs + 60n };
        const transaction = signCall(sender, { ...call, fields, ...(isOrdered ? {} : { nonce: nonce++ }) });
        const submitted = await submissions
          .check(view, toSubmitted(transaction))
          .then((checked) => checked.submitted)
          .catch((error: unknown) => error as Error);
        sent++;
        if (submitted instanceof Error) {
          // The only thing that the model of the chain lacks here.
          expect(submitted.message).toContain("above 2^64 - 1");
          continue;
        }
        if (isOrdered) sequenceNumbers.set(sender, sequenceNumber + 1n);
        queue({ submitted, apply });
      }
    }
    const settled: Submitted[] = [];
    const { records } = await chain.produceBlock({
      position: view.position,
      view,
      getTreeNodes: (keys) => store.getTreeNodes(keys),
      timestampUsec: START_USEC + (view.position.blockHeight + 1n) * 1_000_000n,
      submitted: {
        waiting: mempool.inOrder(),
        faucet: submissions.faucet,
        settle: (submitted) => settled.push(submitted),
      },
    });
    view.release();
    for (const record of records) {
      const entry = expected.get(Buffer.from(recordTransactionHash(record)).toString("hex"));
      if (entry === undefined) {
        // A transaction of the demo accounts: by its events.
        const { moved, fee, payer } = movementsOf(items, record);
        for (const { account, asset, part, delta } of moved) {
          const held = model.of(items.demoAccounts[account].address, asset);
          held[part] = (held[part] ?? 0n) + delta;
        }
        if (payer !== undefined) model.burn(items.demoAccounts[payer].address, fee);
        if (closes(record)) {
          for (const name of ASSETS) {
            const held = model.of(hana.address, name);
            expect([held.coin ?? 0n, held.store ?? 0n], `the visitor's ${name}`).toEqual([0n, 0n]);
            [held.coin, held.store] = [undefined, undefined];
          }
        }
        continue;
      }
      const { raw } = entry.submitted.transaction;
      const { info } = decodeRecord(record);
      const works = entry.apply(model);
      expect(info.status.kind, `version ${decodeRecord(record).version}`).toBe(
        works ? "success" : "moveAbort",
      );
      if (!works) failed++;
      model.burn(raw.sender, info.gasUsed * raw.gasUnitPrice);
      expected.delete(Buffer.from(entry.submitted.hash).toString("hex"));
    }
    for (const submitted of settled) mempool.settle(submitted, { isIncluded: true });
    // An epoch may end with this block: then all of them wait for the next.
    if (settled.length > 0) expect(expected.size).toBe(0);
    await committer.append(records);
    await follower.append(records);
    if ((view.position.blockHeight + 1n) % SUPPLY_BLOCKS === 0n) await expectSupplies();
  }
  const [view, followed] = [await store.openView(), await followerStore.openView()];
  const { position } = view;
  expect(followed.position.version).toBe(position.version);
  for (const [key, { coin, store: held }] of model.holdings) {
    const [owner = "", asset] = key.split("/") as [string, AssetName];
    const { metadata, coinType } = items.assets[asset];
    const address = parseAsset(owner).metadata;
    const inStore = await readBalance(followed, address, metadataAsset(metadata), position.version);
    expect(inStore, key).toBe(held ?? 0n);
    if (coinType === undefined) continue;
    const whole = await readBalance(
      followed,
      address,
      parseAsset(formatStructTag(coinType)),
      position.version,
    );
    expect(whole, key).toBe((held ?? 0n) + (coin ?? 0n));
  }
  await expectSupplies();
  view.release();
  followed.release();
  expect(failed).toBeGreaterThan(0);
});

/** True for the visitor's last transaction, which leaves no account and no stores of it. */
function closes(record: Uint8Array): boolean {
  const { transaction, info } = decodeRecord(record);
  const decoded = decodeWith(transactionCodec, transaction);
  if (decoded.kind !== "user" || info.status.kind !== "success") return false;
  const { payload } = decoded.transaction.raw;
  const executable = payload.kind === "payload" ? payload.payload.executable : payload;
  return executable.kind === "entryFunction" && executable.entryFunction.function === "close_account";
}

const parsedMetadata = {
  address: parseAsset("0x1").metadata,
  module: "fungible_asset",
  name: "Metadata",
  typeArgs: [],
};
