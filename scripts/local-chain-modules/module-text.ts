// The notation of module interfaces and its parser. One declaration per line; `T0` is the first type parameter; a name
// without an address is at 0x1; a bare name belongs to the same module or is one of the few that every module uses. The
// texts are part of the program, so faults are programming errors.
import type {
  Ability,
  AbiType,
  FieldAbi,
  FunctionAbi,
  ModuleAbi,
  StructAbi,
  VariantAbi,
  Visibility,
} from "../../src/move/abi.ts";
import { type Address, formatAddress, parseAddress } from "../../src/move/address.ts";
import type { ModuleError } from "./definition.ts";
import { parseAbiType } from "./notation.ts";
import { TextScanner } from "./text-scanner.ts";

/** Settings that the texts do not contain. */
export interface ModuleTextOptions {
  /** Binary format version of the modules. */
  readonly formatVersion: number;
  /** Named addresses in the text. */
  readonly addresses?: ReadonlyMap<string, Address>;
}

/** A module, with the names and descriptions of its abort codes. */
export interface ModuleText extends ModuleAbi {
  readonly errors: readonly ModuleError[];
}

type TypeParam = StructAbi["typeParams"][number];

const COMMON_TYPES: ReadonlyMap<string, string> = new Map([
  ["String", "string"],
  ["Option", "option"],
  ["Object", "object"],
]);

const FRAMEWORK = parseAddress("0x1");

/** Parses the modules of a text. */
export function parseModules(text: string, options: ModuleTextOptions): ModuleText[] {
  return text
    .trim()
    .split("\n\n")
    .map((block) => new ModuleParser(block.split("\n"), options).parse());
}

class ModuleParser {
  readonly #lines: readonly string[];
  readonly #options: ModuleTextOptions;
  readonly #structs: StructAbi[] = [];
  readonly #functions: FunctionAbi[] = [];
  readonly #errors: ModuleError[] = [];
  #address: Address = FRAMEWORK;
  #name = "";
  #own: ReadonlySet<string> = new Set();

  constructor(lines: readonly string[], options: ModuleTextOptions) {
    this.#lines = lines;
    this.#options = options;
  }

  parse(): ModuleText {
    const head = new TextScanner(this.#lines[0] ?? "");
    head.expect("module");
    this.#address = this.#namedAddress(head.word());
    head.expect("::");
    this.#name = head.word();
    const lines = this.#lines.slice(1);
    const errors = lines.filter((line) => line.startsWith("error "));
    this.#errors.push(...errors.map(parseError));
    const declarations = lines.filter((line) => !errors.includes(line)).map((line) => new TextScanner(line));
    this.#own = new Set(declarations.flatMap((scanner) => declaredType(scanner.text)));
    for (const scanner of declarations) this.#declaration(scanner);
    return {
      address: this.#address,
      name: this.#name,
      formatVersion: this.#options.formatVersion,
      friends: [],
      functions: this.#functions,
      structs: this.#structs,
      errors: this.#errors,
    };
  }

  #declaration(scanner: TextScanner): void {
    if (scanner.accept("struct")) this.#structs.push(this.#struct(scanner, false));
    else if (scanner.accept("enum")) this.#structs.push(this.#struct(scanner, true));
    else this.#functions.push(this.#function(scanner));
    scanner.end();
  }

  #struct(scanner: TextScanner, isEnum: boolean): StructAbi {
    const name = scanner.word();
    const typeParams = this.#typeParams(scanner);
    const abilities = scanner.accept("has") ? scanner.list("{", () => scanner.word() as Ability) : [];
    scanner.accept("{");
    const fields = isEnum ? [] : this.#fields(scanner);
    const variants = isEnum ? scanner.list("}", () => this.#variant(scanner)) : undefined;
    const isEvent = scanner.accept("@event");
    let groupMemberOf: string | undefined;
    let groupScope: string | undefined;
    if (scanner.accept("@member(")) {
      const container = this.#type(scanner);
      if (container.kind !== "struct") return scanner.fail("a container");
      groupMemberOf = `${formatAddress(container.address)}::${container.module}::${container.name}`;
      scanner.expect(")");
    } else if (scanner.accept("@group(")) {
      groupScope = scanner.word();
      scanner.expect(")");
    }
    return {
      name,
      isNative: false,
      isEvent,
      abilities,
      typeParams,
      fields,
      variants,
      groupMemberOf,
      groupScope,
    };
  }

  #variant(scanner: TextScanner): VariantAbi {
    const name = scanner.word();
    scanner.expect("{");
    return { name, fields: this.#fields(scanner) };
  }

  #fields(scanner: TextScanner): FieldAbi[] {
    return scanner.list("}", () => {
      const name = scanner.word();
      scanner.expect(":");
      return { name, type: this.#type(scanner) };
    });
  }

  #function(scanner: TextScanner): FunctionAbi {
    let visibility: Visibility = "private";
    if (scanner.accept("public")) visibility = "public";
    else if (scanner.accept("friend")) visibility = "friend";
    const isEntry = scanner.accept("entry");
    const isView = scanner.accept("view");
    scanner.expect("fun");
    const name = scanner.word();
    const typeParams = this.#typeParams(scanner).map((param) => param.constraints);
    scanner.expect("(");
    const params = scanner.list(")", () => this.#type(scanner));
    const returns: AbiType[] = [];
    if (scanner.accept(":")) {
      do returns.push(this.#type(scanner));
      while (scanner.accept(","));
    }
    return { name, visibility, isEntry, isView, typeParams, params, returns };
  }

  #typeParams(scanner: TextScanner): TypeParam[] {
    if (!scanner.accept("<")) return [];
    return scanner.list(">", () => {
      const phantom = scanner.accept("phantom");
      scanner.word();
      const constraints: Ability[] = [];
      if (scanner.accept(":")) {
        do constraints.push(scanner.word() as Ability);
        while (scanner.accept("+"));
      }
      return { constraints, phantom };
    });
  }

  #type(scanner: TextScanner): AbiType {
    return parseAbiType(scanner.typeText().replace(/[\w:]+/g, (name) => this.#fullName(name)));
  }

  /** A type name with its address and module. */
  #fullName(name: string): string {
    const path = name.split("::");
    const [first = ""] = path;
    if (path.length === 3) return [formatAddress(this.#namedAddress(first)), ...path.slice(1)].join("::");
    if (path.length === 2) return `0x1::${name}`;
    if (this.#own.has(name)) return `${formatAddress(this.#address)}::${this.#name}::${name}`;
    const module = COMMON_TYPES.get(name);
    return module === undefined ? name : `0x1::${module}::${name}`;
  }

  #namedAddress(word: string): Address {
    return this.#options.addresses?.get(word) ?? parseAddress(word);
  }
}

/** `error REASON NAME DESCRIPTION`. */
function parseError(line: string): ModuleError {
  const [, reason = "", name = "", ...words] = line.split(" ");
  return { reason: BigInt(reason), name, description: words.join(" ") };
}

/** Name of the struct or enum that a line declares, if it declares one. */
function declaredType(line: string): string[] {
  const [keyword, name = ""] = line.split(" ");
  return keyword === "struct" || keyword === "enum" ? [name.split("<")[0] ?? ""] : [];
}
