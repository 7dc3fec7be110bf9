// Large bodies, each built to make one part of the encoder work as hard as it can.

/** Twice what a server hands to the encoder. */
export const SIZE = 2 * 1024 * 1024;
const TRANSFER = "0x1::aptos_account::transfer";

function repeated(unit: string, room: number, separator = ","): string {
  const count = Math.floor((room + separator.length) / (unit.length + separator.length));
  return Array(count).fill(unit).join(separator);
}

/** A request whose payload is `before` + filling + `after`. */
function request(before: string, fill: (room: number) => string, after: string, extra = ""): string {
  const head = `{"sender":"0x1","sequence_number":"0","max_gas_amount":"1","gas_unit_price":"1","expiration_timestamp_secs":"1"${extra},"payload":{${before}`;
  const tail = `${after}}}`;
  return `${head}${fill(SIZE - head.length - tail.length)}${tail}`;
}

function call(id: string, types: readonly string[], before: string, unit: string, after: string): string {
  const payload = `"type":"entry_function_payload","function":"${id}","type_arguments":${JSON.stringify(types)},"arguments":[${before}`;
  return request(payload, (room) => repeated(unit, room), `${after}]`);
}

/** Unknown members, spelled so that distinguishing them from known ones is expensive. */
const PADDINGS: readonly (readonly [name: string, unit: string])[] = [
  ["names of one escape", '"\\u0073":1'],
  ["names beyond ASCII", '"é":1'],
  ["escaped names beyond ASCII", '"\\u00e9":1'],
  ["beginnings of wanted names", '"se":1'],
  ["escaped beginnings of wanted names", '"\\u0073\\u0065":1'],
  ["long beginnings of wanted names", '"secondary_signer\\u0073_":1'],
  ["names of escaped quotes", '"\\"\\"":1'],
  ["empty names", '"":1'],
  ["deep values", `"a":${"[".repeat(120)}${"]".repeat(120)}`],
];

/** The places of a request where an object may have unknown members; `#` stands for the padding. */
function paddedPlaces(demo: string): readonly (readonly [name: string, before: string, after: string])[] {
  const head =
    '"sender":"0x1","sequence_number":"0","max_gas_amount":"1","gas_unit_price":"1","expiration_timestamp_secs":"1"';
  const call = (name: string, args: string): string =>
    `"type":"entry_function_payload","function":"${demo}::${name}","type_arguments":[],"arguments":[${args}]`;
  const nothing = `"payload":{${call("take_nothing", "")}}`;
  const abi = '"name":"m","visibility":"public","is_entry":true,"is_view":false,"return":[],"params":[]';
  const script = (code: string): string =>
    `{${head},"payload":{"type":"script_payload","type_arguments":[],"arguments":[],"code":{${code}}}}`;
  const all: readonly (readonly [string, string])[] = [
    ["before the members of the body", `{#,${head},${nothing}}`],
    ["behind the members of the body", `{${head},${nothing},#}`],
    ["in the payload", `{${head},"payload":{#,${call("take_nothing", "")}}}`],
    [
      "in the payload of a multisig account",
      `{${head},"payload":{"type":"multisig_payload","multisig_address":"0x1","transaction_payload":{#,${call("take_nothing", "")}}}}`,
    ],
    ["in the code of a script", script(`#,"bytecode":"","abi":{${abi},"generic_type_params":[]}`)],
    ["in the description of a script", script(`"bytecode":"","abi":{#,${abi},"generic_type_params":[]}`)],
    [
      "in a type parameter",
      script(`"bytecode":"","abi":{${abi},"generic_type_params":[{#,"constraints":["copy"]}]}`),
    ],
    ["in a struct", `{${head},"payload":{${call("take_point", '{#,"x":"1","y":"1"}')}}}`],
    ["in an option", `{${head},"payload":{${call("take_option", '{#,"vec":["5"]}')}}}`],
  ];
  return all.map(([name, text]) => {
    const [before = "", after = ""] = text.split("#");
    return [name, before, after];
  });
}

