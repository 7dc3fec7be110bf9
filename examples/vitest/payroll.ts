// A small program to be tested: pays salaries, and counts what it paid.
import type { Account, AccountAddressInput, Aptos } from "@aptos-labs/ts-sdk";

export interface Salary {
  readonly to: AccountAddressInput;
  readonly octas: number;
}

/** Pays one after the other; returns what left the payer's account, fees included. */
export async function paySalaries(
  aptos: Aptos,
  payer: Account,
  salaries: readonly Salary[],
): Promise<bigint> {
  let spent = 0n;
  for (const { to, octas } of salaries) {
    const transaction = await aptos.transferCoinTransaction({
      sender: payer.accountAddress,
      recipient: to,
      amount: octas,
    });
    const { hash } = await aptos.signAndSubmitTransaction({ signer: payer, transaction });
    const done = await aptos.waitForTransaction({ transactionHash: hash });
    if (!("gas_unit_price" in done)) throw new Error("not a transaction of a user");
    spent += BigInt(octas) + BigInt(done.gas_used) * BigInt(done.gas_unit_price);
  }
  return spent;
}
