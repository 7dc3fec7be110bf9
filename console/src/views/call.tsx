// Calls a view function: a form by its ABI, and what it returns.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type Answer, ask, path } from "../lib/api.ts";
import { NOTHING, type Typed, toLiteral } from "../lib/arguments.ts";
import { fullAddress } from "../lib/format.ts";
import { live } from "../lib/live.ts";
import { useStore } from "../lib/store.ts";
import { loadStructs } from "../lib/structs.ts";
import { useLoad } from "../lib/use-load.ts";
import { Button, Card, Fact, Facts, Load, MonoField, MoveType, Problem, Title } from "../parts/basics.tsx";
import { TypedValue } from "../parts/typed-value.tsx";
import { Argument, addressText, NO_STRUCTS, substitute } from "./encode.tsx";

type Abi = NonNullable<Answer<"get_account_module">["abi"]>;
type Function = Abi["exposed_functions"][number];

/** What the function returned, and the types of that. */
interface Returned {
  readonly values: readonly unknown[];
  readonly types: readonly string[];
}

function Form({ name, one }: { readonly name: string; readonly one: Function }): JSX.Element {
  const info = useStore(live, (value) => value.info);
  const [typeArguments, setTypeArguments] = useState(one.generic_type_params.map(() => ""));
  const [args, setArgs] = useState<readonly Typed[]>(one.params.map(() => NOTHING));
  const [returned, setReturned] = useState<Returned>();
  const [error, setError] = useState<Error>();
  const concrete = (type: string): string => substitute(type.replace(/^&(mut )?/, ""), typeArguments);
  const types = one.params.map(concrete);
  const structs =
    useLoad(`structs ${types.join(" ")}`, (signal) => loadStructs(types, signal)).data ?? NO_STRUCTS;
  const literals = types.map((type, index) =>
    toLiteral(type, args[index] ?? NOTHING, { structs, addressOf: (text) => addressText(text, info) }),
  );
  const call = async (): Promise<void> => {
    const faults = literals.flatMap((literal) => ("error" in literal ? [literal.error] : []));
    try {
      if (faults[0] !== undefined) throw new Error(faults[0]);
      const given = literals.map((literal) => ("json" in literal ? literal.json : ""));
      const called = JSON.stringify({ function: name, type_arguments: typeArguments }).slice(0, -1);
      const body = `${called},"arguments":[${given.join()}]}`;
      const { data } = await ask<readonly unknown[]>("view", { body });
      setReturned({ values: data, types: one.return.map(concrete) });
      setError(undefined);
    } catch (failure) {
      setReturned(undefined);
      setError(failure as Error);
    }
  };
  return (
    <>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void call();
        }}
      >
        <Card title="Call">
          {typeArguments.map((type, index) => (
            <MonoField
              key={index}
              label={
                <>
                  <b>T{index}</b> a type
                </>
              }
              placeholder="0x1::aptos_coin::AptosCoin"
              value={type}
              onInput={(text) =>
                setTypeArguments(typeArguments.map((old, at) => (at === index ? text : old)))
              }
            />
          ))}
          {types.map((type, index) => (
            <Argument
              key={index}
              label={`argument ${index}`}
              type={type}
              typed={args[index] ?? NOTHING}
              error={undefined}
              info={info}
              structs={structs}
              onChange={(typed) => setArgs(args.map((old, at) => (at === index ? typed : old)))}
            />
          ))}
          <div class="buttons">
            <Button type="submit" look="primary">
              Call it
            </Button>
          </div>
        </Card>
      </form>
      {error === undefined ? undefined : <Problem error={error} />}
      {returned === undefined ? undefined : (
        <Card title="Returned">
          <Facts>
            {returned.values.map((value, index) => (
              <Fact key={index} name={`Value ${index}`}>
                <MoveType type={returned.types[index] ?? ""} />{" "}
                <span data-testid="returned">
                  <TypedValue type={returned.types[index]} value={value} />
                </span>
              </Fact>
            ))}
          </Facts>
        </Card>
      )}
    </>
  );
}

export function ViewCall({ called }: { readonly called: string }): JSX.Element {
  const [address = "", module = "", name = ""] = called.split("::");
  const loaded = useLoad(`module ${address}::${module}`, async (signal) => {
    const relative = `${path("accounts", fullAddress(address) ?? address)}/${path("module", module)}`;
    return (await ask<Answer<"get_account_module">>(relative, { signal })).data;
  });
  return (
    <>
      <Title text="Call a view function" />
      <p class="call-function">
        <MoveType type={called} />
      </p>
      <Load loaded={loaded}>
        {({ abi }) => {
          const one = abi?.exposed_functions.find((each) => each.name === name && each.is_view);
          return one === undefined ? (
            <Problem error={new Error(`${module} has no view function ${name}`)} />
          ) : (
            <Form name={called} one={one} />
          );
        }}
      </Load>
    </>
  );
}
