import { Aptos, AptosConfig } from "@aptos-labs/ts-sdk";
import type { VerifiedFetch } from "../../src/verify.ts";

let clients = 0;

/** The official client of a node. The SDK keeps what nodes told by the network's name, for a whole process: each client has its own. */
export function sdkClient(fullnode: string): Aptos {
  return new Aptos(new AptosConfig({ network: `test-${++clients}` as never, fullnode }));
}

/** The official client, with answers that are proven. */
export function verifiedSdkClient({ provider }: VerifiedFetch, fullnode: string): Aptos {
  return new Aptos(
    new AptosConfig({ network: `test-${++clients}` as never, fullnode, client: { provider } }),
  );
}
