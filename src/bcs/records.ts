// Codecs of structs and enums. Neighbouring fields of fixed size are skipped in one step.
import type { Codec, ValueOf } from "./codec.ts";
import type { BcsReader } from "./reader.ts";
import type { BcsWriter } from "./writer.ts";

/** The codec of each field, in wire order. */
type FieldCodecs = Readonly<Record<string, Codec<unknown>>>;
type FieldsOf<F> = { readonly [K in keyof F]: ValueOf<F[K]> };

interface Field {
  readonly name: string;
  readonly codec: Codec<unknown>;
}

/** A run of neighbouring plain fields, or one other field. */
interface SkipStep {
  readonly name: string;
  readonly plainBytes: number;
  readonly codec: Codec<unknown>;
}

type Fields = readonly Field[];
type SkipSteps = readonly SkipStep[];
type Values = Record<string, unknown>;

function listFields(codecs: FieldCodecs): Fields {
  return Object.entries(codecs).map(([name, codec]) => ({ name, codec }));
}

function planSkip(fields: Fields): SkipSteps {
  const steps: { name: string; plainBytes: number; codec: Codec<unknown> }[] = [];
  let run: { name: string; plainBytes: number; codec: Codec<unknown> } | undefined;
  for (const { name, codec } of fields) {
    const plainBytes = codec.plain === true ? codec.minBytes : 0;
    if (run !== undefined && plainBytes > 0) {
      run.plainBytes += plainBytes;
      continue;
    }
    const step = { name, plainBytes, codec };
    steps.push(step);
    run = plainBytes > 0 ? step : undefined;
  }
  return steps;
}

function sumBytes(fields: Fields): number {
  return fields.reduce((sum, field) => sum + field.codec.minBytes, 0);
}

function readFields(reader: BcsReader, fields: Fields, out: Values): void {
  for (const field of fields) {
    reader.enter(field.name);
    out[field.name] = field.codec.read(reader);
    reader.leave();
  }
}

function writeFields(writer: BcsWriter, fields: Fields, value: Values): void {
  for (const field of fields) {
    writer.enter(field.name);
    field.codec.write(writer, value[field.name]);
    writer.leave();
  }
}

function skipFields(reader: BcsReader, steps: SkipSteps): void {
  for (const step of steps) {
    reader.enter(step.name);
    if (step.plainBytes > 0) reader.skip(step.plainBytes);
    else step.codec.skip(reader);
    reader.leave();
  }
}

/** Fields one after the other, in the order of the definition. */
export function struct<F extends FieldCodecs>(codecs: F): Codec<FieldsOf<F>> {
  const fields = listFields(codecs);
  const steps = planSkip(fields);
  return {
    minBytes: sumBytes(fields),
    read: (reader) => {
      const out: Values = {};
      reader.nest();
      readFields(reader, fields, out);
      reader.unnest();
      return out as FieldsOf<F>;
    },
    write: (writer, value) => {
      writer.nest();
      writeFields(writer, fields, value as Values);
      writer.unnest();
    },
    skip: (reader) => {
      reader.nest();
      skipFields(reader, steps);
      reader.unnest();
    },
  };
}

/** For each kind, in wire order, the codecs of its fields. */
type VariantCodecs = Readonly<Record<string, FieldCodecs>>;
type CaseOf<K, F> = { readonly [N in "kind" | keyof F]: N extends keyof F ? ValueOf<F[N]> : K };
type CasesOf<V> = { readonly [K in keyof V]: CaseOf<K, V[K]> }[keyof V];

interface Variant {
  readonly kind: string;
  readonly number: number;
  readonly fields: Fields;
  readonly steps: SkipSteps;
}

/** An enum as a union discriminated by `kind`. The variant number is the position in the definition. */
export function variants<V extends VariantCodecs>(name: string, codecs: V): Codec<CasesOf<V>> {
  const list: Variant[] = Object.entries(codecs).map(([kind, fieldCodecs], number) => {
    const fields = listFields(fieldCodecs);
    return { kind, number, fields, steps: planSkip(fields) };
  });
  const byKind: ReadonlyMap<string, Variant> = new Map(list.map((variant) => [variant.kind, variant]));
  const readVariant = (reader: BcsReader): Variant => {
    const variant = list[reader.variant(list.length, name)];
    if (variant === undefined) throw new Error("variant number in range without a definition");
    return variant;
  };
  return {
    minBytes: 1 + Math.min(...list.map((variant) => sumBytes(variant.fields))),
    read: (reader) => {
      reader.nest();
      const variant = readVariant(reader);
      const out: Values = { kind: variant.kind };
      readFields(reader, variant.fields, out);
      reader.unnest();
      return out as CasesOf<V>;
    },
    write: (writer, value) => {
      const { kind } = value as { readonly kind: string };
      const variant = byKind.get(kind);
      if (variant === undefined) return writer.fail(`unknown ${name} kind ${JSON.stringify(kind)}`);
      writer.nest();
      writer.uleb(variant.number);
      writeFields(writer, variant.fields, value as Values);
      writer.unnest();
    },
    skip: (reader) => {
      reader.nest();
      skipFields(reader, readVariant(reader).steps);
      reader.unnest();
    },
  };
}

/** An enum without fields: its names, in wire order. */
export function choice<const Name extends string>(name: string, names: readonly Name[]): Codec<Name> {
  return {
    minBytes: 1,
    read: (reader) => {
      const found = names[reader.variant(names.length, name)];
      if (found === undefined) throw new Error("variant number in range without a name");
      return found;
    },
    write: (writer, value) => {
      const number = names.indexOf(value);
      if (number < 0) writer.fail(`unknown ${name} ${JSON.stringify(value)}`);
      writer.uleb(number);
    },
    skip: (reader) => void reader.variant(names.length, name),
  };
}

/** An enum without fields whose names are not needed: a number below `count`. */
export function variantNumber(name: string, count: number): Codec<number> {
  return {
    minBytes: 1,
    read: (reader) => reader.variant(count, name),
    write: (writer, value) => {
      if (value >= count) writer.fail(`unknown ${name} ${value}`);
      writer.uleb(value);
    },
    skip: (reader) => void reader.variant(count, name),
  };
}
