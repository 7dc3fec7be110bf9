// `sextant view`: what a view function returns.
import { ConfigError } from "../../base/errors.ts";
import { listOption, type Option } from "../../base/option.ts";
import { accountModuleRoute, viewRoute } from "../../interface/routes.ts";
import { command, EXIT_OK } from "../command.ts";
import { NameFinder } from "../names.ts";
import { askSource } from "../source/open.ts";
import {
  minVersionOptions,
  readAtExclusions,
  readAtOf,
  readAtOptions,
  sourceExclusions,
  sourceOptions,
} from "../source/options.ts";

/** Types may have commas, so each is a flag of its own. */
const typeOption: Option<readonly string[], "s"> = {
  ...listOption("A type argument of the function, such as 0x1::aptos_coin::AptosCoin; once for each", "TYPE"),
  short: "T",
  parse: (text) => [text],
};

const FUNCTION = /^(0x[0-9a-fA-F]{1,64})::(\w{1,255})::(\w{1,255})$/;
const TEXT_TYPES = /^(u64|u128|u256|i64|i128|i256|0x1::string::String|vector<u8>)$/;
const ADDRESS_TYPES = /^(address|0x1::object::Object<.*>)$/;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Plain text is what it says.
    return text;
  }
}

/** An argument in the JSON form of its parameter. */
function toJson(type: string | undefined, text: string): unknown {
  if (type !== undefined && TEXT_TYPES.test(type)) return text.startsWith('"') ? parseJson(text) : text;
  return parseJson(text);
}

/** The types of a function's parameters, as the module's ABI prints them; none if it has no such function. */
function parametersOf(module: string, name: string): readonly string[] {
  const { abi } = JSON.parse(module) as {
    abi?: { exposed_functions?: readonly { name: string; params: readonly string[] }[] };
  };
  const found = abi?.exposed_functions?.find((one) => one.name === name);
  return found?.params.filter((type) => !/^&?(mut )?signer$/.test(type)) ?? [];
}

export const viewCommand = command({
  name: "view",
  operands: "FUNCTION [ARGUMENT…]",
  options: { "type-argument": typeOption, ...sourceOptions, ...minVersionOptions, ...readAtOptions },
  exclusions: [...sourceExclusions, ...readAtExclusions],
  examples: [
    "sextant view 0x1::coin::balance -T 0x1::aptos_coin::AptosCoin anna",
    "sextant view 0x1::chain_id::get --url https://node.example",
  ],
  run: async (values, [called, ...texts], { out }) => {
    if (called === undefined) throw new ConfigError("missing FUNCTION");
    const [, address = "", module_name = "", name = ""] = FUNCTION.exec(called) ?? [];
    if (name === "") {
      throw new ConfigError(`FUNCTION: expected a function such as 0x1::coin::balance, got ${called}`);
    }
    const when = readAtOf(values);
    await askSource(values, async (source) => {
      const module =
        texts.length === 0 ? "{}" : await source.read(accountModuleRoute, { address, module_name, ...when });
      const types = parametersOf(module, name);
      const finder = new NameFinder(source);
      const args: unknown[] = [];
      for (const [i, text] of texts.entries()) {
        const isAddress = ADDRESS_TYPES.test(types[i] ?? "") && !text.startsWith("{");
        args.push(
          isAddress ? await finder.find("address", `ARGUMENT ${i + 1}`, text) : toJson(types[i], text),
        );
      }
      const request = { function: called, type_arguments: values["type-argument"], arguments: args };
      out(await source.read(viewRoute, when, request));
    });
    return EXIT_OK;
  },
});
