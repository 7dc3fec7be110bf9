// Packages that the official command line compiled: `build/NAME/package-metadata.bcs` and `build/NAME/bytecode_modules/*.mv`.
import { access, readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";
import { ConfigError, errorText } from "../../base/errors.ts";
import { BcsError } from "../../bcs/errors.ts";
import { BcsReader } from "../../bcs/reader.ts";
import { moduleNameOf } from "../../chain/authoring.ts";
import { isIdentifier } from "../../move/identifier.ts";

export interface CompiledPackage {
  readonly metadata: Uint8Array;
  /** In the order of the metadata, which is that of their dependencies. */
  readonly modules: readonly Uint8Array[];
  /** Of the modules, such as `0x1::coin`. */
  readonly names: readonly string[];
}

const METADATA = "package-metadata.bcs";
/** More than a chain takes in a transaction. */
const MAX_FILE_BYTES = 2 ** 21;
const MAX_MODULES = 1000;

/** Names of the modules of a package, from the framework's `PackageMetadata`. */
function moduleNames(metadata: Uint8Array): string[] {
  const reader = new BcsReader(metadata);
  reader.text(); // name
  reader.u8(); // upgrade policy
  reader.u64(); // upgrade number
  reader.text(); // source digest
  reader.byteString(); // manifest
  return reader.vector((module) => {
    const name = module.text();
    module.byteString(); // source
    module.byteString(); // source map
    if (module.u8() === 1) {
      module.text(); // type of the extension
      module.byteString();
    }
    return name;
  }, 4);
}

/** The bytes of a file that may be anything: reading a pipe would never end. */
async function readSmallFile(path: string): Promise<Uint8Array> {
  const found = await stat(path);
  if (found.isFile() && found.size <= MAX_FILE_BYTES) return readFile(path);
  throw new ConfigError(`${path}: expected a file of at most ${MAX_FILE_BYTES} bytes`);
}

/** Reads a file's bytes; a fault of theirs names the file. */
function inFile<T>(path: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof BcsError || error instanceof ConfigError)) throw error;
    throw new ConfigError(`${path}: ${errorText(error)}`, error);
  }
}

async function readPackage(folder: string): Promise<CompiledPackage> {
  const metadata = await readSmallFile(join(folder, METADATA));
  const names = inFile(join(folder, METADATA), () => moduleNames(metadata));
  if (names.length === 0 || names.length > MAX_MODULES || !names.every(isIdentifier)) {
    throw new ConfigError(
      `${folder}: expected 1 to ${MAX_MODULES} modules with names of Move in ${METADATA}`,
    );
  }
  const modules: Uint8Array[] = [];
  const fullNames: string[] = [];
  for (const name of names) {
    const path = join(folder, "bytecode_modules", `${name}.mv`);
    const bytes = await readSmallFile(path);
    modules.push(bytes);
    fullNames.push(inFile(path, () => moduleNameOf(bytes)));
  }
  return { metadata, modules, names: fullNames };
}

/** The packages of a folder: one that has a `build`, such a `build`, or one package in it. Throws ConfigError. */
export async function readPackages(folder: string): Promise<CompiledPackage[]> {
  const has = (path: string): Promise<boolean> =>
    access(path).then(
      () => true,
      () => false,
    );
  try {
    if (await has(join(folder, METADATA))) return [await readPackage(folder)];
    const build = (await has(join(folder, "build"))) ? join(folder, "build") : folder;
    const packages: CompiledPackage[] = [];
    for (const name of (await readdir(build)).sort())
      if (await has(join(build, name, METADATA))) packages.push(await readPackage(join(build, name)));
    if (packages.length > 0) return packages;
  } catch (error) {
    if (error instanceof ConfigError || (error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new ConfigError(`cannot read the packages of ${folder}: ${errorText(error)}`, error);
  }
  throw new ConfigError(`${folder}: expected build/NAME/${METADATA}, as a compiled package has it; got none`);
}
