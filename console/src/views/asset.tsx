// An asset: what the ledger says of it, and who of the demo accounts holds it.
import type { JSX } from "preact";
import { type Answer, ask } from "../lib/api.ts";
import { useAssets } from "../lib/assets.ts";
import { fullAddress } from "../lib/format.ts";
import { live } from "../lib/live.ts";
import { useStore } from "../lib/store.ts";
import { useLoad } from "../lib/use-load.ts";
import { AddressForm } from "../parts/address-form.tsx";
import {
  Address,
  Amount,
  Card,
  Empty,
  Fact,
  Facts,
  LedgerText,
  Load,
  MoveType,
  Skeleton,
  Title,
} from "../parts/basics.tsx";

/** All units there are: the node runs the framework's own function. Undefined where the asset does not count them. */
async function supplyOf(asset: string, signal: AbortSignal): Promise<string | undefined> {
  const call = asset.includes("::")
    ? { function: "0x1::coin::supply", type_arguments: [asset], arguments: [] }
    : {
        function: "0x1::fungible_asset::supply",
        type_arguments: ["0x1::fungible_asset::Metadata"],
        arguments: [asset],
      };
  const { data } = await ask<readonly [{ readonly vec: readonly string[] }]>("view", { body: call, signal });
  return data[0].vec[0];
}

function Holders({ asset, decimals }: { readonly asset: string; readonly decimals: number | undefined }) {
  const accounts = useStore(live, ({ info }) => info?.demo_accounts);
  const held = useLoad(accounts === undefined ? undefined : `holders ${asset}`, async (signal) => {
    const addresses = Object.values(accounts ?? {});
    const body = { queries: addresses.map((address) => ({ address, asset_type: asset })) };
    const { data } = await ask<Answer<"get_balances">>("balances", { body, signal });
    return addresses.map((address, index) => {
      const found = data.balances[index];
      return { address, balance: found !== undefined && "balance" in found ? found.balance : undefined };
    });
  });
  if (accounts === undefined) return null;
  return (
    <Card title="Held by the demo accounts">
      <Load loaded={held}>
        {(rows) => (
          <table class="rows fits">
            <thead>
              <tr>
                <th scope="col">Account</th>
                <th scope="col" class="right">
                  Balance
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ address, balance }) => (
                <tr key={address}>
                  <td>
                    <Address address={address} query={{ asset }} />
                  </td>
                  <td class="right">
                    {balance === undefined ? "–" : <Amount amount={balance} decimals={decimals} />}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </Load>
    </Card>
  );
}

export function AssetView({ asset: given }: { readonly asset: string }): JSX.Element {
  const asset = given.includes("::") ? given : (fullAddress(given) ?? given);
  const facts = useAssets([asset])[asset];
  const names = useStore(live, ({ info }) => info?.demo_accounts);
  const supply = useLoad(`supply ${asset}`, (signal) => supplyOf(asset, signal));
  if (facts === undefined) return <Skeleton />;
  const { id, name, symbol, decimals } = facts;
  if (symbol === undefined) {
    return (
      <>
        <Title text="Asset" />
        <Empty title="The ledger has no such asset">
          <p>
            <LedgerText text={asset} max={200} />
          </p>
        </Empty>
      </>
    );
  }
  return (
    <>
      <Title text={`Asset ${symbol}`} />
      <Card>
        <Facts>
          <Fact name="Name">
            <LedgerText text={name ?? ""} />
          </Fact>
          <Fact name="Symbol">
            <LedgerText text={symbol} />
          </Fact>
          <Fact name="Decimals">{decimals ?? "–"}</Fact>
          {supply.data === undefined ? undefined : (
            <Fact name="Supply">
              <Amount amount={supply.data} decimals={decimals} symbol={symbol} />
            </Fact>
          )}
          {asset.includes("::") ? (
            <Fact name="Coin type" wide>
              <MoveType type={asset} />
            </Fact>
          ) : undefined}
          {fullAddress(id) === undefined ? undefined : (
            <Fact name="Metadata">
              <Address address={id} name={false} />
            </Fact>
          )}
        </Facts>
      </Card>
      <Card title="Balance of an account">
        <AddressForm
          view="account"
          label="Address or demo name"
          placeholder="0x1"
          expected="an address of up to 64 hex digits, or a demo name"
          names={names}
          query={{ asset }}
        />
      </Card>
      <Holders asset={asset} decimals={decimals} />
    </>
  );
}
