// Items of a table: look one up by its key, or page through the rows.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Answer, ApiError, ask, path, urlOf } from "../lib/api.ts";
import { fullAddress, groupDigits } from "../lib/format.ts";
import { encodeKey, KEY_TYPES, keyJson } from "../lib/key-bytes.ts";
import { isUndecided, live } from "../lib/live.ts";
import { decodeBytes, type Structs } from "../lib/move-types.ts";
import { apiQuery, type ReadAt, readAtOf, viewQuery } from "../lib/read-at.ts";
import { go, linkHere, linkTo } from "../lib/router.ts";
import { useStore } from "../lib/store.ts";
import { loadStructs } from "../lib/structs.ts";
import { type TableTypes, typesInAccount, typesOfField } from "../lib/table-types.ts";
import { useLoad } from "../lib/use-load.ts";
import { AddressForm } from "../parts/address-form.tsx";
import {
  Card,
  CodeLine,
  Copy,
  Empty,
  Fact,
  Facts,
  Field,
  LedgerText,
  Load,
  MonoField,
  MoveType,
  ScrollBox,
  Skeleton,
  Title,
} from "../parts/basics.tsx";
import { ReadAtControl } from "../parts/read-at.tsx";
import { Tree } from "../parts/tree.tsx";
import { TypedValue } from "../parts/typed-value.tsx";

type Row = Answer<"get_table_items">[number];

const PAGE = 25;
/** Keys whose bytes are shown without a type. */
const RAW = "raw";

type Query = Readonly<Record<string, string>>;

/** The types of a table, with the fields of the structs in them. */
interface KnownTypes extends TableTypes {
  readonly structs: Structs;
}

function HandleForm({ handle }: { readonly handle: string | undefined }): JSX.Element {
  const info = useStore(live, (value) => value.info);
  const tables = Object.entries(info?.demo_tables ?? {});
  return (
    <Card>
      <AddressForm
        view="table"
        label="Handle of the table"
        placeholder="0x…"
        expected="a handle of up to 64 hex digits"
        names={info?.demo_tables}
        initial={handle}
      />
      {tables.length === 0 ? undefined : (
        <p>
          <span class="faint">On this chain: </span>
          {tables.map(([name, at]) => (
            <a key={name} class="button small chip" href={linkTo(["table", at])}>
              {name}
            </a>
          ))}
        </p>
      )}
    </Card>
  );
}

/** Types that the URL names, or that a resource with this table has. */
function useTypes(handle: string, { key_type: key, value_type: value, resource, field, owner }: Query) {
  const info = useStore(live, (state) => state.info);
  const isDemo = Object.values(info?.demo_tables ?? {}).includes(handle);
  const demo = isDemo ? info?.demo_accounts?.demo : undefined;
  const isKnown = key !== undefined && value !== undefined;
  return useLoad<KnownTypes | undefined>(
    info === undefined ? undefined : `types ${handle} ${key} ${value} ${resource} ${field} ${owner}`,
    async (signal) => {
      const find = async (): Promise<TableTypes | undefined> => {
        if (isKnown) return { key, value };
        if (resource !== undefined && field !== undefined) return typesOfField(resource, field, signal);
        const holder = owner ?? demo;
        return holder === undefined ? undefined : typesInAccount(holder, handle, signal);
      };
      const types = await find();
      if (types === undefined) return undefined;
      return { ...types, structs: await loadStructs([types.key, types.value], signal) };
    },
  );
}

/** Bytes with their offsets, sixteen a line. */
function HexDump({ hex }: { readonly hex: string }): JSX.Element {
  const digits = hex.slice(2);
  const lines = digits.match(/.{1,32}/g) ?? [];
  const shown = lines.slice(0, 64);
  return (
    <ScrollBox look="hex-dump mono" label="Bytes of the value">
      {shown.map((line, index) => (
        <div key={index}>
          <span class="faint">{(index * 16).toString(16).padStart(4, "0")}</span>{" "}
          {(line.match(/.{1,2}/g) ?? []).join(" ")}
        </div>
      ))}
      {lines.length > shown.length ? (
        <div class="faint">and {lines.length - shown.length} more lines</div>
      ) : undefined}
    </ScrollBox>
  );
}

