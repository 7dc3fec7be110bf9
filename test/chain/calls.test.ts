// The local chain calls and writes only what the modules in its state define, on its own and on a network's genesis.
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/base/errors.ts";
import { decodeWith, encodeWith } from "../../src/bcs/codec.ts";
import { createLocalChain, type LocalChain } from "../../src/chain/local-chain.ts";
import { type LedgerRecord, recordCodec } from "../../src/ledger/formats/record.ts";
import { accessPathCodec } from "../../src/ledger/formats/state-key.ts";
import { transactionCodec } from "../../src/ledger/formats/transaction.ts";
import { readModuleItem } from "../../src/ledger/items/module-item.ts";
import { resourceGroupCodec } from "../../src/ledger/items/resources.ts";
import type { AbiType, ModuleId, ModuleLoader } from "../../src/move/abi.ts";
import { formatAddress, parseAddress } from "../../src/move/address.ts";
import { ModuleCache } from "../../src/move/module-cache.ts";
import type { StructTag, TypeTag } from "../../src/move/type-tag.ts";
import { createNode } from "../../src/node.ts";
import type { Store } from "../../src/store/contract.ts";
import { createMemoryStore } from "../../src/store/memory/store.ts";
import type { EntryFunction } from "../../src/transaction/executable.ts";
import type { TransactionPayload } from "../../src/transaction/raw.ts";
import { ChainRun } from "../support/chain-run.ts";

const BLOCKS = 60;

/** Parts of a call that the modules do not define. */
async function unknownInCall(call: EntryFunction, loadModule: ModuleLoader): Promise<string[]> {
  const name = `${formatAddress(call.module.address)}::${call.module.name}::${call.function}`;
  const abi = await loadModule(call.module);
  const found = abi?.functions.find((one) => one.name === call.function);
  if (found === undefined) return [`${name} is called and does not exist`];
  const params = found.params.filter(
    (param) => !(param.kind === "signer" || (param.kind === "reference" && param.to.kind === "signer")),
  );
  const faults: string[] = [];
  if (!found.isEntry) faults.push(`${name} is not an entry function`);
  if (found.typeParams.length !== call.typeArgs.length) faults.push(`${name}: number of type arguments`);
  if (params.length !== call.args.length) faults.push(`${name}: number of arguments`);
  for (const type of call.typeArgs) faults.push(...(await unknownInType(type, loadModule)));
  return faults;
}

async function unknownInType(type: TypeTag, loadModule: ModuleLoader): Promise<string[]> {
  if (type.kind === "vector") return unknownInType(type.item, loadModule);
  return type.kind === "struct" ? unknownInStruct(type.struct, loadModule) : [];
}

async function unknownInStruct(struct: StructTag, loadModule: ModuleLoader): Promise<string[]> {
  const { address, module, name, typeArgs } = struct;
  const inside = await Promise.all(typeArgs.map((type) => unknownInType(type, loadModule)));
  const abi = await loadModule({ address, name: module });
  const isKnown = abi?.structs.some((one) => one.name === name) === true;
  const text = `${formatAddress(address)}::${module}::${name} is used and does not exist`;
  return [...inside.flat(), ...(isKnown ? [] : [text])];
}

/** Types in a published module that do not exist. */
async function unknownInModule(module: ModuleId, loadModule: ModuleLoader): Promise<string[]> {
  const abi = await loadModule(module);
  const fields = abi?.structs.flatMap(({ fields: own, variants = [] }) => [
    ...own,
    ...variants.flatMap((variant) => variant.fields),
  ]);
  const types = [
    ...(abi?.functions.flatMap(({ params, returns }) => [...params, ...returns]) ?? []),
    ...(fields?.map(({ type }) => type) ?? []),
  ];
  expect(types.length).toBeGreaterThan(30);
  return (await Promise.all(types.map((type) => unknownInAbiType(type, loadModule)))).flat();
}

async function unknownInAbiType(type: AbiType, loadModule: ModuleLoader): Promise<string[]> {
  switch (type.kind) {
    case "vector":
      return unknownInAbiType(type.item, loadModule);
    case "reference":
      return unknownInAbiType(type.to, loadModule);
    case "struct": {
      const inside = await Promise.all(type.typeArgs.map((one) => unknownInAbiType(one, loadModule)));
      const { address, module, name } = type;
      return [
        ...inside.flat(),
        ...(await unknownInStruct({ address, module, name, typeArgs: [] }, loadModule)),
      ];
    }
    default:
      return [];
  }
}

