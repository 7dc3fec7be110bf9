// Writes a body piece by piece. The client's reading sets the pace: the next piece is asked for when the last one is
// taken, so a response holds one piece, however long it is and however slow its client.
import type { Socket } from "node:net";
import type { BodySink } from "../transport/exchange.ts";

/** Resolves when the client took what was written, or is gone. */
export function untilTaken(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      socket.off("drain", settle).off("close", settle);
      resolve();
    };
    socket.on("drain", settle).on("close", settle);
  });
}

/** The same pieces. The first one is read at once, so that what is wrong with the question still has its status. */
export async function begun<T>(pieces: AsyncIterable<T>): Promise<AsyncIterable<T>> {
  const source = pieces[Symbol.asyncIterator]();
  const first = await source.next();
  return (async function* () {
    try {
      for (let next = first; next.done !== true; next = await source.next()) yield next.value;
    } finally {
      await source.return?.();
    }
  })();
}

/** Writes all pieces and ends the body; returns its bytes. Returns early, and ends the source, when the client is gone. */
export async function writePieces(
  sink: BodySink,
  pieces: AsyncIterable<string | Uint8Array>,
  onTaken: () => void,
): Promise<number> {
  const { socket } = sink;
  let bytes = 0;
  for await (const piece of pieces) {
    if (socket.destroyed) return bytes;
    if (piece.length === 0) continue;
    bytes += Buffer.byteLength(piece);
    sink.write(piece);
    if (!socket.writableNeedDrain) continue;
    await untilTaken(socket);
    if (socket.destroyed) return bytes;
    onTaken();
  }
  sink.end();
  return bytes;
}
