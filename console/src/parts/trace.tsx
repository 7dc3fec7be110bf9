// The calls of a transaction, each under the one that made it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Answer, ask, path } from "../lib/api.ts";
import { useLoad } from "../lib/use-load.ts";
import { Address, Button, Card, Fact, Facts, LedgerText, Load, MoveType } from "./basics.tsx";
import { TypedValue } from "./typed-value.tsx";

type CallTrace = Answer<"trace_by_version">;
type Call = CallTrace["calls"][number];
type Item = Call["reads"][number];
type Value = Call["arguments"][number];

/** Deeper calls are not moved further to the right. */
const MAX_INDENT = 12;

function Values({ name, values }: { readonly name: string; readonly values: readonly Value[] }): JSX.Element {
  return (
    <>
      {values.map(({ type, value, bytes, omitted }, index) => (
        <Fact key={index} name={`${name} ${index}`}>
          <MoveType type={type} />{" "}
          {omitted === true ? (
            <span class="faint">left out</span>
          ) : (
            <TypedValue
              type={type.replace(/^&(mut )?/, "").replace(/^signer$/, "address")}
              value={value ?? bytes}
            />
          )}
        </Fact>
      ))}
    </>
  );
}

function Items({ name, items }: { readonly name: string; readonly items: readonly Item[] }): JSX.Element {
  return (
    <>
      {items.map(({ owner, key, kind }, index) => (
        <Fact key={index} name={name}>
          {kind === "resource" ? <MoveType type={key} /> : <LedgerText text={`table item ${key}`} max={80} />}{" "}
          of <Address address={owner} />
        </Fact>
      ))}
    </>
  );
}

function CallRow({ call, scaling }: { readonly call: Call; readonly scaling: number }): JSX.Element {
  const gas = Number((Number(call.gas_used) / scaling).toFixed(3));
  return (
    <details class="resource" style={{ marginLeft: `${8 * Math.min(call.depth, MAX_INDENT)}px` }}>
      <summary>
        <MoveType type={call.function} isInside />{" "}
        {gas === 0 ? undefined : <span class="faint">{gas} gas</span>}{" "}
        {call.aborted ? <span class="badge bad">aborted</span> : undefined}
      </summary>
      <Facts>
        {call.type_arguments.map((type, index) => (
          <Fact key={index} name={`T${index}`}>
            <MoveType type={type} />
          </Fact>
        ))}
        <Values name="Argument" values={call.arguments} />
        <Items name="Read" items={call.reads} />
        <Items name="Wrote" items={call.writes} />
        <Values name="Event" values={call.events} />
        {call.omitted === undefined ? undefined : <Fact name="Left out">{call.omitted} entries</Fact>}
      </Facts>
    </details>
  );
}

function Calls({ trace }: { readonly trace: CallTrace }): JSX.Element {
  const { calls, fault, omitted_calls: omitted } = trace;
  if (calls.length === 0)
    return <p class="faint">There are no calls: the framework of this ledger has no code, or it ran none.</p>;
  return (
    <>
      {trace.matches_ledger === false ? (
        <p class="field-error">The ledger has another result: this run does not tell what happened.</p>
      ) : undefined}
      {fault === undefined ? undefined : (
        <p data-testid="fault">
          <span class="badge bad">{fault.reason_name ?? fault.status}</span>{" "}
          <span class="mono">
            {fault.location}::{fault.function}
          </span>{" "}
          at instruction {fault.code_offset}: <LedgerText text={fault.description} max={300} />
        </p>
      )}
      {calls.map((call, index) => (
        <CallRow key={index} call={call} scaling={Number(trace.gas_scaling)} />
      ))}
      {omitted === "0" ? undefined : <p class="faint">{omitted} more calls are left out.</p>}
    </>
  );
}

/** Runs a committed transaction again, once someone wants to see its calls. */
export function Trace({ version }: { readonly version: string }): JSX.Element {
  const [isWanted, want] = useState(false);
  const loaded = useLoad(isWanted ? `trace ${version}` : undefined, async (signal) => {
    const relative = `${path("transactions", "by_version", version)}/trace`;
    return (await ask<CallTrace>(relative, { signal })).data;
  });
  return (
    <Card title="Calls">
      {isWanted ? (
        <Load loaded={loaded}>{(trace) => <Calls trace={trace} />}</Load>
      ) : (
        <Button look="small" onClick={() => want(true)}>
          Trace it
        </Button>
      )}
    </Card>
  );
}