/** Parts of a record that the modules do not define. */
async function unknownInRecord(record: LedgerRecord, loadModule: ModuleLoader): Promise<string[]> {
  const faults: string[] = [];
  for (const { type } of record.events) faults.push(...(await unknownInType(type, loadModule)));
  for (const [key, op] of record.changes.writes) {
    if (key.kind !== "accessPath") continue;
    const path = decodeWith(accessPathCodec, key.path);
    if (path.kind === "code") {
      faults.push(...(await unknownInModule(path.module, loadModule)));
      continue;
    }
    faults.push(...(await unknownInStruct(path.struct, loadModule)));
    if (path.kind !== "resourceGroup" || !("data" in op)) continue;
    for (const [member] of decodeWith(resourceGroupCodec, op.data)) {
      faults.push(...(await unknownInStruct(member, loadModule)));
    }
  }
  const { transaction } = record;
  if (transaction.kind !== "user") return faults;
  const { payload } = transaction.transaction.raw;
  const call = entryFunctionOf(payload);
  return call === undefined ? faults : [...faults, ...(await unknownInCall(call, loadModule))];
}

function entryFunctionOf(payload: TransactionPayload): EntryFunction | undefined {
  if (payload.kind === "entryFunction") return payload.entryFunction;
  if (payload.kind !== "payload") return undefined;
  const { executable } = payload.payload;
  return executable.kind === "entryFunction" ? executable.entryFunction : undefined;
}

/** Functions in the guide that do not exist. */
async function unknownInGuide(chain: LocalChain, store: Store): Promise<string[]> {
  const view = await store.openView();
  const loadModule = new ModuleCache().createLoader((module) => readModuleItem(view, module));
  const faults: string[] = [];
  for (const path of chain.guide().functions) {
    const [address = "", module = "", name = ""] = path.split("::");
    const abi = await loadModule({ address: parseAddress(address), name: module });
    if (abi?.functions.some((one) => one.name === name) !== true)
      faults.push(`${path} is named and does not exist`);
  }
  view.release();
  return faults;
}

/** Runs blocks; returns what the modules after each block do not define, and the functions called. */
async function unknownCalls(): Promise<{ unknown: string[]; calls: Set<string> }> {
  const chain = createLocalChain({ seed: "calls" });
  const run = await new ChainRun(chain, createMemoryStore()).start();
  const unknown = new Set<string>();
  const calls = new Set<string>();
  const cache = new ModuleCache();
  for (let block = 0; block < BLOCKS; block++) {
    const records = (await run.step()).map((bytes) => decodeWith(recordCodec, bytes));
    const view = await run.store.openView();
    const loadModule = cache.createLoader((module) => readModuleItem(view, module));
    for (const record of records) {
      for (const fault of await unknownInRecord(record, loadModule)) unknown.add(fault);
      if (record.transaction.kind !== "user") continue;
      const call = entryFunctionOf(record.transaction.transaction.raw.payload);
      if (call !== undefined) calls.add(`${call.module.name}::${call.function}`);
    }
    view.release();
  }
  for (const fault of await unknownInGuide(chain, run.store)) unknown.add(fault);
  return { unknown: [...unknown].sort(), calls };
}

describe("blocks of the local chain", () => {
  it("call and write only what its own modules define", async () => {
    const { unknown, calls } = await unknownCalls();
    expect(unknown).toEqual([]);
    expect(calls.size).toBeGreaterThan(8);
  });
});

describe("a local chain on an unsuitable genesis", () => {
  it("is refused at the start, with what is missing", async () => {
    const blob = createLocalChain({ seed: "whole" }).genesisBlob();
    const transaction = decodeWith(transactionCodec, blob);
    if (transaction.kind !== "genesis" || transaction.payload.kind !== "direct")
      throw new Error("no genesis");
    const { writeSet, events } = transaction.payload;
    const writes = writeSet.writes.slice(1);
    const genesis = encodeWith(transactionCodec, {
      kind: "genesis",
      payload: { kind: "direct", writeSet: { kind: "v0", writes }, events },
    });
    const refused = createNode({ genesis, localChain: {} });
    await expect(refused).rejects.toThrow(ConfigError);
    await expect(refused).rejects.toThrow(
      /the local chain cannot make blocks on this genesis.*0x1::gas_schedule/,
    );
    const served = await createNode({ genesis });
    expect(await served.ledgerInfo()).toMatchObject({ ledger_version: 0n });
    await served.close();
  });
});