/** Valid requests, padded to a size. `demo` is the path of the local chain's demo module. */
export function paddedRequests(
  demo: string,
): readonly (readonly [name: string, build: (sizeBytes: number) => string])[] {
  const padded = paddedPlaces(demo).flatMap(([place, before, after]) =>
    PADDINGS.map(([padding, unit]) => [`${padding} ${place}`, before, unit, after] as const),
  );
  const [, before = "", after = ""] = paddedPlaces(demo)[0] ?? [];
  const duplicates = [
    ["one wanted name again and again", before, '"sender":"0x1"', after],
    ["one wanted name again and again, escaped", before, '"sende\\u0072":"0x1"', after],
    ["one variant again and again", ...variants(demo)],
  ] as const;
  return [...padded, ...duplicates].map(([name, front, unit, back]) => {
    const others = Buffer.byteLength(front + back);
    return [
      name,
      (sizeBytes) => {
        const units = Math.floor((sizeBytes - others + 1) / (Buffer.byteLength(unit) + 1));
        return front + Array(units).fill(unit).join(",") + back;
      },
    ];
  });
}

function variants(demo: string): [before: string, unit: string, after: string] {
  const [, before = "", after = ""] = paddedPlaces(demo).find(([name]) => name === "in a struct") ?? [];
  return [
    before.replace("take_point", "take_shape"),
    '"\\u0044ot":{}',
    after.replace(',"x":"1","y":"1"', ""),
  ];
}

const PROPERTY = "0x4::aptos_token::add_typed_property";
const property = (type: string, before: string, unit: string, after: string): string =>
  call(PROPERTY, ["0x4::token::Token", type], `"0x1","k",${before}`, unit, after);

