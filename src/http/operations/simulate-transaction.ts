// Simulates a transaction on the head of the ledger.
import { BcsWriter } from "../../bcs/writer.ts";
import type { Field } from "../field.ts";
import { encodedAnswer, operation } from "../operation.ts";
import { AnswerText } from "../printing/answer-text.ts";
import { TransactionPrinter } from "../printing/printer.ts";
import { quotedField } from "../schemas/flag.ts";
import { signedTransactionBody } from "../schemas/signed-transaction.ts";
import { USER_SCHEMA } from "../schemas/transaction.ts";

function flag(description: string): Field<boolean> {
  return { ...quotedField, description };
}

/** Checks and runs of long calls take turns. */
const MAX_IN_FLIGHT = 128;

/** `POST /v1/transactions/simulate` */
export const simulateTransaction = operation({
  id: "simulate_transaction",
  method: "POST",
  path: "/v1/transactions/simulate",
  summary: "Simulate a transaction",
  description:
    "Runs any transaction on the head of the ledger and keeps nothing: by the bytecode of the chain's own framework, on every node whose ledger has one. The answer is the transaction as it would be committed, with gas, events and changes, and zeros for the hashes; its level of trust is the weakest of all that was read. Its signatures must not be valid, because anyone could submit what is signed: send zeros. A transaction that the chain would refuse is answered too, with the reason as its `vm_status`. On a local chain, whose framework has no code, calls that it has no native for are refused as in `submit_transaction`.",
  ledger: "required",
  switchable: true,
  switch: "simulate",
  maxInFlight: MAX_IN_FLIGHT,
  params: {},
  query: {
    estimate_max_gas_amount: flag(
      "Simulate with the most gas that the sender can pay for, and ignore `max_gas_amount`.",
    ),
    estimate_gas_unit_price: flag("Simulate with the estimated gas price, and ignore `gas_unit_price`."),
    estimate_prioritized_gas_unit_price: flag(
      "Simulate with the estimated gas price of a preferred transaction, and ignore `gas_unit_price`.",
    ),
  },
  body: signedTransactionBody,
  answer: encodedAnswer(
    {
      schema: { type: "array", minItems: 1, maxItems: 1, items: USER_SCHEMA },
      description: "The transaction.",
    },
    "A vector of one record, as in `GET /v1/transactions`.",
  ),
  errors: ["invalid_transaction", "refused_transaction", "unprintable"],
  async handle({ body, ...query }, { view, services, form, slices }) {
    let gasUnitPrice: bigint | undefined;
    const isPrioritized = query.estimate_prioritized_gas_unit_price === true;
    if (isPrioritized || query.estimate_gas_unit_price === true) {
      const { market, prioritized } = await services.gasPrices.estimate(view);
      gasUnitPrice = isPrioritized ? prioritized : market;
    }
    const maxGasAmount = query.estimate_max_gas_amount === true;
    if (services.simulator === undefined) throw new Error("simulations are switched off");
    const record = await services.simulator(body, view, { maxGasAmount, gasUnitPrice }, slices);
    const { version, timestampUsec } = view.position;
    const data =
      form === "bcs"
        ? new BcsWriter(record.length + 1).uleb(1).fixed(record).take()
        : await new AnswerText()
            .add("[")
            .append(await new TransactionPrinter(services.types, view, slices).print(record, timestampUsec))
            .add("]")
            .finish();
    return { data, version };
  },
});
