// Sockets that read into one buffer of all connections. By default node allocates 64 KiB for every read and makes an
// array buffer of its own of what came, which costs more than parsing a request and gives the collector work; node's own
// HTTP parser reads into one buffer as well. node creates accepted sockets without this option (`onread`), so this
// file puts a second socket on the handle of an accepted one.
import { Socket } from "node:net";

/** As much as node reads at once. */
const READ_BYTES = 64 * 1024;

/** Where every such socket reads. Its bytes are valid until the callback returns. */
export const sharedReads: Buffer = Buffer.allocUnsafeSlow(READ_BYTES);

/** Called with the number of bytes in `sharedReads`. Returns false if the socket must read no more for now. */
export type ReadCallback = (count: number) => boolean;

/** Fields of node's sockets that its types lack. */
interface OwnedSocket {
  _handle: { useUserBuffer?: unknown } | null;
  server?: unknown;
  _server: { _connections?: unknown } | null;
}

function isOwned(socket: object): socket is OwnedSocket {
  return "_handle" in socket && "_server" in socket;
}

/**
 * Moves a new connection, of which nothing was read yet, to a socket that reads into `sharedReads`. Returns undefined,
 * and changes nothing, where this node lacks what that takes, and for connections that are no plain sockets.
 */
export function withSharedReads(accepted: Socket, onRead: ReadCallback): Socket | undefined {
  if (accepted.constructor !== Socket || !isOwned(accepted) || accepted.destroyed) return undefined;
  const { _handle: handle, _server: server } = accepted;
  if (typeof handle?.useUserBuffer !== "function" || typeof server?._connections !== "number") {
    return undefined;
  }
  const options = {
    handle,
    allowHalfOpen: accepted.allowHalfOpen,
    onread: { buffer: sharedReads, callback: onRead },
  };
  const socket: Socket = new Socket(options);
  // The server counts its connections by this field: only one of both sockets may leave it.
  Object.assign(socket, { server: accepted.server, _server: server });
  accepted._handle = null;
  accepted._server = null;
  return socket;
}
