// Finds retired phrases and names, so that they do not come back. Prints file, line and replacement; exits 1 if there
// is any.
//   npx tsx scripts/check-words.ts
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

interface Rule {
  readonly pattern: RegExp;
  readonly instead: string;
  /** Paths that the rule applies to; all by default. */
  readonly only?: RegExp;
}

/** Phrases of a style that needs a second reading. */
const PHRASES: readonly Rule[] = [
  { pattern: /\b(?:any|every|no )?one who\b/i, instead: "name who does it" },
  { pattern: /\bwhoever\b/i, instead: "name who does it" },
  { pattern: /\bthose who\b/i, instead: "name who does it" },
  { pattern: /\bis no more\b/i, instead: "ended, exited, was removed" },
  { pattern: /\bso many\b/i, instead: "the number, or `n` items" },
  { pattern: /\bfor so long\b/i, instead: "the time, or `ms`" },
  { pattern: /\bin hand\b/i, instead: "in flight, pending, current" },
  { pattern: /\banew\b/i, instead: "again" },
  { pattern: /\bbeside it\b/i, instead: "next to WHAT, or in addition to WHAT" },
  { pattern: /\bwhat may pass\b|\bmay pass\b/i, instead: "transient" },
  { pattern: /\b(?:is|are) no (?:fault|reason)\b/i, instead: "does not count as, is not caused by" },
  { pattern: /\btakes? (?:its|their) time\b/i, instead: "slow" },
];

/** Misleading names and their replacements. */
const NAMES: readonly Rule[] = [
  { pattern: /\bGate(?:Options|Figures)?\b|\bgate\.(?:test\.)?ts\b/, instead: "AdmissionControl" },
  { pattern: /SlowReaders|slow-readers\b/, instead: "UnreadResponses" },
  { pattern: /\bSuccession\b|\bsuccession\.(?:test\.)?ts\b/, instead: "WriterElection" },
  { pattern: /\bFront\b|\bfront\.ts\b/, instead: "HttpFrontend" },
  { pattern: /\bailments?\b/i, instead: "unhealthyReason" },
  { pattern: /\bAwaitable\b|\bawaitable\.ts\b/, instead: "MaybePromise" },
  { pattern: /\bwithoutGuesses\b/, instead: "refuseUnknownState" },
  { pattern: /ingester/i, instead: "Committer" },
  {
    pattern: /\b(?:world|places|cast|books|ground|scene)\b/i,
    instead: "state, items, accounts, expectedBalances, blockState",
    only: /^(?:src|test)\/chain\//,
  },
];

const READ =
  /^(?:src|test|bench|scripts|docs|examples|contrib|bin)\/|^(?:README|ARCHITECTURE|CONTRIBUTING|SECURITY)\.md$|^\.ci\//;
/** Generated files, and this list itself. */
const SKIPPED = /^(?:docs\/openapi\.json|test\/fuzz-corpus\/.*|scripts\/check-words\.ts)$/;

const root = fileURLToPath(new URL("..", import.meta.url));
const files = execFileSync("git", ["ls-files", "-z", "-co", "--exclude-standard"], {
  cwd: root,
  encoding: "utf8",
}).split("\0");

let found = 0;

function report(place: string, text: string, { instead }: Rule): void {
  found++;
  console.log(`${place}: "${text}" → ${instead}`);
}

for (const file of files.filter((name) => READ.test(name) && !SKIPPED.test(name))) {
  if (!existsSync(`${root}/${file}`)) continue;
  const rules = [...PHRASES, ...NAMES].filter(({ only }) => only === undefined || only.test(file));
  for (const rule of rules) {
    const inName = rule.pattern.exec(file);
    if (inName !== null) report(file, inName[0], rule);
  }
  for (const [index, line] of readFileSync(`${root}/${file}`, "utf8").split("\n").entries()) {
    for (const rule of rules) {
      const match = rule.pattern.exec(line);
      if (match !== null) report(`${file}:${index + 1}`, match[0], rule);
    }
  }
}
console.log(found === 0 ? "no retired words" : `${found} retired words`);
process.exit(found === 0 ? 0 : 1);
