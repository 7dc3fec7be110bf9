// The start screen of a local chain: accounts with their assets, tables with keys, and a command to try for each
// operation.
import { JSON_TYPE } from "../interface/media-types.ts";
import { urlTo } from "../interface/route.ts";
import { balanceRoute, encodeRoute, infoRoute, rawItemRoute } from "../interface/routes.ts";
import type { Node } from "../node.ts";

function encodeRequest(sender: string, receiver: string): string {
  return JSON.stringify({
    sender,
    sequence_number: "0",
    max_gas_amount: "2000",
    gas_unit_price: "100",
    expiration_timestamp_secs: "32425224034",
    payload: {
      type: "entry_function_payload",
      function: "0x1::aptos_account::transfer",
      type_arguments: [],
      arguments: [receiver, "1000"],
    },
  });
}

/** One curl line for each of the four operations, against a base URL. */
function curlLines(
  url: string,
  shown: { account: string; other: string; asset: string; handle: string; key: string },
): string[] {
  const json = `-H 'Content-Type: ${JSON_TYPE}'`;
  const balance = urlTo(url, balanceRoute, { address: shown.account, asset_type: shown.asset });
  const item = urlTo(url, rawItemRoute, { table_handle: shown.handle });
  return [
    `curl -s '${balance}'`,
    `curl -s ${json} -d '{"key":"${shown.key}"}' '${item}'`,
    `curl -s ${json} -d '${encodeRequest(shown.account, shown.other)}' '${urlTo(url, encodeRoute)}'`,
    `curl -s '${urlTo(url, infoRoute)}'`,
  ];
}

/** Lines for a person who just started a local chain; none for other nodes. */
export function guideLines(node: Node): string[] {
  const guide = node.guide();
  const { url } = node;
  if (guide === undefined || url === undefined) return [];
  const [first, second] = guide.accounts;
  const table = guide.tables[0];
  const key = table?.keys[0];
  const asset = first?.assets[0];
  if (!first || !second || !table || !key || !asset) return [];
  const lines = ["", "Accounts:"];
  for (const account of guide.accounts) {
    lines.push(`  ${account.name.padEnd(6)} ${account.address}  ${account.note}`);
    for (const held of account.assets) {
      const note = held.note === "" ? "" : `, ${held.note}`;
      lines.push(`         ${held.symbol.padEnd(6)} ${held.asset}  (${held.form}${note})`);
    }
  }
  lines.push("", "Tables:");
  for (const one of guide.tables) {
    lines.push(`  ${one.name.padEnd(6)} ${one.handle}  ${one.note}`);
    const shownKey = one.keys[0];
    if (shownKey !== undefined)
      lines.push(`         key ${shownKey.name} = ${shownKey.key}  (${shownKey.note})`);
  }
  const shown = {
    account: first.address,
    other: second.address,
    asset: asset.asset,
    handle: table.handle,
    key: key.key,
  };
  lines.push("", "Try:", ...curlLines(url, shown).map((line) => `  ${line}`), "");
  return lines;
}
