// Modules of a chain whose framework has no code, as the local chain: their functions are natives, which the room of the
// chain has.
import type { AbiType } from "../move/abi.ts";
import { addressFromBytes } from "../move/address.ts";
import type { FunctionBody, FunctionDefinition } from "../move/bytecode/program.ts";
import { PLAIN_SCHEDULE } from "./gas.ts";
import type { ChainConfig } from "./ledger/chain-config.ts";
import type { LoadedModule } from "./linker.ts";
import { Features } from "./session.ts";
import { FEATURE } from "./transaction/session-run.ts";
import { FRAMEWORK, structType } from "./types.ts";

const LOAD_U64 = 0x06;
const ABORT = 0x27;
/** Numbers of the features that the transactions of such a chain have. */
const FEATURES: readonly number[] = [
  ...[FEATURE.slotMetadata, FEATURE.keepInvariantViolations, FEATURE.moduleEvents, FEATURE.feeStatement],
  ...[FEATURE.deletionRefund, FEATURE.sponsoredCreation, FEATURE.refundableBytes, FEATURE.simulationVariants],
  ...[FEATURE.accountAbstraction, FEATURE.functionValues, FEATURE.fungibleStore, FEATURE.payloadV2],
  ...[FEATURE.orderless, FEATURE.serializedScriptArguments],
  // Formats of code up to 9.
  ...[5, 40, 86, 102],
];

function isEmptyBody(body: FunctionBody | undefined): boolean {
  return (
    body?.opcodes.length === 2 &&
    body.opcodes[0] === LOAD_U64 &&
    body.operands[0] === 0n &&
    body.opcodes[1] === ABORT
  );
}

/** A function that the framework has and its interface leaves out. */
function added(module: LoadedModule, name: string, parameter: AbiType, result: AbiType): FunctionDefinition {
  return {
    module: { address: addressFromBytes(Buffer.from(module.address, "hex")), name: module.name },
    name,
    params: [parameter],
    returns: [result],
    typeParams: [[]],
    isPersistent: false,
    isModuleLock: false,
    index: module.program.functions.length,
    visibility: "public",
    isEntry: false,
    body: undefined,
  };
}

const T0: AbiType = { kind: "parameter", index: 0 };
/** Functions that make arguments. */
const ADDED: Readonly<Record<string, (module: LoadedModule) => FunctionDefinition>> = {
  [`${FRAMEWORK}::object`]: (module) =>
    added(module, "address_to_object", { kind: "address" }, structType(FRAMEWORK, "object", "Object", [T0])),
  [`${FRAMEWORK}::option`]: (module) =>
    added(module, "from_vec", { kind: "vector", item: T0 }, structType(FRAMEWORK, "option", "Option", [T0])),
};

/** A module of a chain whose framework has no code. Functions whose bodies only abort with code 0 become natives. */
export function withoutBodies(module: LoadedModule): LoadedModule {
  const known = emptied.get(module) ?? emptiedOf(module);
  emptied.set(module, known);
  return known;
}

/** Every block asks for the same modules. */
const emptied = new WeakMap<LoadedModule, LoadedModule>();

function emptiedOf(module: LoadedModule): LoadedModule {
  const { functions } = module.program;
  if (!functions.every(({ body }) => isEmptyBody(body))) return module;
  const natives = functions.map((one) => ({ ...one, body: undefined }));
  const more = ADDED[module.key]?.(module);
  return {
    ...module,
    program: { ...module.program, functions: more === undefined ? natives : [...natives, more] },
  };
}

/** The configuration of such a chain, which keeps none. */
export function interfaceConfig(found: ChainConfig): ChainConfig {
  const bits = new Uint8Array(16);
  for (const number of FEATURES) bits[number >> 3] = (bits[number >> 3] ?? 0) | (1 << (number & 7));
  return { ...found, schedule: PLAIN_SCHEDULE, features: new Features(bits) };
}
