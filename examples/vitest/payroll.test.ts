// Tests on a chain of their own: a node in this process, with accounts, a faucet and a clock that the test sets. Each test
// begins where the last one began.
import { Account, Aptos, AptosConfig, Ed25519PrivateKey } from "@aptos-labs/ts-sdk";
import { type ChainSnapshot, createNode, type Node } from "sextant";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { paySalaries } from "./payroll.ts";

const APT = "0x1::aptos_coin::AptosCoin";
const payer = Account.fromPrivateKey({
  privateKey: new Ed25519PrivateKey(`ed25519-priv-0x${"11".repeat(32)}`),
});
const [anna, ben] = [`0x${"a1".repeat(32)}`, `0x${"b2".repeat(32)}`];

let node: Node;
let aptos: Aptos;
let snapshot: ChainSnapshot;

beforeAll(async () => {
  node = await createNode({
    accounts: [{ key: payer.privateKey.toUint8Array(), balances: { [APT]: 1_000_000_000n } }],
    // A year that a test lets pass would otherwise be longer than what the node keeps of history.
    pruneWindow: "off",
    // Port 0: any free one, so that test files can run side by side.
    http: { port: 0 },
    // With a seed the clock begins with 2024: a test may advance it by a year, and the SDK's transactions do not expire.
    localChain: { seed: "payroll", blockOnSubmit: true, traffic: false, faucetPort: 0 },
  });
  aptos = new Aptos(new AptosConfig(node.sdkConfig));
});
afterAll(() => node.close());
beforeEach(async () => {
  snapshot = await node.snapshot();
});
afterEach(async () => {
  await node.revert(snapshot);
});

describe("salaries", () => {
  it("arrive, and cost what was counted", async () => {
    const spent = await paySalaries(aptos, payer, [
      { to: anna, octas: 3000 },
      { to: ben, octas: 4000 },
    ]);
    expect(await node.balance(anna, APT)).toBe(3000n);
    expect(await node.balance(ben, APT)).toBe(4000n);
    expect(await node.balance(payer.accountAddress.toString(), APT)).toBe(1_000_000_000n - spent);
  });

  it("are not there in the next test", async () => {
    expect(await node.balance(anna, APT)).toBe(0n);
  });

  it("fail when the payer has too little", async () => {
    await node.setBalance(payer.accountAddress.toString(), APT, 5n);
    await expect(paySalaries(aptos, payer, [{ to: anna, octas: 3000 }])).rejects.toThrow(
      "INSUFFICIENT_BALANCE_FOR_TRANSACTION_FEE",
    );
    expect(await node.balance(anna, APT)).toBe(0n);
  });

  it("of a whole year are read at the time of each", async () => {
    await paySalaries(aptos, payer, [{ to: anna, octas: 3000 }]);
    const { ledger_timestamp } = await node.ledgerInfo();
    await node.advanceTime(365 * 86_400_000);
    await paySalaries(aptos, payer, [{ to: anna, octas: 3500 }]);
    expect(await node.balance(anna, APT)).toBe(6500n);
    const then = new Date(Number(ledger_timestamp / 1000n) + 1000);
    expect(await node.balance(anna, APT, { at: then })).toBe(3000n);
  });
});

describe("the faucet", () => {
  it("funds a new account", async () => {
    const account = Account.generate();
    await aptos.fundAccount({ accountAddress: account.accountAddress, amount: 1234 });
    expect(await aptos.getAccountAPTAmount(account)).toBe(1234);
  });
});
