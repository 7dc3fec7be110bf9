// Patterns of texts in requests, for the OpenAPI document. Each describes exactly what the parser accepts, or what it
// accepts in a usual length: generated clients check texts by them, and schemathesis generates texts from them.

/** Digits of one length, up to and including `max`. */
function digitsUpTo(max: string): string {
  const lower = [...max].flatMap((digit, i) => {
    if (digit === "0") return [];
    const rest = max.length - i - 1;
    const first = digit === "1" ? "0" : `[0-${Number(digit) - 1}]`;
    return [`${max.slice(0, i)}${first}${rest === 0 ? "" : `[0-9]{${rest}}`}`];
  });
  return [...lower, max].join("|");
}

const U64 = `[0-9]{1,19}|${digitsUpTo("18446744073709551615")}`;
const ADDRESS = "(?:0x)?[0-9a-fA-F]{1,64}";
const NAME = "[A-Za-z_][A-Za-z0-9_]*";
/** Up to the year 9999, as RFC 3339. */
const UNIX_SECONDS = `(?:[0-9]{1,11}|${digitsUpTo("253402300799")})(?:\\.[0-9]{1,9})?`;
const LEAP_YEAR =
  "(?:[2-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[3579][26])00|19(?:7[26]|8[048]|9[26]))";
const DAY = [
  "(?:19[7-9][0-9]|[2-9][0-9]{3})-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))",
  `${LEAP_YEAR}-02-29`,
].join("|");
const HOUR = "(?:[01][0-9]|2[0-3])";
const RFC_3339 = `(?:${DAY})[Tt]${HOUR}:[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]{1,9})?(?:[Zz]|[+-]${HOUR}:[0-5][0-9])`;

export const U64_PATTERN = `^(?:${U64})$`;
export const ADDRESS_PATTERN = `^${ADDRESS}$`;
export const HEX_PATTERN = "^(?:0x)?(?:[0-9a-fA-F]{2})*$";
export const TIME_PATTERN = `^(?:@?${UNIX_SECONDS}|${RFC_3339})$`;
/** A version, or a time that cannot be taken for one. */
export const RANGE_END_PATTERN = `^(?:${U64}|@${UNIX_SECONDS}|${RFC_3339})$`;
/** A version and a mark of its history. */
const POINT = `(?:${U64})(?:-[0-9a-f]{16})?`;
export const HISTORY_CURSOR_PATTERN = `^${POINT}$`;
/** Those and a place in its state. */
export const PAGE_CURSOR_PATTERN = `^${POINT}-[0-9a-f]{64}$`;
/** What stands between the brackets is not regular. */
export const ASSET_PATTERN = `^(?:${ADDRESS}|${ADDRESS}::${NAME}::${NAME}(?:<.+>)?)$`;
export const STRUCT_TYPE_PATTERN = `^0x[0-9a-fA-F]{1,64}::${NAME}::${NAME}(?:<.+>)?$`;
export const MODULE_PATTERN = `^${ADDRESS}::${NAME}$`;
export const FUNCTION_PATTERN = `^${ADDRESS}::${NAME}::${NAME}$`;
