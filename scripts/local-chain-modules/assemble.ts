// Assembles the module texts, and renders their bytes as the source file that the local chain imports.
import type { PublishedModule } from "../../src/chain/modules.ts";
import type { ModuleAbi } from "../../src/move/abi.ts";
import { type Address, addressFromBytes, formatAddress } from "../../src/move/address.ts";
import { ACCOUNTS_MODULES } from "./accounts.ts";
import { assembleModule } from "./assembler.ts";
import { ASSETS_MODULES } from "./assets.ts";
import { importsOf, type ModuleDefinition } from "./definition.ts";
import { DEMO_MODULES } from "./demo.ts";
import { FOUNDATION_MODULES } from "./foundation.ts";
import { parseModules } from "./module-text.ts";
import { STAKING_MODULES } from "./staking.ts";
import { TOKENS_MODULES } from "./tokens.ts";

/** Format of the framework's interfaces: the newest that other chains' tools read too. */
const FRAMEWORK_FORMAT = 6;
/** Format of the demo module: it has enums and signed integers. */
const DEMO_FORMAT = 10;
/** Stands for the demo module's address, which follows from the seed of each chain. */
const PLACEHOLDER = addressFromBytes(new Uint8Array(32).fill(0xde));

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

/** Interface modules of the framework. */
function assembleFramework(): PublishedModule[] {
  const modules = parseFramework();
  return modules.map((module) => assemble(module, modules));
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

/** The demo module at an address. Without objects it has no function that takes one. */
export function assembleDemo(demo: Address, hasObjects: boolean): PublishedModule {
  const options = { formatVersion: DEMO_FORMAT, addresses: new Map([["demo", demo]]) };
  const [module] = parseModules(hasObjects ? DEMO_MODULES : withoutObjects(DEMO_MODULES), options);
  if (module === undefined) throw new Error("the demo text holds no module");
  return assemble(module, parseFramework());
}

/** The demo module as the source of a constant: base64, and where its code holds the address it is published at. */
function renderDemo(hasObjects: boolean): string {
  const bytes = Buffer.from(assembleDemo(PLACEHOLDER, hasObjects).bytes);
  const offset = bytes.indexOf(PLACEHOLDER);
  if (offset < 0 || bytes.indexOf(PLACEHOLDER, offset + 1) >= 0) {
    throw new Error("the demo module must hold its own address exactly once");
  }
  return `{ addressOffset: ${offset}, base64: "${bytes.toString("base64")}" }`;
}

/** The text of src/chain/module-bytes.ts: a line a module, so that a change of one shows as one. */
export function renderModuleBytes(): string {
  const modules = assembleFramework().map(
    ({ address, name, bytes }) =>
      `  ["${formatAddress(address)}::${name}", "${Buffer.from(bytes).toString("base64")}"],\n`,
  );
  return `// Bytes of the local chain's modules, made by \`npm run modules\` from scripts/local-chain-modules. Not for editing.
// biome-ignore-all format: generated

/** Interface modules of the framework, in base64. */
export const FRAMEWORK_MODULES: readonly (readonly [id: string, base64: string])[] = [
${modules.join("")}];

/** The demo module, in base64, and where its code holds the address it is published at. */
export const DEMO_MODULE = ${renderDemo(true)};

/** The demo module for a framework without objects. */
export const DEMO_MODULE_WITHOUT_OBJECTS = ${renderDemo(false)};
`;
}
