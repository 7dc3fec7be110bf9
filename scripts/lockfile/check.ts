// The rules for a lockfile: a hash for every package, the registry as the only source, allowed licences.

/** The checked fields of a package in a lockfile. */
export interface LockedPackage {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly license?: string;
  readonly link?: boolean;
  readonly dev?: boolean;
  readonly optional?: boolean;
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
}

export interface Lockfile {
  readonly lockfileVersion: number;
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Result of the check. */
export interface LockfileReport {
  readonly problems: readonly string[];
  readonly packages: number;
  /** Number of packages installed with the program. */
  readonly shipped: number;
  /** Optional packages of other platforms without a hash: npm writes none for packages it did not download. */
  readonly unpinned: readonly string[];
}

const LICENCES = new Set(["Apache-2.0", "MIT", "ISC", "BSD-2-Clause", "BSD-3-Clause", "0BSD"]);
/** A plain version or range: no URL, no file, no alias. */
const RANGE = /^[\^~<>=0-9.xX* |a-zA-Z+-]{1,100}$/;
/** Packages that may run an install script, to build native code where no prebuilt binary fits. */
const INSTALL_SCRIPTS = new Set(["lmdb", "msgpackr-extract", "esbuild", "fsevents"]);

function isRange(range: string): boolean {
  return RANGE.test(range) && !range.includes("//") && !range.startsWith("npm");
}

function nameOf(path: string): string {
  return path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
}

/** Checks a lockfile. `licenceOf` reads the licence of an installed package if the lockfile has none. */
export function checkLockfile(lockfile: Lockfile, licenceOf: (path: string) => unknown): LockfileReport {
  const problems: string[] = [];
  const unpinned: string[] = [];
  let [packages, shipped] = [0, 0];
  if (lockfile.lockfileVersion !== 3)
    problems.push(`lockfileVersion: expected 3, got ${lockfile.lockfileVersion}`);
  for (const [path, entry] of Object.entries(lockfile.packages)) {
    const wanted = { ...entry.dependencies, ...entry.optionalDependencies, ...entry.devDependencies };
    for (const [name, range] of Object.entries(wanted)) {
      if (!isRange(range)) problems.push(`${path || "the project"}: ${name} has the range ${range}`);
    }
    if (path === "") continue;
    packages++;
    if (entry.link === true) problems.push(`${path} is a link`);
    if (entry.resolved !== undefined) problems.push(`${path} comes from ${entry.resolved}`);
    if (entry.hasInstallScript === true && !INSTALL_SCRIPTS.has(nameOf(path))) {
      problems.push(`${path} runs a script when it is installed`);
    }
    if (entry.integrity === undefined && entry.optional === true && entry.license === undefined) {
      unpinned.push(path);
      continue;
    }
    if (!/^sha512-[A-Za-z0-9+/]{86}==$/.test(entry.integrity ?? ""))
      problems.push(`${path} has no sha512 hash`);
    if (entry.dev === true) continue;
    shipped++;
    const licence = entry.license ?? licenceOf(path);
    if (typeof licence !== "string" || !LICENCES.has(licence)) {
      problems.push(`${path} has the licence ${String(licence)}`);
    }
  }
  return { problems, packages, shipped, unpinned };
}