function Item({
  handle,
  keyHex,
  types,
  at,
}: {
  readonly handle: string;
  readonly keyHex: string;
  readonly types: KnownTypes | undefined;
  readonly at: ReadAt;
}): JSX.Element {
  const query = apiQuery(at);
  const body = { key: keyHex };
  const raw = useLoad(`item ${handle} ${keyHex} ${JSON.stringify(query)}`, async (signal) => {
    const { data, ledger } = await ask<string>(`${path("tables", handle)}/raw_item`, { query, body, signal });
    return { hex: data, version: ledger.readVersion };
  });
  const key = types === undefined ? undefined : decodeBytes(types.key, keyHex, types.structs);
  const isSimple = key !== undefined && typeof key !== "object";
  const value =
    types === undefined || raw.data === undefined
      ? undefined
      : decodeBytes(types.value, raw.data.hex, types.structs);
  // The value of the bytes that are shown: at the head it may be another one by now.
  const readAt = raw.data?.version === undefined ? query : { ledger_version: raw.data.version };
  // What the ABIs do not describe, such as enums, the node decodes where the key can be written.
  const decoded = useLoad(
    types === undefined || !isSimple || raw.data === undefined || value !== undefined
      ? undefined
      : `decoded ${handle} ${keyHex} ${types.key} ${types.value} ${JSON.stringify(readAt)}`,
    async (signal) => {
      const request = {
        key_type: types?.key,
        value_type: types?.value,
        key: keyJson(types?.key ?? "", key),
      };
      const { data } = await ask<unknown>(`${path("tables", handle)}/item`, {
        query: readAt,
        body: request,
        signal,
      });
      return data;
    },
  );
  const isAbsent = raw.error instanceof ApiError && raw.error.code === "table_item_not_found";
  const curl = `curl -H 'Content-Type: application/json' -d '${JSON.stringify(body)}' '${urlOf(`${path("tables", handle)}/raw_item`, query)}'`;
  return (
    <Card title="Item">
      <Facts>
        <Fact name="Key">
          {key === undefined ? undefined : (
            <b data-testid="key">
              <TypedValue type={types?.key} value={key} />{" "}
            </b>
          )}
          <span class="mono">
            <LedgerText text={keyHex} max={100} />
          </span>
          <Copy text={keyHex} label="key" />
        </Fact>
        {raw.data === undefined ? undefined : (
          <>
            <Fact name="Size">{groupDigits(`${(raw.data.hex.length - 2) / 2}`)} bytes</Fact>
            <Fact name="At version">{groupDigits(raw.data.version ?? "")}</Fact>
          </>
        )}
      </Facts>
      {isAbsent ? (
        <Empty title="The table has no such item">
          <p>There is nothing under this key at this version.</p>
        </Empty>
      ) : (
        <Load loaded={raw}>
          {({ hex }) => (
            <>
              {types === undefined || (value === undefined && !isSimple) ? undefined : (
                <div data-testid="decoded">
                  <p class="label">
                    Decoded as <MoveType type={types.value} />
                  </p>
                  {value === undefined ? (
                    <Load loaded={decoded} lines={1}>
                      {(told) => <Tree value={told} />}
                    </Load>
                  ) : (
                    <TypedValue type={types.value} value={value} />
                  )}
                </div>
              )}
              <p class="label">
                Bytes <Copy text={hex} label="bytes of the value" />
              </p>
              <div data-testid="raw" data-hex={hex}>
                <HexDump hex={hex} />
              </div>
            </>
          )}
        </Load>
      )}
      <CodeLine text={curl} label="curl command" />
    </Card>
  );
}

