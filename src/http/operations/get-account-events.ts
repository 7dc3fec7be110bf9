// The events of an account's handles, by the resource that has the handle or by the handle's number. Without an index: a
// handle counts its events in the state, so the version that emitted one is where its count passed the event's number.

import { firstPassing } from "../../base/search.ts";
import { decodeWith, type ValueOf } from "../../bcs/codec.ts";
import { BcsWriter } from "../../bcs/writer.ts";
import { API_ROOT } from "../../interface/route.ts";
import { ABSENT, type JsonDocument } from "../../json/document.ts";
import { parseJsonInSlices } from "../../json/parse.ts";
import { contractEventCodec } from "../../ledger/formats/block-event.ts";
import { readRecordHead } from "../../ledger/formats/record.ts";
import { readResource, readResources } from "../../ledger/items/resource-item.ts";
import type { StructType } from "../../ledger/items/state-types.ts";
import { type Address, formatAddress } from "../../move/address.ts";
import { HttpError } from "../errors.ts";
import { type Answer, type Context, encodedAnswer, operation } from "../operation.ts";
import { StoredValuePrinter } from "../printing/move-json.ts";
import { TransactionPrinter } from "../printing/printer.ts";
import { addressField } from "../schemas/address.ts";
import { ledgerVersionField, limitField, MAX_ITEMS } from "../schemas/integer.ts";
import { moduleNameField, resourceTypeField } from "../schemas/move-type.ts";
import { list } from "../schemas/named.ts";
import { VERSIONED_EVENT_SCHEMA } from "../schemas/transaction.ts";
import { transactionCount } from "./transaction-pages.ts";

/** Looking for a version reads the handle some thirty times. */
const MAX_IN_FLIGHT = 16;
/** Bytes of the events of a page; one version's may exceed it. */
const MAX_PAGE_BYTES = 2 << 20;

type HandleEvent = Extract<ValueOf<typeof contractEventCodec>, { kind: "v1" }>;
type EventContext = Pick<Context<"required">, "view" | "services" | "form" | "slices">;

/** An event handle: how many events it counted, and what tells it from others. */
type Handle = Readonly<Record<"counter" | "number" | "owner", string>>;

const COUNTER = /^\d{1,20}$/;

/** The text at the end of a path; undefined where there is none. */
function textAt(document: JsonDocument, value: number, ...path: readonly string[]): string | undefined {
  let at = value;
  for (const name of path) {
    if (at === ABSENT || document.kind(at) !== "object") return undefined;
    at = document.member(at, name);
  }
  return at !== ABSENT && document.kind(at) === "string" ? document.string(at) : undefined;
}

function handleAt(document: JsonDocument, value: number): Handle | undefined {
  const counter = textAt(document, value, "counter");
  if (counter === undefined || !COUNTER.test(counter)) return undefined;
  const number = textAt(document, value, "guid", "id", "creation_num");
  const owner = textAt(document, value, "guid", "id", "addr");
  return number === undefined || owner === undefined ? undefined : { counter, number, owner };
}

const lesser = (a: bigint, b: bigint): bigint => (a > b ? b : a);

/** The resource of an account that has a handle, at any version. */
class HandleHolder {
  readonly #context: EventContext;
  readonly #place: readonly [address: Address, type: StructType];

  constructor(context: EventContext, ...place: [address: Address, type: StructType]) {
    this.#context = context;
    this.#place = place;
  }

  /** The resource at a version; undefined where there is none. A large one prints to a million values. */
  async read(version: bigint): Promise<JsonDocument | undefined> {
    const { view, services, slices } = this.#context;
    const [address, type] = this.#place;
    const bytes = await readResource(view, services.types, address, type, version);
    if (bytes === undefined) return undefined;
    const printer = new StoredValuePrinter(services.types, view, version, slices);
    const printed = await printer.print(bytes, type.type, type.text);
    const text = await printed.finish();
    return parseJsonInSlices(typeof text === "string" ? Buffer.from(text) : text);
  }

