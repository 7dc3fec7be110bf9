// The script that makes the golden vectors reproduces the committed files.
import { execFile } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { localChainVectors as localChain, typeVectors as types } from "../support/golden-vectors.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const script = join(root, "scripts/make-vectors.ts");

describe("the script that makes golden vectors", () => {
  it("makes the committed files again, with the command and the version that stand in them", async () => {
    await promisify(execFile)(process.execPath, ["--import", "tsx", script, "--check"], { cwd: root });
    const { scripts, devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
      devDependencies: Record<string, string>;
    };
    expect(scripts.vectors).toBe("tsx scripts/make-vectors.ts");
    for (const { command, sdk } of [types, localChain]) {
      expect(command).toBe("npm run vectors");
      expect(sdk).toBe(`@aptos-labs/ts-sdk ${devDependencies["@aptos-labs/ts-sdk"]}`);
    }
  });

  it("uses nothing of src, so the encoder cannot confirm itself", () => {
    const parts = readdirSync(join(root, "scripts/vectors")).map((name) =>
      join(root, "scripts/vectors", name),
    );
    expect(parts.length).toBeGreaterThan(3);
    for (const path of [script, ...parts]) {
      const imports = readFileSync(path, "utf8").match(/(?:from|import) "[^"]+"/g) ?? [];
      expect(imports.length).toBeGreaterThan(0);
      for (const line of imports) expect(line).toMatch(/"(node:|@aptos-labs\/ts-sdk"|\.\/)/);
    }
  });
});
