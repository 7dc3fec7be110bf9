// Encoding a transfer as a function call, with the module in memory, against the minimum of any handler: parsing
// the same JSON. Measured in processor time.
import { parseAddress } from "../src/move/address.ts";
import { encodeSubmission } from "../src/transaction/encode-submission.ts";
import { functionAbi, moduleAbi } from "../test/support/abi.ts";
import { type BenchOptions, type BenchRow, compare, cpuNanosecondsEach } from "./harness.ts";

const ADDRESS = "0x88fbd33f54e1126269769780feb24480428179f552e2313fbe571b72e62a1ca1";

const TRANSFER = Buffer.from(
  JSON.stringify({
    sender: ADDRESS,
    sequence_number: "32425224034",
    max_gas_amount: "2000",
    gas_unit_price: "100",
    expiration_timestamp_secs: "1700000000",
    payload: {
      type: "entry_function_payload",
      function: "0x1::aptos_account::transfer",
      type_arguments: [],
      arguments: [ADDRESS, "500"],
    },
  }),
);

const module = moduleAbi(parseAddress("0x1"), "aptos_account", {
  functions: [
    functionAbi("transfer", [
      { kind: "reference", mutable: false, to: { kind: "signer" } },
      { kind: "address" },
      { kind: "u64" },
    ]),
  ],
});

/** Rows of the encoder. */
export async function benchmarkEncode(options: BenchOptions): Promise<readonly BenchRow[]> {
  const count = options.quick ? 5000 : 20_000;
  const context = { chainId: 1, loadModule: async () => module };
  const base = (): number => {
    const started = process.cpuUsage();
    let members = 0;
    for (let i = 0; i < count; i++) members += Object.keys(JSON.parse(TRANSFER.toString("utf8"))).length;
    if (members !== 6 * count) throw new Error("the request has six members");
    return cpuNanosecondsEach(started, count);
  };
  const ours = async (): Promise<number> => {
    const started = process.cpuUsage();
    for (let i = 0; i < count; i++) await encodeSubmission(TRANSFER, context);
    return cpuNanosecondsEach(started, count);
  };
  return [await compare("transfer, over JSON.parse", { ours, base }, { unit: "ns" })];
}
