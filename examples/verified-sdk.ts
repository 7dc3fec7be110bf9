// The official SDK with answers that are proven: the node is not trusted, only the waypoint is. Start a node with
// `npx sextant start`, then run: npx tsx examples/verified-sdk.ts URL WAYPOINT ADDRESS
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { Aptos, AptosConfig, Network } from "@aptos-labs/ts-sdk";
import { VerifiedFetchError, verifiedFetch } from "sextant/verify";

const STATE = "verified.state";
const [fullnode = "http://127.0.0.1:8080/v1", waypoint = "", accountAddress = "0x1"] = process.argv.slice(2);

// The state has the last epoch that was proven: the next run goes on from there.
const trusted = existsSync(STATE) ? readFileSync(STATE) : waypoint;
const { provider } = verifiedFetch(fullnode, trusted, { onState: (state) => writeFileSync(STATE, state) });
const aptos = new Aptos(new AptosConfig({ network: Network.CUSTOM, fullnode, client: { provider } }));

const asset = "0x1::aptos_coin::AptosCoin";
const { ledger_version } = await aptos.getLedgerInfo();
const balance = await aptos.getBalance({ accountAddress, asset });
console.log(`proven up to version ${ledger_version}: ${accountAddress} has ${balance}`);
await aptos.getGasPriceEstimation().catch((error: unknown) => {
  if (!(error instanceof VerifiedFetchError)) throw error;
  console.log(`refused: ${error.message}`);
});
