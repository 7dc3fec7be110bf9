import { ConfigError } from "../base/errors.ts";

/** Checks the number of operands of a command. */
export function operandsOf<const N extends readonly string[]>(
  operands: readonly string[],
  names: N,
): { readonly [K in keyof N]: string } {
  if (operands.length < names.length) throw new ConfigError(`missing ${names[operands.length]}`);
  if (operands.length > names.length) throw new ConfigError(`unexpected ${operands[names.length]}`);
  return operands as { readonly [K in keyof N]: string };
}
