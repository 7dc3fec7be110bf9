// Writes the metadata that holds a module's attributes (view functions, events, resource groups) and abort codes.
import { compareBytes } from "../../src/base/bytes.ts";
import { BcsWriter } from "../../src/bcs/writer.ts";
import { ATTRIBUTE, METADATA_V1_KEY } from "../../src/move/bytecode/metadata.ts";
import type { FunctionDefinition, ModuleError, StructDefinition } from "./definition.ts";

interface Attribute {
  readonly kind: number;
  readonly args: readonly string[];
}

type Entry = readonly [name: string, attributes: readonly Attribute[]];

function structAttributes(struct: StructDefinition): Attribute[] {
  const attributes: Attribute[] = [];
  if (struct.groupScope !== undefined) attributes.push({ kind: ATTRIBUTE.group, args: [struct.groupScope] });
  if (struct.groupMemberOf !== undefined) {
    attributes.push({ kind: ATTRIBUTE.groupMember, args: [struct.groupMemberOf] });
  }
  if (struct.isEvent === true) attributes.push({ kind: ATTRIBUTE.event, args: [] });
  return attributes;
}

function writeMap(writer: BcsWriter, entries: readonly Entry[]): void {
  const keyed = entries.map(([name, attributes]) => ({ key: new BcsWriter().text(name).take(), attributes }));
  // A BCS map is sorted by the bytes of its keys, so shorter names come first.
  keyed.sort((a, b) => compareBytes(a.key, b.key));
  writer.vector(keyed, (out, { key, attributes }) => {
    out.fixed(key).vector(attributes, (attributeOut, { kind, args }) => {
      attributeOut.u8(kind).vector(args, (argOut, arg) => argOut.text(arg));
    });
  });
}

/** The metadata table of a module; empty if nothing has an attribute. */
export function encodeMetadataTable(
  structs: readonly StructDefinition[],
  functions: readonly FunctionDefinition[],
  errors: readonly ModuleError[],
): Uint8Array {
  const structEntries = structs.map((struct): Entry => [struct.name, structAttributes(struct)]);
  const withAttributes = structEntries.filter(([, attributes]) => attributes.length > 0);
  const views = functions.filter((fun) => fun.isView === true);
  if (withAttributes.length + views.length + errors.length === 0) return new Uint8Array();
  const value = new BcsWriter();
  value.vector(errors, (out, { reason, name, description }) => out.u64(reason).text(name).text(description));
  writeMap(value, withAttributes);
  writeMap(
    value,
    views.map(({ name }): Entry => [name, [{ kind: ATTRIBUTE.view, args: [] }]]),
  );
  return new BcsWriter().text(METADATA_V1_KEY).byteString(value.take()).take();
}
