// What official clients find on a node with default options: headers that they page by, and demo keys where they are safe.

import { expect, it } from "vitest";
import { createNode, type Node } from "../../src/index.ts";
import { begun } from "../support/begun.ts";
import { sdkClient } from "../support/sdk-client.ts";

async function start(http: { readonly host?: string }): Promise<Node> {
  return begun(await createNode({ localChain: { seed: "defaults" }, http: { port: 0, ...http } }));
}

it("the official SDK pages through all modules of the framework", async () => {
  const { url = "" } = await start({});
  const aptos = sdkClient(url);
  let found = 0;
  for (let cursor: string | undefined, isFirst = true; isFirst || cursor !== undefined; isFirst = false) {
    const options = { limit: 5, ...(cursor === undefined ? {} : { cursor }) };
    const page = await aptos.getAccountModulesPage({ accountAddress: "0x1", options });
    found += page.modules.length;
    cursor = page.cursor;
  }
  const whole = await fetch(`${url}/accounts/0x1/modules?limit=1000`);
  expect(found).toBe(((await whole.json()) as unknown[]).length);
  expect(found).toBeGreaterThan(5);
});

it("browsers may read the headers of both brands", async () => {
  const { url = "" } = await start({});
  const { headers } = await fetch(url, { headers: { Origin: "http://127.0.0.1:3000" } });
  for (const brand of ["NODE", "APTOS"]) {
    expect(headers.get(`x-${brand}-ledger-version`)).toMatch(/^\d+$/);
    expect(headers.get("access-control-expose-headers")?.toUpperCase()).toContain(`X-${brand}-CURSOR`);
  }
});

it("the keys of demo accounts are told where only this machine can ask", async () => {
  const keysOf = async ({ url = "" }: Node): Promise<readonly unknown[]> => {
    const response = await fetch(`${url.replace("0.0.0.0", "127.0.0.1")}/info`);
    const { demo_accounts: accounts } = (await response.json()) as {
      demo_accounts: Readonly<Record<string, { address: string; private_key?: string }>>;
    };
    return Object.values(accounts).map(({ address, private_key: key }) => [address.slice(0, 2), typeof key]);
  };
  for (const key of await keysOf(await start({ host: "127.0.0.1" }))) expect(key).toEqual(["0x", "string"]);
  for (const key of await keysOf(await start({ host: "0.0.0.0" }))) expect(key).toEqual(["0x", "undefined"]);
});
