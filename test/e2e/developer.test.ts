// The first ten minutes of a developer: a fresh TypeScript project with the packed file, types that a strict compiler takes,
// the example's tests on a chain of their own, and a program that asks a node for the bytes to sign.
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { ROOT } from "../support/documentation.ts";
import { temporaryFolder } from "../support/temporary.ts";

const execute = promisify(execFile);

const PROGRAM = `import { Account } from "@aptos-labs/ts-sdk";
import { createNode } from "sextant";

const node = await createNode({ http: { port: 0 }, localChain: { blockOnSubmit: true, traffic: false } });
const anna = await node.account("anna");
const sender = Account.generate();
await node.fund(sender.accountAddress.toString(), 1_000_000n);
const request = {
  sender: sender.accountAddress.toString(),
  sequence_number: "0",
  max_gas_amount: "2000",
  gas_unit_price: "100",
  expiration_timestamp_secs: \`\${Math.floor(Date.now() / 1000) + 600}\`,
  payload: {
    type: "entry_function_payload",
    function: "0x1::aptos_account::transfer",
    type_arguments: [],
    arguments: [anna.address, "12"],
  },
};
const response = await fetch(\`\${node.url}/transactions/encode_submission\`, {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(request),
});
const message = (await response.json()) as string;
const signature = sender.sign(message);
const before = await node.balance("anna", "APT");
const hash = await node.submit({
  ...request,
  signature: {
    type: "ed25519_signature",
    public_key: sender.publicKey.toString(),
    signature: signature.toString(),
  },
});
const done = await node.waitForTransaction(hash);
console.log(done?.version !== undefined, (await node.balance("anna", "APT")) - before);
await node.close();
`;

const TSCONFIG = {
  compilerOptions: {
    module: "nodenext",
    target: "es2023",
    strict: true,
    noEmit: true,
    types: ["node"],
    allowImportingTsExtensions: true,
    skipLibCheck: true,
  },
  include: ["*.ts"],
};

/** A project with the packed file in the place of an install, which would need a registry. */
async function createProject(): Promise<string> {
  const folder = temporaryFolder();
  const packed = await execute("npm", ["pack", "--ignore-scripts", "--pack-destination", folder], {
    cwd: ROOT,
  });
  const modules = join(folder, "node_modules");
  mkdirSync(join(modules, "sextant"), { recursive: true });
  const file = join(folder, packed.stdout.trim().split("\n").at(-1) ?? "");
  await execute("tar", ["-xzf", file, "-C", join(modules, "sextant"), "--strip-components=1"]);
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    symlinkSync(join(ROOT, "node_modules", name), join(modules, name));
  }
  cpSync(join(ROOT, "examples/vitest"), folder, { recursive: true });
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(TSCONFIG));
  writeFileSync(join(folder, "pay.ts"), PROGRAM);
  return folder;
}

it("types, tests and runs a first program", async () => {
  const cwd = await createProject();
  const tool = (name: string, ...args: string[]) =>
    execute(join(ROOT, "node_modules/.bin", name), args, { cwd, env: { ...process.env, NO_COLOR: "1" } });
  await tool("tsc", "--project", ".");
  expect((await tool("vitest", "run", "--root", cwd)).stdout).toMatch(/Tests +\d+ passed \(\d+\)/);
  expect((await tool("tsx", "pay.ts")).stdout).toBe("true 12n\n");
});