  /** The handle with these identifiers anywhere in the resource at a version. */
  async find({ number, owner }: Omit<Handle, "counter">, version: bigint): Promise<Handle | undefined> {
    const document = await this.read(version);
    if (document === undefined) return undefined;
    const { root } = document;
    for (let at = root; at < document.next(root); ) {
      await this.#context.slices.pause();
      const found = handleAt(document, at);
      if (found?.number === number && found.owner === owner) return found;
      const isContainer = document.kind(at) === "object" || document.kind(at) === "array";
      at = isContainer ? document.first(at) : at + 1;
    }
    return undefined;
  }

  /** Events that the handle has counted at a version. */
  async countAt(handle: Handle, version: bigint): Promise<bigint> {
    return BigInt((await this.find(handle, version))?.counter ?? 0);
  }

  /** The first version, not below `from`, that has counted an event which the latest version has. */
  async findVersion(handle: Handle, number: bigint, from: bigint): Promise<bigint> {
    const { version: head } = this.#context.view.position;
    let [low, high] = [from, from];
    // Events often follow each other closely, so steps begin small.
    for (let step = 1n; (await this.countAt(handle, high)) <= number; step *= 2n) {
      low = high + 1n;
      high = lesser(high + step, head);
    }
    return firstPassing(low, high, async (version) => (await this.countAt(handle, version)) > number);
  }
}

interface EventPage {
  readonly start: bigint | undefined;
  readonly limit: number | undefined;
}

/** The events of a handle in the order of their numbers, by the versions that emitted them. */
async function readEvents(
  { view, slices }: EventContext,
  holder: HandleHolder,
  handle: Handle,
  { start, limit }: EventPage,
): Promise<readonly (readonly [version: bigint, events: readonly HandleEvent[]])[]> {
  const { oldestVersion: oldest } = view.position;
  const count = BigInt(transactionCount(limit));
  const total = BigInt(handle.counter);
  let next = start ?? (total > count ? total - count : 0n);
  const end = lesser(next + count, total);
  const found: [bigint, readonly HandleEvent[]][] = [];
  let bytes = 0;
  for (let version = oldest; next < end && bytes < MAX_PAGE_BYTES; ) {
    await slices.pause();
    version = await holder.findVersion(handle, next, version);
    const [record] = await view.getRecords(version, 1, 1);
    const all = readRecordHead(record?.bytes ?? Uint8Array.of()).events.map((span) =>
      decodeWith(contractEventCodec, span),
    );
    const { number, owner } = handle;
    const events = all.filter(
      (event): event is HandleEvent =>
        event.kind === "v1" && `${event.creationNumber}` === number && formatAddress(event.account) === owner,
    );
    const page = events.filter(({ sequenceNumber }) => sequenceNumber >= next && sequenceNumber < end);
    if (version === oldest && page[0]?.sequenceNumber !== next && start !== undefined) {
      throw new HttpError("version_pruned", `event ${next} is in a version below the oldest one, ${oldest}`);
    }
    if (page.length > 0) found.push([version, page]);
    for (const { data } of page) bytes += data.length;
    // A state that nobody computed may count events that it never emitted.
    const last = page.at(-1)?.sequenceNumber;
    next = last === undefined ? await holder.countAt(handle, version) : last + 1n;
  }
  return found;
}

async function eventsAnswer(
  context: EventContext,
  ...query: [holder: HandleHolder, handle: Handle, page: EventPage]
): Promise<Answer<string | Uint8Array>> {
  const { view, services, form, slices } = context;
  const found = await readEvents(context, ...query);
  if (form === "bcs") {
    const all = found.flatMap(([version, events]) => events.map((event) => [version, event] as const));
    const writer = new BcsWriter(4096).uleb(all.length);
    for (const [version, event] of all) contractEventCodec.write(writer.u64(version), event);
    return { data: writer.take(), version: undefined };
  }
  const printer = new TransactionPrinter(services.types, view, slices);
  return { data: await (await printer.printEvents(found)).finish(), version: undefined };
}

