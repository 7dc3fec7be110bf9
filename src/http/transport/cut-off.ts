// Ends an answer in the middle so that its client sees it: an ordinary end would make what came so far look complete.
import { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { TLSSocket } from "node:tls";

/**
 * Resets a connection. TLS ends without its goodbye. Node would end a connection that is destroyed without an error, in
 * order.
 */
export function cutOff(stream: Duplex): void {
  const isTcp = stream instanceof Socket && !(stream instanceof TLSSocket);
  // Node cannot reset a connection that has sent its end; all bytes are with the kernel then.
  const isSent = stream.writableEnded && stream.writableLength === 0;
  if (isTcp && !isSent) stream.resetAndDestroy();
  else stream.destroy(new Error("the answer was cut off"));
}
