// How a client tells what it saw: one JSON line for each call.

/** One call of a client. */
export interface CallResult {
  readonly call: string;
  readonly ok: boolean;
  /** What it answered, or why it is wrong. */
  readonly result: string;
}

/** Runs a call and prints its line. `check` returns what was seen, and throws for a wrong number. */
export async function tell(call: string, check: () => Promise<string>): Promise<void> {
  let line: CallResult;
  try {
    line = { call, ok: true, result: await check() };
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    line = { call, ok: false, result: text.replaceAll(/\s+/g, " ").slice(0, 400) };
  }
  console.log(JSON.stringify(line));
}

/** Throws unless two values have the same text. Returns the text. */
export function same(what: string, got: unknown, expected: unknown): string {
  if (`${got}` !== `${expected}`) throw new Error(`${what}: expected ${expected}, got ${got}`);
  return `${what} ${got}`;
}
