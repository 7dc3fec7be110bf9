// `sextant trace` asks a node on a network's framework.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createNode } from "../../src/node.ts";
import { runCommand } from "../support/command.ts";
import { hasShared, sharedPath } from "../support/shared.ts";
import { transferRequest } from "../support/submitter.ts";
import { temporaryFolder } from "../support/temporary.ts";

it.skipIf(!hasShared)("prints the calls of a committed transaction, and of one in a file", async () => {
  const genesis = sharedPath("networks/devnet/genesis.blob");
  const node = await createNode({ genesis, localChain: {}, http: { port: 0 } });
  onTestFinished(() => node.close());
  await node.mine(1);
  const { version } = await node.fund("0xb0b", 500_000_000n);
  const url = node.url ?? "";
  const committed = await runCommand(["trace", `${version}`, "--url", url]);
  expect(committed).toMatchObject({ code: 0, stderr: "" });
  expect(committed.stdout).toMatch(/^0x1::aptos_coin::mint\(0x\w+, 0xb0b, 500000000\) {2}[\d.]+ gas$/m);
  expect(committed.stdout).toMatch(/^ +writes 0x1::account::Account of 0x/m);
  expect(committed.stdout).toMatch(/^ +emits 0x1::fungible_asset::Deposit \{.*"amount":"500000000"/m);
  expect(committed.stdout).toMatch(/^Executed successfully; \d+ gas\n$/m);
  const file = join(temporaryFolder(), "request.json");
  // As `sextant encode` takes it, without a signature.
  const request = transferRequest("0xb0b", "0xcafe", "600000000");
  writeFileSync(file, JSON.stringify(request));
  const simulated = await runCommand(["trace", file, "--url", url]);
  expect(simulated.stdout).toMatch(/^ {2}0x1::fungible_asset::unchecked_withdraw\(.*\) .* aborted$/m);
  expect(simulated.stdout).toContain("fault in 0x1::fungible_asset::unchecked_withdraw at instruction ");
  expect(simulated.stdout).toContain("EINSUFFICIENT_BALANCE");
  const json = await runCommand(["trace", file, "--url", url, "--json"]);
  expect(JSON.parse(json.stdout)).toMatchObject({ success: false, omitted_calls: "0" });
  writeFileSync(file, "transfer");
  const broken = await runCommand(["trace", file, "--url", url]);
  expect(broken).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("expected a transaction in JSON"),
  });
});
