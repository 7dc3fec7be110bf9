// Lists of what an account has, in pages that all belong to one version. The operations differ in what they read.
import { compareBytes } from "../../../base/bytes.ts";
import type { Slices } from "../../../base/wait.ts";
import { BcsWriter } from "../../../bcs/writer.ts";
import type { MinVersionName, Route } from "../../../interface/route.ts";
import { isAddressKnown } from "../../../ledger/items/account.ts";
import type { AccountItemsPage, AccountItemsQuery } from "../../../ledger/items/resource-item.ts";
import type { StateTypes } from "../../../ledger/items/state-types.ts";
import type { LedgerView } from "../../../ledger/view.ts";
import type { Address } from "../../../move/address.ts";
import { type Asker, fromJson } from "../../calls/asker.ts";
import { readAtArgs } from "../../calls/operands.ts";
import type { ReadOptions } from "../../calls/options.ts";
import type { JsonSchema } from "../../field.ts";
import { encodedAnswer, type Operation, operation } from "../../operation.ts";
import { AnswerText } from "../../printing/answer-text.ts";
import { addressField } from "../../schemas/address.ts";
import { itemLimitField, MAX_ITEMS } from "../../schemas/integer.ts";
import { cursorText, pageCursorField, pageStart } from "../../schemas/page-cursor.ts";
import { readAtFields } from "../../schemas/read-at.ts";
import { accountNotFound } from "../get-account.ts";

const MAX_IN_FLIGHT = 64;

/** What a list reads. */
interface AccountItems<T, C extends object> {
  readonly id: string;
  readonly route: Route<string, "ledger_version" | "at" | "limit" | "start" | MinVersionName>;
  readonly summary: string;
  /** The first sentence of the description. */
  readonly description: string;
  /** What they are called, and what `limit` counts. */
  readonly name: string;
  readonly limited: string;
  readonly schema: JsonSchema;
  /** What a BCS map of them is. */
  readonly bcsDescription: string;
  read(view: LedgerView, query: AccountItemsQuery, slices: Slices): Promise<AccountItemsPage<T>>;
  /** Key and value of an item in the BCS map. */
  toEntry(item: T, address: Address): readonly [key: Uint8Array, value: Uint8Array];
  /** Adds the JSON texts of items at a version, with commas between them. */
  print(
    out: AnswerText,
    items: readonly T[],
    at: {
      readonly types: StateTypes;
      readonly view: LedgerView;
      readonly version: bigint;
      readonly address: Address;
      readonly slices: Slices;
    },
  ): Promise<void>;
  /** The call, by what lists all items, each as the answer has it. */
  calls(list: (address: string, options?: ReadOptions) => AsyncGenerator<never>): C;
}

/** A BCS map is in the order of its keys' bytes. */
function toBcs(entries: readonly (readonly [key: Uint8Array, value: Uint8Array])[]): Uint8Array {
  const sorted = entries.toSorted(([a], [b]) => compareBytes(a, b));
  const writer = new BcsWriter(4096).uleb(sorted.length);
  for (const [key, value] of sorted) writer.fixed(key).byteString(value);
  return writer.take();
}

/** The operation of a list. */
export function accountItemsOperation<T, C extends object>(
  list: AccountItems<T, C>,
): Operation & { calls(node: Asker): C } {
  const { name } = list;
  const made = operation({
    id: list.id,
    method: list.route.method,
    // Only the parameter counts for the types.
    path: list.route.path as "/{address}",
    queryNames: list.route.queryNames,
    summary: list.summary,
    description: `${list.description} Comes in pages, which all belong to the version of the first: while there is more, \`X-NODE-CURSOR\` gives the \`start\` of the next one, and a page may hold fewer ${name} than asked for, even none. 403 on a node that has no index, 503 while it builds one.`,
    switch: "index",
    isPaged: true,
    maxInFlight: MAX_IN_FLIGHT,
    params: { address: addressField },
    query: { ...readAtFields, limit: itemLimitField(list.limited), start: pageCursorField },
    answer: encodedAnswer(
      { schema: { type: "array", items: list.schema }, description: `The ${name}.` },
      list.bcsDescription,
    ),
    errors: ["unprintable", "account_not_found"],
    async handle(args, { view, services, form, slices }) {
      const { address, limit = MAX_ITEMS } = args;
      const { version, timestampUsec, after } = await pageStart(view, args);
      const { items, next } = await list.read(view, { address, version, after, limit }, slices);
      if (items.length === 0 && !(await isAddressKnown(view, address, version))) {
        throw accountNotFound(address, version);
      }
      const about = { version, timestampUsec, cursor: await cursorText(view, version, next) };
      if (form === "bcs") return { data: toBcs(items.map((item) => list.toEntry(item, address))), ...about };
      const out = new AnswerText().add("[");
      await list.print(out, items, { types: services.types, view, version, address, slices });
      return { data: await out.add("]").finish(), ...about };
    },
    calls: (node: Asker): C =>
      list.calls(async function* (address, options = {}) {
        const args = { address: node.args.address(address), ...readAtArgs(options) };
        for await (const page of node.pages(made, args, options, fromJson<never[]>)) yield* page;
      }),
  });
  return made;
}
