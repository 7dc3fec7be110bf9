// `0x1::coin` and `0x1::aptos_coin`: the transfer of a coin, and the faucet's mint.
import { equalBytes } from "../../base/bytes.ts";
import { MoveAbort } from "./aborts.ts";
import { mintCoin, NATIVE_COIN, transferCoin } from "./coins.ts";
import { ADDRESS, type ModelledFunction, modelled, U64 } from "./modelled.ts";

const transfer = modelled({
  module: "coin",
  name: "transfer",
  typeParameters: 1,
  parameters: [ADDRESS, U64],
  run: (call, { sender: from, args: [to, amount], type }) => transferCoin(call, type, { from, to, amount }),
});

const mint = modelled({
  module: "aptos_coin",
  name: "mint",
  parameters: [ADDRESS, U64],
  run: async (call, { sender, args: [to, amount] }) => {
    if (!equalBytes(sender, call.faucet)) throw new MoveAbort("noMintCapability");
    await mintCoin(call, NATIVE_COIN, to, amount);
  },
});

export const COIN: readonly ModelledFunction[] = [transfer, mint];
