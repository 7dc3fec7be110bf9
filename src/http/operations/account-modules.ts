// The modules of an account with their ABIs: one, and all in pages.
import { encodeWith } from "../../bcs/codec.ts";
import { accountModuleRoute, accountModulesRoute } from "../../interface/routes.ts";
import { readModuleItem } from "../../ledger/items/module-item.ts";
import { readModules } from "../../ledger/items/resource-item.ts";
import { formatAddress } from "../../move/address.ts";
import { moduleIdCodec } from "../../move/wire.ts";
import { type Asker, fromJson, orNone } from "../calls/asker.ts";
import { readAtArgs, toText } from "../calls/operands.ts";
import type { ReadOptions } from "../calls/options.ts";
import { HttpError } from "../errors.ts";
import { type JsonSchema, parseField } from "../field.ts";
import { encodedAnswer, operation } from "../operation.ts";
import { AnswerText, addPieces } from "../printing/answer-text.ts";
import { moduleText } from "../printing/move-json.ts";
import { ANSWER_ADDRESS_SCHEMA, addressField } from "../schemas/address.ts";
import { HEX_BYTES_SCHEMA } from "../schemas/hex-bytes.ts";
import { moduleNameField } from "../schemas/move-type.ts";
import { list, named, object } from "../schemas/named.ts";
import { readAtFields, readPointOf } from "../schemas/read-at.ts";
import { accountItemsOperation } from "./shared/account-items.ts";

const NAME_SCHEMA = { type: "string" } as const;
const NAMES_SCHEMA = { type: "array", items: NAME_SCHEMA } as const;
const FLAG_SCHEMA = { type: "boolean" } as const;

const TYPE_PARAMS_SCHEMA = list(named("MoveTypeParam", object({ constraints: NAMES_SCHEMA })));
const FIELDS_SCHEMA = list(named("MoveField", object({ name: NAME_SCHEMA, type: NAME_SCHEMA })));

const FUNCTION_SCHEMA = named(
  "MoveFunction",
  object({
    name: NAME_SCHEMA,
    visibility: { type: "string", enum: ["private", "public", "friend"] },
    is_entry: FLAG_SCHEMA,
    is_view: FLAG_SCHEMA,
    generic_type_params: TYPE_PARAMS_SCHEMA,
    params: NAMES_SCHEMA,
    return: NAMES_SCHEMA,
  }),
);

const STRUCT_SCHEMA = named(
  "MoveStruct",
  object({
    name: NAME_SCHEMA,
    is_native: FLAG_SCHEMA,
    is_event: FLAG_SCHEMA,
    is_enum: FLAG_SCHEMA,
    abilities: NAMES_SCHEMA,
    generic_type_params: TYPE_PARAMS_SCHEMA,
    fields: FIELDS_SCHEMA,
    variants: list(named("MoveVariant", object({ name: NAME_SCHEMA, fields: FIELDS_SCHEMA }))),
  }),
);

/** A module. */
const MODULE_SCHEMA: JsonSchema = named(
  "MoveModule",
  object({
    bytecode: HEX_BYTES_SCHEMA,
    abi: named(
      "MoveModuleAbi",
      object({
        address: ANSWER_ADDRESS_SCHEMA,
        name: NAME_SCHEMA,
        friends: NAMES_SCHEMA,
        exposed_functions: list(FUNCTION_SCHEMA),
        structs: list(STRUCT_SCHEMA),
      }),
    ),
  }),
);

/** A module, as `GET …/module/{module_name}` answers. */
export interface ModuleAnswer {
  /** Hex. */
  readonly bytecode: string;
  readonly abi: Readonly<Record<string, unknown>>;
}

export interface ModuleCall {
  /** A module; undefined if the address has none of this name. */
  module(address: string, name: string, options?: ReadOptions): Promise<ModuleAnswer | undefined>;
}

/** `GET /v1/accounts/{address}/module/{module_name}` */
export const getAccountModule = operation({
  id: "get_account_module",
  ...accountModuleRoute,
  summary: "Module of an account",
  description:
    "The bytecode of one module and its ABI: its structs, and its functions that are public, friend, entry or view. At the latest or a chosen version.",
  params: { address: addressField, module_name: moduleNameField },
  query: { ...readAtFields },
  answer: encodedAnswer(
    { schema: MODULE_SCHEMA, description: "The bytecode in hex, and the ABI." },
    "The bytecode, verbatim.",
  ),
  errors: ["unprintable", "module_not_found"],
  async handle(args, { view, services, form, slices }) {
    const module = { address: args.address, name: args.module_name };
    const { version, timestampUsec } = await readPointOf(view, args);
    const stored = await readModuleItem(view, module, version);
    if (stored === undefined) {
      throw new HttpError(
        "module_not_found",
        `no module ${module.name} at address ${formatAddress(module.address)} at ledger version ${version}`,
      );
    }
    if (form === "bcs") return { data: Buffer.from(stored.bytes), version, timestampUsec };
    const pieces = moduleText(services.types, module, stored);
    const text = await addPieces(new AnswerText(), pieces, slices);
    return { data: await text.finish(), version, timestampUsec };
  },
  calls: (node: Asker): ModuleCall => ({
    module: async (address, name, options = {}) => {
      const module_name = parseField("name", moduleNameField, toText("name", name));
      const args = { address: node.args.address(address), module_name, ...readAtArgs(options) };
      return orNone("module_not_found", node.run(getAccountModule, args, options, fromJson<ModuleAnswer>));
    },
  }),
});

export interface ModulesCall {
  modules(address: string, options?: ReadOptions): AsyncIterable<ModuleAnswer>;
}

/** `GET /v1/accounts/{address}/modules` */
export const getAccountModules = accountItemsOperation({
  id: "get_account_modules",
  route: accountModulesRoute,
  summary: "Modules of an account",
  description:
    "All modules of an account at one version with their ABIs, in the order of the hashes of their state keys.",
  name: "modules",
  limited: "modules",
  schema: MODULE_SCHEMA,
  bcsDescription: "A BCS map from module ids to bytecode.",
  read: readModules,
  toEntry: ({ name, bytes }, address) => [encodeWith(moduleIdCodec, { address, name }), bytes],
  async print(out, modules, { types, address, slices }) {
    for (const [i, module] of modules.entries()) {
      if (i > 0) out.add(",");
      await addPieces(out, moduleText(types, { address, name: module.name }, module), slices);
      await slices.pause();
    }
  },
  calls: (modules): ModulesCall => ({ modules }),
});
