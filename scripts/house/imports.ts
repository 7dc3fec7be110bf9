// The import graph of src: which file imports which, types included, read from the text of the files.
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT: string = fileURLToPath(new URL("../..", import.meta.url));

/** A source file, named by its path from the root of the project. */
export interface SourceFile {
  readonly name: string;
  readonly lines: number;
  /** Files of the project, by name, and packages. */
  readonly imports: readonly string[];
}

const IMPORT =
  /(?:^|\n)\s*(?:import|export)\b[^"'`;]*?\bfrom\s*"([^"]+)"|(?:^|\n)\s*import\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/g;

export function isTest(name: string): boolean {
  return name.startsWith("test/") || name.endsWith(".test.ts");
}

/** Describes a file by its text. */
export function describeFile(name: string, text: string): SourceFile {
  const imports = [...text.matchAll(IMPORT)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic ?? "");
  const resolved = imports.map((specifier) =>
    specifier.startsWith(".") ? join(dirname(name), specifier).split(sep).join("/") : specifier,
  );
  return { name, lines: text.split("\n").length - 1, imports: [...new Set(resolved)] };
}

/** All TypeScript files below a folder. */
export function readFiles(folder: string): readonly SourceFile[] {
  return readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => relative(ROOT, join(entry.parentPath, entry.name)).split(sep).join("/"))
    .sort()
    .map((name) => describeFile(name, readFileSync(join(ROOT, name), "utf8")));
}

/** Groups of files that import each other in a circle (Tarjan's strongly connected components of two or more). */
export function findCircles(files: readonly SourceFile[]): readonly (readonly string[])[] {
  const byName = new Map(files.map((file) => [file.name, file]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const onStack = new Set<string>();
  const circles: string[][] = [];
  const visit = (file: SourceFile): number => {
    const { name } = file;
    const own = index.size;
    let lowest = own;
    index.set(name, own);
    stack.push(name);
    onStack.add(name);
    for (const target of file.imports) {
      const next = byName.get(target);
      if (next === undefined) continue;
      if (!index.has(target)) lowest = Math.min(lowest, visit(next));
      else if (onStack.has(target)) lowest = Math.min(lowest, low.get(target) ?? index.get(target) ?? own);
    }
    low.set(name, lowest);
    if (lowest !== own) return lowest;
    const circle = stack.splice(stack.indexOf(name));
    for (const member of circle) onStack.delete(member);
    if (circle.length > 1) circles.push(circle.sort());
    return lowest;
  };
  for (const file of files) if (!index.has(file.name)) visit(file);
  return circles;
}
