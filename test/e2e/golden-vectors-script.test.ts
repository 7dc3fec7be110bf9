// The script that makes the golden vectors: it reproduces the committed files, and finds a changed byte.
import { execFile } from "node:child_process";
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import {
  localChainVectors as localChain,
  typeVectors as types,
  VECTORS_FOLDER,
} from "../support/golden-vectors.ts";
import { temporaryFolder } from "../support/temporary.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = VECTORS_FOLDER;
const script = join(root, "scripts/make-vectors.ts");

describe("the script that makes golden vectors", () => {
  const run = promisify(execFile);
  const check = (...args: string[]) =>
    run(process.execPath, ["--import", "tsx", script, "--check", ...args], { cwd: root });

  it("makes the committed files again, with the command and the version that stand in them", async () => {
    await check();
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

  it("finds a changed byte", async () => {
    const copy = join(temporaryFolder(), "vectors");
    cpSync(folder, copy, { recursive: true });
    await check("--folder", copy);
    const path = join(copy, "encode-types.json");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace(/"expected":"0xb5e9/, '"expected":"0xb5e8'));
    await expect(check("--folder", copy)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining("encode-types.json differs") as string,
    });
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
