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

/** The demo module at an address. */
export function assembleDemo(demo: Address): PublishedModule {
  const options = { formatVersion: DEMO_FORMAT, addresses: new Map([["demo", demo]]) };
  const [module] = parseModules(DEMO_MODULES, options);
  if (module === undefined) throw new Error("the demo text holds no module");
  return assemble(module, parseFramework());
}

/** The text of src/chain/module-bytes.ts: a line a module, so that a change of one shows as one. */
export function renderModuleBytes(): string {
  const demo = Buffer.from(assembleDemo(PLACEHOLDER).bytes);
  const offset = demo.indexOf(PLACEHOLDER);
  if (offset < 0 || demo.indexOf(PLACEHOLDER, offset + 1) >= 0) {
    throw new Error("the demo module must hold its own address exactly once");
  }
  const modules = assembleFramework().map(
    ({ address, name, bytes }) =>
      `  ["${formatAddress(address)}::${name}", "${Buffer.from(bytes).toString("base64")}"],\n`,
  );
  return `// Bytes of the local chain's modules, made by \`npm run modules\` from scripts/local-chain-modules. Not for editing.
// biome-ignore-all format: generated

/** Interface modules of the framework, in base64. */
export const FRAMEWORK_MODULES: readonly (readonly [id: string, base64: string])[] = [
${modules.join("")}];

/** The demo module, in base64. */
export const DEMO_MODULE = "${demo.toString("base64")}";

/** Where the demo module's code holds the address it is published at. */
export const DEMO_ADDRESS_OFFSET = ${offset};
`;
}
