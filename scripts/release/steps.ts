// What a release changes in the files, without touching them.

/** Where the version of this package stands, with the version itself as the group `version`. */
const PLACES: readonly RegExp[] = [
  /^ {2}"version": "(?<version>[^"]+)"/m,
  // The lockfile's entry of the project itself.
  /^ {4}"": \{\n {6}"name": "sextant",\n {6}"version": "(?<version>[^"]+)"/m,
  /"sextant_version":"(?<version>[^"]+)"/,
  /\bsextant[@:](?<version>\d+\.\d+\.\d+)\b/,
  /\bsextant-(?<version>\d+\.\d+\.\d+)\.tgz\b/,
  /^appVersion: "?(?<version>[^"\n]+)"?$/m,
  /org\.opencontainers\.image\.version="?(?<version>[^"\n ]+)"?/,
];
/** Generated from others, or a record of the past. */
const UNTOUCHED = /^(?:test|bench)\/|^docs\/appendix\/|\.sum$/;
const CHANGELOG = "CHANGELOG.md";
const UNRELEASED = "## Unreleased\n";

/** Files to write, and the places that name the old version and stay. */
export interface Released {
  readonly files: ReadonlyMap<string, string>;
  readonly left: readonly string[];
}

/** The version after a step. Throws for a step that is none, or a version that is not higher. */
export function nextVersion(from: string, step: string): string {
  const parts = from.split(".").map(Number);
  const [major = 0, minor = 0, patch = 0] = parts;
  if (step === "major") return `${major + 1}.0.0`;
  if (step === "minor") return `${major}.${minor + 1}.0`;
  if (step === "patch") return `${major}.${minor}.${patch + 1}`;
  if (!/^(?:0|[1-9]\d{0,8})(?:\.(?:0|[1-9]\d{0,8})){2}$/.test(step)) {
    throw new Error(`expected patch, minor, major or X.Y.Z, got ${step}`);
  }
  const wanted = step.split(".").map(Number);
  const at = wanted.findIndex((part, i) => part !== parts[i]);
  if (at < 0 || (wanted[at] ?? 0) < (parts[at] ?? 0)) {
    throw new Error(`expected a version above ${from}, got ${step}`);
  }
  return step;
}

/** Puts the version and the date over what is unreleased. Throws if there is nothing to release. */
function releasedChangelog(text: string, to: string, date: string): string {
  const at = text.indexOf(UNRELEASED);
  if (at < 0) throw new Error(`${CHANGELOG}: expected a heading "${UNRELEASED.trim()}"`);
  const after = text.slice(at + UNRELEASED.length);
  const section = after.split(/^## /m, 1)[0] ?? "";
  if (!/^- /m.test(section)) throw new Error(`${CHANGELOG}: nothing is listed under "${UNRELEASED.trim()}"`);
  return `${text.slice(0, at)}${UNRELEASED}\n## ${to} (${date})\n${after}`;
}

function withVersion(text: string, from: string, to: string): string {
  return PLACES.reduce((result, place) => {
    const every = new RegExp(place.source, `${place.flags}g`);
    return result.replace(every, (match, ...rest) => {
      const { version } = rest.at(-1) as { version: string };
      return version === from ? match.replace(from, to) : match;
    });
  }, text);
}

function namesVersion(text: string, version: string): number[] {
  const word = new RegExp(`(?<![\\w.])${version.replaceAll(".", "\\.")}(?![\\w.]*\\d)`);
  return text.split("\n").flatMap((line, i) => (word.test(line) ? [i + 1] : []));
}

export function release(options: {
  readonly from: string;
  readonly to: string;
  readonly date: string;
  /** Every file of the project. */
  readonly files: readonly string[];
  readonly read: (path: string) => string;
}): Released {
  const { from, to, date, read } = options;
  const files = new Map<string, string>();
  const left: string[] = [];
  for (const path of options.files) {
    if (UNTOUCHED.test(path)) continue;
    const text = read(path);
    if (!text.includes(from) && path !== CHANGELOG) continue;
    const changed = path === CHANGELOG ? releasedChangelog(text, to, date) : withVersion(text, from, to);
    if (changed !== text) files.set(path, changed);
    if (path === CHANGELOG || path === "package-lock.json") continue;
    for (const line of namesVersion(changed, from)) left.push(`${path}:${line}`);
  }
  return { files, left };
}
