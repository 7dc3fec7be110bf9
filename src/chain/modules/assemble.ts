// The modules of the local chain as bytes.
import type { ModuleAbi } from "../../move/abi.ts";
import type { Address } from "../../move/address.ts";
import { assembleModule } from "../../move/bytecode/assembler.ts";
import { importsOf, type ModuleDefinition } from "../../move/bytecode/definition.ts";
import type { Framework } from "../framework.ts";
import { ACCOUNTS_MODULES } from "./accounts.ts";
import { ASSETS_MODULES } from "./assets.ts";
import { DEMO_MODULES } from "./demo.ts";
import { FOUNDATION_MODULES } from "./foundation.ts";
import { parseModules } from "./module-text.ts";
import { STAKING_MODULES } from "./staking.ts";
import { TOKENS_MODULES } from "./tokens.ts";

/** Format of the framework's interfaces: the newest that other chains' tools read too. */
const FRAMEWORK_FORMAT = 6;
/** Format of the demo module: it has enums and signed integers. */
const DEMO_FORMAT = 10;

/** A module ready to be published. */
export interface PublishedModule {
  readonly address: Address;
  readonly name: string;
  readonly bytes: Uint8Array;
}

function parseFramework(): ModuleAbi[] {
  return [FOUNDATION_MODULES, ACCOUNTS_MODULES, ASSETS_MODULES, STAKING_MODULES, TOKENS_MODULES].flatMap(
    (text) => parseModules(text, { formatVersion: FRAMEWORK_FORMAT }),
  );
}

function assemble(module: ModuleAbi, others: readonly ModuleAbi[]): PublishedModule {
  const imports = others.filter((other) => other !== module).flatMap(importsOf);
  const definition: ModuleDefinition = { ...module, imports };
  return { address: module.address, name: module.name, bytes: assembleModule(definition) };
}

/** An order names its asset by address then: the bytes of the argument are the same. */
function withoutObjects(text: string): string {
  const isOrder = (line: string): boolean => line.includes(" place_order(");
  return text
    .split("\n")
    .map((line) => (isOrder(line) ? line.replace("Object<fungible_asset::Metadata>", "address") : line))
    .filter((line) => !line.includes("Object<"))
    .join("\n");
}

/** Interface modules of the framework. */
export function assembleFramework(): PublishedModule[] {
  const modules = parseFramework();
  return modules.map((module) => assemble(module, modules));
}

/** The demo module at an address. Where there are no objects it has no function that takes one. */
export function assembleDemo(demo: Address, { hasFungibleAssets }: Framework): PublishedModule {
  const options = { formatVersion: DEMO_FORMAT, addresses: new Map([["demo", demo]]) };
  const [module] = parseModules(hasFungibleAssets ? DEMO_MODULES : withoutObjects(DEMO_MODULES), options);
  if (module === undefined) throw new Error("the demo text holds no module");
  return assemble(module, parseFramework());
}