function KeyForm({
  types,
  onKey,
}: {
  readonly types: KnownTypes | undefined;
  readonly onKey: (hex: string, type: string) => void;
}): JSX.Element {
  const known = KEY_TYPES.find(([type]) => type === types?.key)?.[0];
  const [type, setType] = useState<string>(known ?? RAW);
  const [text, setText] = useState("");
  const [error, setError] = useState<string>();
  useEffect(() => {
    if (known !== undefined) setType(known);
  }, [known]);
  let bytes: string | undefined;
  try {
    bytes = text === "" ? undefined : encodeKey(type, text);
  } catch {
    // The reader has not finished typing; a press of the button says what is wrong.
  }
  return (
    <form
      class="inline-form"
      onSubmit={(event) => {
        event.preventDefault();
        try {
          onKey(encodeKey(type, text), type);
          setError(undefined);
        } catch (failure) {
          setError((failure as Error).message);
        }
      }}
    >
      <Field label="Type of the key">
        {(ids) => (
          <select {...ids} value={type} onChange={(event) => setType(event.currentTarget.value)}>
            {KEY_TYPES.map(([value, name]) => (
              <option key={value} value={value}>
                {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <MonoField
        label="Key"
        error={error}
        hint={
          bytes === undefined ? undefined : (
            <>
              as bytes: <span class="mono">{bytes.length > 74 ? `${bytes.slice(0, 72)}…` : bytes}</span>
            </>
          )
        }
        value={text}
        onInput={(value) => {
          setText(value);
          setError(undefined);
        }}
      />
      <button type="submit" class="button primary">
        Look up
      </button>
    </form>
  );
}

function Rows({
  handle,
  types,
  at,
  linkOf,
  start,
  pageLink,
}: {
  readonly handle: string;
  readonly types: KnownTypes | undefined;
  readonly at: ReadAt;
  readonly linkOf: (key: string) => string;
  readonly start: string | undefined;
  readonly pageLink: (start: string | undefined) => string;
}): JSX.Element {
  const query = { ...apiQuery(at), limit: PAGE, start };
  const loaded = useLoad(`rows ${handle} ${JSON.stringify(query)}`, async (signal) => {
    const { data, ledger } = await ask<Row[]>(`${path("tables", handle)}/items`, { query, signal });
    return { rows: data, cursor: ledger.cursor };
  });
  return (
    <Card
      title="Rows"
      actions={start === undefined ? undefined : <a href={pageLink(undefined)}>first page</a>}
    >
      <Load loaded={loaded} lines={5}>
        {({ rows, cursor }) => (
          <>
            {rows.length === 0 ? (
              <Empty title="No rows">
                <p>No table with this handle has a row at this version.</p>
              </Empty>
            ) : (
              <table class="rows fits">
                <thead>
                  <tr>
                    <th scope="col">Key</th>
                    <th scope="col">Value</th>
                  </tr>
                </thead>
                <tbody>
                  {rows.map(({ key, value }) => {
                    const plainKey =
                      types === undefined ? undefined : decodeBytes(types.key, key, types.structs);
                    const plainValue =
                      types === undefined || value === null
                        ? undefined
                        : decodeBytes(types.value, value, types.structs);
                    return (
                      <tr key={key}>
                        <td>
                          <a href={linkOf(key)} class={plainKey === undefined ? "mono" : ""}>
                            <LedgerText
                              text={
                                plainKey === undefined
                                  ? key
                                  : typeof plainKey === "string"
                                    ? plainKey
                                    : JSON.stringify(plainKey)
                              }
                              max={64}
                              isInside
                            />
                          </a>
                        </td>
                        <td class={plainValue === undefined ? "mono" : "num"}>
                          {plainValue === undefined ? (
                            <LedgerText text={value ?? "deleted"} max={64} />
                          ) : (
                            <TypedValue type={types?.value} value={plainValue} />
                          )}
                        </td>
                      </tr>
                    );
                  })}
                </tbody>
              </table>
            )}
            {cursor === undefined ? undefined : (
              <div class="buttons">
                <a class="button" href={pageLink(cursor)}>
                  Next page
                </a>
              </div>
            )}
          </>
        )}
      </Load>
    </Card>
  );
}

/** The ledger does not keep the types of a table: who knows them can say them. */
function TypesForm({ onTypes }: { readonly onTypes: (key: string, value: string) => void }): JSX.Element {
  const [key, setKey] = useState("");
  const [value, setValue] = useState("");
  return (
    <details class="advanced">
      <summary>Decode keys and values</summary>
      <form
        class="inline-form"
        onSubmit={(event) => {
          event.preventDefault();
          if (key.trim() !== "" && value.trim() !== "") onTypes(key.trim(), value.trim());
        }}
      >
        <MonoField label="Their keys are of type" placeholder="address" value={key} onInput={setKey} />
        <MonoField label="Their values are of type" placeholder="u64" value={value} onInput={setValue} />
        <button type="submit" class="button primary">
          Decode
        </button>
      </form>
    </details>
  );
}

export function TableView({
  handle: given,
  query,
}: {
  readonly handle: string | undefined;
  readonly query: Query;
}): JSX.Element {
  const info = useStore(live, (state) => state.info);
  const handle = given === undefined ? undefined : (info?.demo_tables?.[given] ?? fullAddress(given));
  const types = useTypes(handle ?? "", query).data;
  const at = readAtOf(query);
  if (given !== undefined && isUndecided(info, given)) return <Skeleton />;
  if (handle === undefined) {
    return (
      <>
        <Title text="Tables" />
        {given === undefined ? undefined : (
          <Empty title="That is no handle">
            <p>
              <LedgerText text={given} max={100} />
            </p>
          </Empty>
        )}
        <HandleForm handle={given} />
      </>
    );
  }
  const name = Object.entries(info?.demo_tables ?? {}).find(([, known]) => known === handle)?.[0];
  const { start: _start, ...kept } = query;
  const linkWith = (change: Readonly<Record<string, string | undefined>>): string =>
    linkHere({ ...kept, ...change });
  return (
    <>
      <Title text={name === undefined ? "Table" : `Table ${name}`}>
        <p class="title-address">
          <span class="mono">{handle}</span>
          <Copy text={handle} label="handle" />
        </p>
      </Title>
      {types === undefined ? (
        <TypesForm onTypes={(key_type, value_type) => go(linkWith({ key_type, value_type }))} />
      ) : (
        <p class="faint">
          from <MoveType type={types.key} /> to <MoveType type={types.value} />
        </p>
      )}
      <div class="toolbar">
        <ReadAtControl
          value={at}
          onChange={(next) => go(linkWith({ version: undefined, at: undefined, ...viewQuery(next) }))}
        />
      </div>
      <Card title="Look up a key">
        <KeyForm types={types} onKey={(hex) => go(linkWith({ key: hex }))} />
      </Card>
      {query.key === undefined ? undefined : (
        <Item handle={handle} keyHex={query.key} types={types} at={at} />
      )}
      <Rows
        handle={handle}
        types={types}
        at={at}
        linkOf={(key) => linkWith({ key })}
        start={query.start}
        pageLink={(start) => linkWith({ start })}
      />
    </>
  );
}
