// What the start screen says of the proof port: that it listens is not yet that it has proofs.

const ASK_MS = 2000;
/** An answer in BCS: whether there is a signed version, its epoch, and the version. */
const ANSWER_BYTES = 1 + 8 + 8;

/** The line of a proof port, which is asked as a node that needs its proofs would ask. */
export async function proofsLine(url: string): Promise<string> {
  try {
    const response = await fetch(new URL("/db_state", url), { signal: AbortSignal.timeout(ASK_MS) });
    const answer = Buffer.from(await response.arrayBuffer());
    if (response.ok && answer.length === ANSWER_BYTES) {
      return `Proofs: ${url} (up to version ${answer.readBigUInt64LE(1 + 8)})`;
    }
  } catch {
    // Nobody else gets an answer either.
  }
  return `Proofs: ${url} (none yet: the ledger has no signed version)`;
}
