// Writes an answer piece by piece. The client's reading sets the pace: the next piece is asked for when the last one is
// taken, so a stream holds one piece, however long it is and however slow its client.
import type { ServerResponse } from "node:http";

/** Resolves when the client took what was written, or is gone. */
function untilTaken(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      response.off("drain", settle).off("close", settle);
      resolve();
    };
    response.on("drain", settle).on("close", settle);
  });
}

/** Writes all pieces and ends the answer. Returns early, and ends the source, when the client is gone. */
export async function writePieces(
  response: ServerResponse,
  pieces: AsyncIterable<string>,
  onTaken: () => void,
): Promise<void> {
  for await (const piece of pieces) {
    if (response.destroyed) return;
    if (piece === "" || response.write(piece)) continue;
    await untilTaken(response);
    if (response.destroyed) return;
    onTaken();
  }
  response.end();
}
