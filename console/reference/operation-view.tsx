// One operation: what it does, its parameters as a form that sends the request, its responses and errors.
import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import {
  type ApiDocument,
  boundsText,
  type Operation,
  type Parameter,
  resolve,
  typeText,
} from "./api-document.ts";
import { CodeBox, CopyButton, Prose } from "./prose.tsx";
import { ReplyView } from "./reply-view.tsx";
import { curlLine, type Draft, DraftError, isText, type Reply, send } from "./request.ts";
import { SchemaView } from "./schema-view.tsx";

/** Values that this node knows for a parameter: demo accounts, assets and tables of a local chain. */
export type Suggestions = Readonly<Record<string, readonly (readonly [value: string, label: string])[]>>;

const FORM_NAMES: Readonly<Record<string, string>> = {
  "application/json": "JSON",
  "application/x-bcs": "BCS (bytes)",
  "application/x-ndjson": "JSON lines",
  "text/csv": "CSV",
  "text/event-stream": "events",
};

function formName(mediaType: string): string {
  return FORM_NAMES[mediaType] ?? (mediaType.endsWith("+bcs") ? `BCS as hex (${mediaType})` : mediaType);
}

function exampleText(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

function firstDraft({ parameters, requestBody, responses }: Operation, suggestions: Suggestions): Draft {
  const values: Record<string, string> = {};
  // Optional ones would change what is asked for.
  const needed = (parameters ?? []).filter(({ required }) => required);
  // The document's examples belong together: a resource of one account is not at another.
  const areKnown = needed.every(({ name }) => suggestions[name] !== undefined);
  for (const { name, example } of needed) {
    const known = areKnown ? suggestions[name]?.[0]?.[0] : undefined;
    values[name] = known ?? (example === undefined ? "" : exampleText(example));
  }
  const [bodyType, media] = Object.entries(requestBody?.content ?? {})[0] ?? [];
  const [accept = "*/*"] = Object.keys(responses["200"]?.content ?? {});
  const body = media?.example === undefined ? "" : JSON.stringify(media.example, undefined, 2);
  return { values, accept, bodyType, body };
}

function ParameterField({
  document,
  operation,
  parameter,
  value,
  fault,
  suggestions,
  onInput,
}: {
  document: ApiDocument;
  operation: Operation;
  parameter: Parameter;
  value: string;
  fault: string | undefined;
  suggestions: Suggestions;
  onInput: (value: string) => void;
}): JSX.Element {
  const { name, schema, required, description, example } = parameter;
  const id = `${operation.operationId}-${name}`;
  const known = suggestions[name];
  const bounds = schema.$ref === undefined ? boundsText(resolve(document, schema)) : "";
  return (
    <div class="field">
      <label for={id}>
        <code class="name">{name}</code>
        <span class="type">
          {typeText(schema)}, in the {parameter.in}
        </span>
        {required && <span class="required">required</span>}
      </label>
      <input
        id={id}
        type="text"
        value={value}
        placeholder={example === undefined || required ? undefined : `such as ${exampleText(example)}`}
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        list={known === undefined ? undefined : `${id}-known`}
        aria-describedby={`${id}-help`}
        aria-invalid={fault !== undefined}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {known !== undefined && (
        <datalist id={`${id}-known`}>
          {known.map(([one, label]) => (
            <option key={one} value={one}>
              {label}
            </option>
          ))}
        </datalist>
      )}
      <p id={`${id}-help`} class="meaning">
        {fault !== undefined && <strong class="bad">{fault}. </strong>}
        <Prose text={description ?? ""} />
        {bounds !== "" && <span class="bounds"> {bounds}</span>}
      </p>
    </div>
  );
}

function BodyField({
  document,
  operation,
  draft,
  fault,
  onChange,
}: {
  document: ApiDocument;
  operation: Operation;
  draft: Draft;
  fault: string | undefined;
  onChange: (change: Partial<Draft>) => void;
}): JSX.Element | null {
  const content = operation.requestBody?.content ?? {};
  const types = Object.keys(content);
  const id = `${operation.operationId}-body`;
  const { bodyType = "" } = draft;
  const media = content[bodyType];
  if (media === undefined) return null;
  const choose = (type: string): void => {
    const example = content[type]?.example;
    onChange({ bodyType: type, body: example === undefined ? "" : JSON.stringify(example, undefined, 2) });
  };
  return (
    <div class="field">
      <label for={id}>
        <span class="name">Body</span>
        <span class="type">{isText(bodyType) ? formName(bodyType) : "bytes as hex"}</span>
        <span class="required">required</span>
      </label>
      {types.length > 1 && (
        <select
          aria-label="Form of the body"
          value={bodyType}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {types.map((type) => (
            <option key={type} value={type}>
              {formName(type)}
            </option>
          ))}
        </select>
      )}
      <textarea
        id={id}
        rows={Math.min(16, Math.max(3, draft.body.split("\n").length))}
        spellcheck={false}
        autocapitalize="off"
        aria-describedby={`${id}-help`}
        aria-invalid={fault !== undefined}
        value={draft.body}
        onInput={(event) => onChange({ body: event.currentTarget.value })}
      />
      <p id={`${id}-help`} class="meaning">
        {fault !== undefined && <strong class="bad">{fault}. </strong>}
        <Prose text={operation.requestBody?.description ?? media.schema.description ?? ""} />
      </p>
      {isText(bodyType) && (
        <details class="part">
          <summary>Schema of the body</summary>
          <SchemaView document={document} schema={media.schema} />
        </details>
      )}
    </div>
  );
}

function ResponseForms({
  document,
  operation,
}: {
  document: ApiDocument;
  operation: Operation;
}): JSX.Element {
  const { content = {}, headers = {} } = operation.responses["200"] ?? {};
  return (
    <>
      <details class="part">
        <summary>Response</summary>
        {Object.entries(content).map(([type, media]) => (
          <div key={type} class="form">
            <h4>
              <code>{type}</code>
            </h4>
            <SchemaView document={document} schema={media.schema} />
            {media.example !== undefined && (
              <CodeBox label={`Example of ${type}`} text={JSON.stringify(media.example, undefined, 2)} />
            )}
          </div>
        ))}
      </details>
      {Object.keys(headers).length > 0 && (
        <details class="part">
          <summary>Response headers ({Object.keys(headers).length})</summary>
          <dl class="terms">
            {Object.entries(headers).map(([name, { description, schema }]) => (
              <div key={name}>
                <dt>
                  <code>{name}</code> <span class="type">{typeText(schema ?? {})}</span>
                </dt>
                <dd>
                  <Prose text={description ?? ""} />
                </dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </>
  );
}

/** Each error of a status: `code`: when it happens. */
function Errors({ operation }: { operation: Operation }): JSX.Element {
  const errors = Object.entries(operation.responses).filter(([status]) => status !== "200");
  return (
    <details class="part">
      <summary>Errors and other statuses ({errors.length})</summary>
      <dl class="terms">
        {errors.map(([status, { description }]) => (
          <div key={status}>
            <dt>{status}</dt>
            <dd>
              <Prose text={description} />
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}

/** Everything below the title of an operation. */
export function OperationView({
  document,
  operation,
  suggestions,
}: {
  document: ApiDocument;
  operation: Operation;
  suggestions: Suggestions;
}): JSX.Element {
  const [draft, setDraft] = useState(() => firstDraft(operation, suggestions));
  const [reply, setReply] = useState<Reply>();
  const [fault, setFault] = useState<{ field: string | undefined; message: string }>();
  const [running, setRunning] = useState<AbortController>();
  const form = useRef<HTMLFormElement>(null);
  const stop = useRef<HTMLButtonElement>(null);
  const sender = useRef<HTMLButtonElement>(null);
  const forms = Object.keys(operation.responses["200"]?.content ?? {});
  const id = operation.operationId;
  const change = (part: Partial<Draft>): void => setDraft((before) => ({ ...before, ...part }));
  const faultOf = (field: string): string | undefined => (fault?.field === field ? fault.message : undefined);
  const curl = curlLine(operation, draft);
  const { parameters = [] } = operation;
  const optional = parameters.filter(({ required }) => !required);
  const field = (parameter: Parameter): JSX.Element => (
    <ParameterField
      key={parameter.name}
      {...{ document, operation, parameter, suggestions }}
      value={draft.values[parameter.name] ?? ""}
      fault={faultOf(parameter.name)}
      onInput={(value) => change({ values: { ...draft.values, [parameter.name]: value } })}
    />
  );

  const run = async (): Promise<void> => {
    running?.abort();
    const controller = new AbortController();
    setRunning(controller);
    setFault(undefined);
    setReply(undefined);
    try {
      await send(operation, draft, controller.signal, setReply);
    } catch (error) {
      if (error instanceof DraftError) {
        setFault({ field: error.field, message: error.message });
        form.current?.querySelector<HTMLElement>(`#${CSS.escape(`${id}-${error.field}`)}`)?.focus();
      } else if (controller.signal.aborted) {
        setReply((last) => (last === undefined ? undefined : { ...last, isOpen: false }));
      } else {
        setFault({
          field: undefined,
          message: "The node did not answer. It may be gone, or out of reach from here",
        });
      }
    }
    // The button to stop goes: its focus must not go with it.
    if (stop.current?.matches(":focus") === true) sender.current?.focus();
    setRunning((last) => (last === controller ? undefined : last));
  };

  return (
    <div class="operation-body">
      <p>
        <Prose text={operation.description} />
      </p>
      <form
        ref={form}
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          void run();
        }}
      >
        {parameters.filter(({ required }) => required).map(field)}
        <BodyField {...{ document, operation, draft }} fault={faultOf("body")} onChange={change} />
        {optional.length > 0 && (
          <details class="part optional">
            <summary>
              Optional parameters ({optional.length})
              <span class="type"> {optional.map(({ name }) => name).join(", ")}</span>
            </summary>
            {optional.map(field)}
          </details>
        )}
        <div class="send">
          <label>
            Answer as{" "}
            <select value={draft.accept} onChange={(event) => change({ accept: event.currentTarget.value })}>
              {forms.map((type) => (
                <option key={type} value={type}>
                  {formName(type)}
                </option>
              ))}
            </select>
          </label>
          <button type="submit" ref={sender}>
            Send
          </button>
          {running !== undefined && (
            <button type="button" class="quiet" ref={stop} onClick={() => running.abort()}>
              Stop
            </button>
          )}
        </div>
        <div class="curl">
          <CodeBox label="The same request with curl" text={curl} />
          <CopyButton text={curl} what="the curl line" />
        </div>
        {fault !== undefined && fault.field === undefined && (
          <p class="bad" role="alert">
            {fault.message}.
          </p>
        )}
      </form>
      {reply !== undefined && <ReplyView reply={reply} name={id} />}
      <ResponseForms document={document} operation={operation} />
      <Errors operation={operation} />
    </div>
  );
}