/** Name and text of every body; texts are large, so they are made one at a time. */
export const HOSTILE_BODIES: readonly (readonly [name: string, build: () => string])[] = [
  ...paddedRequests("0x1::demo")
    .filter(([name]) => /before the members of the body|in a type parameter|again and again/.test(name))
    .map(([name, build]) => [name, () => build(SIZE)] as const),
  ["numbers", () => `[${repeated("1", SIZE - 2)}]`],
  ["empty arrays", () => `[${repeated("[]", SIZE - 2)}]`],
  ["empty objects", () => `[${repeated("{}", SIZE - 2)}]`],
  [
    "nesting to the limit, again and again",
    () => `[${repeated("[".repeat(126) + "]".repeat(126), SIZE - 2)}]`,
  ],
  ["nesting without end", () => "[".repeat(SIZE)],
  ["one string", () => `"${"x".repeat(SIZE - 2)}"`],
  ["one string of escapes", () => `"${"\\u00e9".repeat((SIZE - 2) / 6)}"`],
  ["a string that never ends", () => `"${"\\\\".repeat((SIZE - 1) / 2)}`],
  ["one number", () => "9".repeat(SIZE)],
  ["blanks", () => `${" ".repeat(SIZE - 4)}null`],
  ["duplicate members", () => `{${repeated('"sender":1', SIZE - 2)}}`],
  ["members with empty names", () => `{${repeated('"":0', SIZE - 2)}}`],
  ["members with escaped names", () => `{${repeated('"\\u0073ender":0', SIZE - 2)}}`],
  [
    "a sequence number of a million digits",
    () => `{"sender":"0x1","sequence_number":"${"9".repeat(SIZE - 40)}"}`,
  ],
  ["a sender of a million digits", () => `{"sender":"0x${"1".repeat(SIZE - 40)}"}`],
  [
    "a long function id",
    () =>
      request(
        '"type":"entry_function_payload","type_arguments":[],"arguments":[],"function":"0x1::',
        (room) => "a".repeat(room),
        '::f"',
      ),
  ],
  [
    "a function id of colons",
    () =>
      request(
        '"type":"entry_function_payload","type_arguments":[],"arguments":[],"function":"',
        (room) => ":".repeat(room),
        '"',
      ),
  ],
  [
    "a deep type",
    () =>
      request(
        '"type":"entry_function_payload","function":"0x1::m::f","arguments":[],"type_arguments":["',
        (room) => "vector<".repeat(room / 7),
        '"]',
      ),
  ],
  [
    "a wide type",
    () =>
      request(
        '"type":"entry_function_payload","function":"0x1::m::f","arguments":[],"type_arguments":["0x1::a::B<',
        (room) => repeated("u8", room),
        '>"]',
      ),
  ],
  [
    "many type arguments",
    () =>
      request(
        `"type":"entry_function_payload","function":"${TRANSFER}","arguments":[],"type_arguments":[`,
        (room) => repeated('"u8"', room),
        "]",
      ),
  ],
  ["many arguments", () => call(TRANSFER, [], "", "1", "")],
  [
    "an address argument of a million digits",
    () =>
      request(
        `"type":"entry_function_payload","function":"${TRANSFER}","type_arguments":[],"arguments":["0x`,
        (room) => "f".repeat(room),
        '","1"]',
      ),
  ],
  [
    "an integer argument of a million digits",
    () =>
      request(
        `"type":"entry_function_payload","function":"${TRANSFER}","type_arguments":[],"arguments":["0x1","`,
        (room) => "9".repeat(room),
        '"]',
      ),
  ],
  [
    "an integer argument of a million zeros",
    () =>
      request(
        `"type":"entry_function_payload","function":"${TRANSFER}","type_arguments":[],"arguments":["0x1","`,
        (room) => "0".repeat(room),
        '"]',
      ),
  ],
  [
    "bytes",
    () =>
      request(
        `"type":"entry_function_payload","function":"${PROPERTY}","type_arguments":["u8","vector<u8>"],"arguments":["0x1","k","`,
        (room) => "ab".repeat(room / 2),
        '"]',
      ),
  ],
  [
    "a string argument",
    () =>
      request(
        `"type":"entry_function_payload","function":"${PROPERTY}","type_arguments":["u8","bool"],"arguments":["0x1","`,
        (room) => "é".repeat(room / 2),
        '",true]',
      ),
  ],
  ["addresses of one digit", () => property("vector<address>", "[", '"0"', "]")],
  ["integers of one digit", () => property("vector<u256>", "[", '"0"', "]")],
  ["numbers of one digit", () => property("vector<u32>", "[", "0", "]")],
  ["booleans", () => property("vector<bool>", "[", "true", "]")],
  ["empty byte strings", () => property("vector<vector<u8>>", "[", '""', "]")],
  ["empty vectors", () => property("vector<vector<u64>>", "[", "[]", "]")],
  ["empty options", () => property("vector<0x1::option::Option<u64>>", "[", '{"vec":[]}', "]")],
  ["variants", () => property("vector<0x1::cmp::Ordering>", "[", '{"Less":{}}', "]")],
  ["structs", () => property("vector<0x1::guid::ID>", "[", '{"creation_num":"1","addr":"1"}', "]")],
  [
    "one struct with many members",
    () => property("0x1::guid::ID", '{"creation_num":"1","addr":"1",', '"addr":"1"', "}"),
  ],
  ["one variant with many names", () => property("0x1::cmp::Ordering", "{", '"Less":{}', "}")],
  [
    "secondary signers",
    () =>
      request(
        `"type":"multisig_payload","multisig_address":"0x1"},"secondary_signers":[`,
        (room) => repeated('"0"', room),
        '],"x":{',
      ),
  ],
  [
    "a script of zeros",
    () =>
      request(
        '"type":"script_payload","type_arguments":[],"arguments":[],"code":{"bytecode":"',
        (room) => "00".repeat(room / 2),
        '"}',
      ),
  ],
  [
    "a script with a long tail",
    () =>
      request(
        '"type":"script_payload","type_arguments":[],"arguments":[],"code":{"bytecode":"a11ceb0b060000000105000200000000010102',
        (room) => "00".repeat(room / 2),
        '"}',
      ),
  ],
  [
    "a script with a description of many parameters",
    () =>
      request(
        '"type":"script_payload","type_arguments":[],"arguments":[],"code":{"bytecode":"","abi":{"name":"m","visibility":"public","is_entry":true,"is_view":false,"return":[],"generic_type_params":[],"params":[',
        (room) => repeated('"u8"', room),
        "]}}",
      ),
  ],
  [
    "a script with a description of many type parameters",
    () =>
      request(
        '"type":"script_payload","type_arguments":[],"arguments":[],"code":{"bytecode":"","abi":{"name":"m","visibility":"public","is_entry":true,"is_view":false,"return":[],"params":[],"generic_type_params":[',
        (room) => repeated('{"constraints":[]}', room),
        "]}}",
      ),
  ],
];