const EVENTS = {
  maxInFlight: MAX_IN_FLIGHT,
  query: {
    start: {
      ...ledgerVersionField,
      description: "The number of the first event. When left out, the page ends with the latest event.",
      example: "0",
    },
    limit: limitField,
  },
  answer: encodedAnswer(
    { schema: list(VERSIONED_EVENT_SCHEMA), description: "The events." },
    "A BCS vector of events, each after its version.",
  ),
} as const;

const DESCRIPTION =
  "in the order of their numbers, each with its version. Events without a handle, which are most of those that today's modules emit, belong to no account: look for them in transactions. A page may hold fewer than asked for.";

/** `GET /v1/accounts/{address}/events/{event_handle}/{field_name}` */
export const getEventsByHandle = operation({
  ...EVENTS,
  id: "get_events_by_event_handle",
  method: "GET",
  path: `${API_ROOT}/accounts/{address}/events/{event_handle}/{field_name}`,
  summary: "Events of a handle",
  description: `The events of the handle in a field of a resource, ${DESCRIPTION}`,
  params: {
    address: addressField,
    event_handle: { ...resourceTypeField, example: "0x1::block::BlockResource" },
    field_name: { ...moduleNameField, description: "The field's name.", example: "new_block_events" },
  },
  errors: ["invalid_page", "unprintable", "resource_not_found", "struct_field_not_found", "version_pruned"],
  async handle({ address, event_handle: type, field_name: name, start, limit }, context) {
    const holder = new HandleHolder(context, address, type);
    const resource = await holder.read(context.view.position.version);
    const at = `${type.text} at address ${formatAddress(address)}`;
    if (resource === undefined) throw new HttpError("resource_not_found", `no resource ${at}`);
    const handle = handleAt(resource, resource.member(resource.root, name));
    if (handle === undefined) {
      throw new HttpError("struct_field_not_found", `${at} has no event handle in a field ${name}`);
    }
    return eventsAnswer(context, holder, handle, { start, limit });
  },
});

/** `GET /v1/accounts/{address}/events/{creation_number}` */
export const getEventsByNumber = operation({
  ...EVENTS,
  id: "get_events_by_creation_number",
  method: "GET",
  path: `${API_ROOT}/accounts/{address}/events/{creation_number}`,
  summary: "Events by the number of their handle",
  description: `The events of the account's handle with this number, ${DESCRIPTION} Finds handles in the account's resources: one that another account or a table has is 404. 403 on a node that has no index, 503 while it builds one.`,
  switch: "index",
  params: {
    address: addressField,
    creation_number: {
      ...ledgerVersionField,
      description: "The handle's number in its account.",
      example: "3",
    },
  },
  errors: ["invalid_page", "unprintable", "resource_not_found", "version_pruned"],
  async handle({ address, creation_number: number, start, limit }, context) {
    const { view, slices } = context;
    const { version } = view.position;
    const id = { number: `${number}`, owner: formatAddress(address) };
    // What identifies a handle: every resource that has it has these bytes.
    const wanted = Buffer.from(new BcsWriter(64).u64(number).fixed(address).take());
    let after: Uint8Array | undefined;
    do {
      const page = await readResources(view, { address, version, after, limit: MAX_ITEMS }, slices);
      for (const { type, bytes } of page.items) {
        await slices.pause();
        if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes(wanted)) continue;
        const holder = new HandleHolder(context, address, type);
        const handle = await holder.find(id, version);
        if (handle !== undefined) return eventsAnswer(context, holder, handle, { start, limit });
      }
      after = page.next;
    } while (after !== undefined);
    throw new HttpError("resource_not_found", `no resource at ${id.owner} has an event handle ${number}`);
  },
});
