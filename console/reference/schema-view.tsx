// A schema as a tree; parts that refer to other schemas are rendered when they are opened, since schemas may refer to themselves.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type ApiDocument, boundsText, refName, resolve, type Schema, typeText } from "./api-document.ts";
import { Prose } from "./prose.tsx";

function hasParts(schema: Schema): boolean {
  return schema.properties !== undefined || schema.oneOf !== undefined || (schema.allOf?.length ?? 0) > 1;
}

/** What the elements of a list are, and the list itself otherwise. */
function elementOf(document: ApiDocument, schema: Schema): Schema {
  const resolved = resolve(document, schema);
  return resolved.type === "array" && resolved.items !== undefined
    ? elementOf(document, resolved.items)
    : resolved;
}

function Parts({ document, schema }: { document: ApiDocument; schema: Schema }): JSX.Element {
  if (schema.oneOf !== undefined || (schema.allOf?.length ?? 0) > 1) {
    return (
      <ul class="schema">
        {(schema.oneOf ?? schema.allOf ?? []).map((part) => (
          <Property
            key={typeText(part)}
            document={document}
            name={undefined}
            schema={part}
            isRequired={false}
          />
        ))}
      </ul>
    );
  }
  return (
    <ul class="schema">
      {Object.entries(schema.properties ?? {}).map(([name, part]) => (
        <Property
          key={name}
          document={document}
          name={name}
          schema={part}
          isRequired={schema.required?.includes(name) === true}
        />
      ))}
    </ul>
  );
}

function Property({
  document,
  name,
  schema,
  isRequired,
}: {
  document: ApiDocument;
  name: string | undefined;
  schema: Schema;
  isRequired: boolean;
}): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const resolved = resolve(document, schema);
  const element = elementOf(document, schema);
  const title = (
    <>
      {name !== undefined && <code class="name">{name}</code>} <span class="type">{typeText(schema)}</span>
      {isRequired && <span class="required"> required</span>}
    </>
  );
  const values = resolved.enum?.map((value) => JSON.stringify(value)).join(", ");
  const bounds = refName(schema) === undefined ? boundsText(resolved) : "";
  return (
    <li>
      {hasParts(element) ? (
        <details open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
          <summary>{title}</summary>
          {isOpen && <Parts document={document} schema={element} />}
        </details>
      ) : (
        <div>{title}</div>
      )}
      {resolved.description !== undefined && (
        <p class="meaning">
          <Prose text={resolved.description} />
        </p>
      )}
      {values !== undefined && <p class="meaning">One of {values}.</p>}
      {bounds !== "" && <p class="meaning bounds">{bounds}</p>}
    </li>
  );
}

/** A schema, with its parts where it has any. */
export function SchemaView({ document, schema }: { document: ApiDocument; schema: Schema }): JSX.Element {
  const element = elementOf(document, schema);
  const resolved = resolve(document, schema);
  return (
    <div class="schema-view">
      <p class="type">{typeText(schema)}</p>
      {resolved.description !== undefined && (
        <p class="meaning">
          <Prose text={resolved.description} />
        </p>
      )}
      {hasParts(element) && <Parts document={document} schema={element} />}
    </div>
  );
}
