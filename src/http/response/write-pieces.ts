// Writes an answer piece by piece. The client's reading sets the pace: the next piece is asked for when the last one is
// taken, so a stream holds one piece, however long it is and however slow its client.
import type { Writable } from "node:stream";

/** Resolves when the client took what was written, or is gone. */
function untilTaken(response: Writable): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}

/** Writes all pieces and ends the answer; returns its bytes. Returns early, and ends the source, when the client is gone. */
export async function writePieces(
  response: Writable,
  pieces: AsyncIterable<string | Uint8Array>,
  onTaken: () => void,
): Promise<number> {
  let bytes = 0;
  for await (const piece of pieces) {
    if (response.destroyed) return bytes;
    bytes += Buffer.byteLength(piece);
    if (piece.length === 0 || response.write(piece)) continue;
    await untilTaken(response);
    if (response.destroyed) return bytes;
    onTaken();
  }
  response.end();
  return bytes;
}
