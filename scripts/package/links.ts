// Links between the pages of the package: a reader of the package has no other files.
import { posix } from "node:path";

/** Links of pages to files that are not there, as `PAGE: LINK`. `names` are all files, `read` gives the text of one. */
export function deadLinks(names: readonly string[], read: (name: string) => string): readonly string[] {
  const dead: string[] = [];
  for (const page of names.filter((name) => name.endsWith(".md"))) {
    const text = read(page).replace(/^```.*?^```/gms, "");
    for (const [, link = ""] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      const [path = ""] = link.split("#");
      if (path === "" || /^[a-z]+:/.test(path)) continue;
      const target = posix.join(posix.dirname(page), path).replace(/\/$/, "");
      if (!names.some((name) => name === target || name.startsWith(`${target}/`)))
        dead.push(`${page}: ${link}`);
    }
  }
  return dead;
}
