// Every regular expression of the program, found in its sources: each must match in time linear in its input.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const src = fileURLToPath(new URL("../src", import.meta.url));
/** What a match may try at one place in the input at most, where every repetition has a bound. */
const MAX_STEPS = 5000;
/** What may stand before a regular expression and not before a division. */
const BEFORE = /[(,=:[!&|?{};>]$|\b(?:return|typeof|case)$/;

/** Where a comment, text or template that begins at `at` ends; `at` where none does. */
function skipOther(source: string, at: number): number {
  const quote = source[at];
  if (source.startsWith("//", at)) return source.indexOf("\n", at);
  if (source.startsWith("/*", at)) return source.indexOf("*/", at) + 2;
  if (quote !== '"' && quote !== "'" && quote !== "`") return at;
  for (let i = at + 1; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === quote) return i + 1;
    else if (quote === "`" && source.startsWith("${", i)) {
      let depth = 1;
      for (i += 2; depth > 0; ) {
        const next = skipOther(source, i);
        if (next !== i) {
          i = next;
          continue;
        }
        if (source[i] === "{") depth++;
        if (source[i] === "}") depth--;
        i++;
      }
      i--;
    }
  }
  throw new Error("a text without an end");
}

/** Regular expressions of a source text; those inside templates count too where they stand alone. */
function findExpressions(source: string): string[] {
  const found: string[] = [];
  let code = "";
  for (let at = 0; at < source.length; ) {
    const next = skipOther(source, at);
    if (next !== at) {
      at = next;
      code += '""';
      continue;
    }
    if (source[at] === "/" && BEFORE.test(code.slice(-20).trimEnd())) {
      let end = at + 1;
      for (let inClass = false; inClass || source[end] !== "/"; end++) {
        if (source[end] === "\\") end++;
        else if (source[end] === "[") inClass = true;
        else if (source[end] === "]") inClass = false;
      }
      found.push(source.slice(at + 1, end));
      at = end + 1;
      code += "0";
      continue;
    }
    code += source[at++];
  }
  return found;
}

interface Part {
  readonly isGroup: boolean;
  readonly max: number;
}

/** Atoms of a pattern with how often each may repeat; those of groups come before the group itself. */
function partsOf(pattern: string): Part[] {
  const parts: Part[] = [];
  const atom = /\\.|\[(?:\\.|[^\]\\])*\]|\((?:\?[:=!]|\?<[=!]?\w*>?)?|\)|[\s\S]/y;
  const repeat = /(?:[*+?]|\{\d+(?:,\d*)?\})\??/y;
  for (let at = 0; at < pattern.length; ) {
    atom.lastIndex = at;
    const [text = ""] = atom.exec(pattern) ?? [];
    at += text.length;
    if (text.startsWith("(")) continue;
    repeat.lastIndex = at;
    const [times = ""] = repeat.exec(pattern) ?? [];
    at += times.length;
    const [, max] = /\{\d+,?(\d*)/.exec(times) ?? [];
    const isEndless = /^[*+]|,\}/.test(times);
    parts.push({
      isGroup: text === ")",
      max: isEndless ? Number.POSITIVE_INFINITY : Number(max || /\d+/.exec(times)?.[0] || 1),
    });
  }
  return parts;
}

/** Why a pattern may take more than linear time; undefined when it cannot. */
function faultOf(pattern: string): string | undefined {
  if (/\\[1-9k]|\(\?<?[=!]/.test(pattern)) return "looks back or around";
  const parts = partsOf(pattern);
  if (parts.some(({ isGroup, max }) => isGroup && max > 1)) return "repeats a group";
  const endless = parts.filter(({ max }) => max === Number.POSITIVE_INFINITY);
  if (endless.length > 1) return "has two repetitions without a bound";
  if (endless.length === 1) {
    // Without a fixed place to begin, what follows the repetition could fail once from each place.
    return pattern.startsWith("^") || parts.at(-1) === endless[0] ? undefined : "may begin anywhere";
  }
  const steps = parts.reduce((sum, { max }) => sum + max, 0);
  const spans = parts.filter(({ max }) => max > 1).length;
  return spans > 4 || steps > MAX_STEPS ? "repeats too often" : undefined;
}

describe("regular expressions", () => {
  it("of the program match in linear time", () => {
    const files = readdirSync(src, { recursive: true, encoding: "utf8" }).filter(
      (name) => name.endsWith(".ts") && !name.endsWith(".test.ts"),
    );
    const faults: string[] = [];
    let count = 0;
    for (const file of files) {
      const source = readFileSync(join(src, file), "utf8");
      if (/\bRegExp\(/.test(source)) faults.push(`${file}: makes one from a text`);
      for (const pattern of findExpressions(source)) {
        count++;
        const fault = faultOf(pattern);
        if (fault !== undefined) faults.push(`${file}: /${pattern}/ ${fault}`);
      }
    }
    expect(faults).toEqual([]);
    expect(count).toBeGreaterThan(10);
  });

  it.each(["(a+)+$", "^(a|aa)*$", "a+b", "^a*a*$", "^a+.*x", "(?<=a+)b", "^(a*)\\1$", "\\s+$", "(?:x+x+)+y"])(
    "/%s/ would be found",
    (pattern) => {
      expect(findExpressions(`const found = /${pattern}/.test(input) ? 1 / 2 : \`\${1 / 2}\`;`)).toEqual([
        pattern,
      ]);
      expect(faultOf(pattern)).toBeDefined();
    },
  );
});
