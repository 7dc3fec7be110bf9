// Bounds of the submitted transactions of one block.
import { expect, it } from "vitest";
import { signCall } from "../../test/support/submitter.ts";
import { encodeWith } from "../bcs/codec.ts";
import { u64 } from "../bcs/scalars.ts";
import { createKeypair } from "./keys.ts";
import { chainSeed } from "./local-chain.ts";
import { toSubmitted } from "./submission/submitted.ts";
import { takeWaiting } from "./take-submitted.ts";

it("are few where each writes much: verifiers take 64 MiB of records between two checkpoints", async () => {
  const alice = createKeypair(chainSeed("take"), "alice");
  const waiting = Array.from({ length: 20 }, (_, i) =>
    toSubmitted(signCall(alice, { function: "a::b", args: [encodeWith(u64, BigInt(i))] })),
  );
  const recordBytes = 12 << 20;
  let taken = 0;
  const queue = { waiting, faucet: alice.address, settle: () => taken++ };
  const run = async () => ({ gasUsed: 1600n, recordBytes });
  expect(await takeWaiting(queue, { timestampUsec: 0n, isFork: false }, run)).toBe(true);
  expect(taken).toBe(3);
});
