// Large bodies of responses whose memory goes back to its owner once they are sent. Left to the collector they would cause
// full collections: V8 counts buffers outside of its heap like the heap itself.

/** Bodies up to this size are sent in one piece, and never given back. */
export const MIN_LENT_BYTES: number = 256 * 1024;

const owners = new WeakMap<Uint8Array, () => void>();

/** Lets the sender of a body give it back. That may never happen: the collector takes it then. */
export function lend(body: Uint8Array, onReturned: () => void): void {
  owners.set(body, onReturned);
}

/** Gives a body back to its owner, if it has one. Nothing may read it any more. */
export function giveBack(body: Uint8Array): void {
  owners.get(body)?.();
  owners.delete(body);
}
