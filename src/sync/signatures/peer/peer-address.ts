// Addresses of peers as networks write them: /dns/HOST/tcp/PORT/noise-ik/KEY/handshake/0.
import { fromHex } from "../../../base/hex.ts";
import { KEY_BYTES } from "./noise.ts";

export interface PeerAddress {
  readonly host: string;
  readonly port: number;
  /** Its public key. */
  readonly key: Uint8Array;
}

const FORM =
  /^\/(ip4|ip6|dns|dns4|dns6)\/([^/]{1,253})\/tcp\/(\d{1,5})\/noise-ik\/(?:0x)?([0-9a-fA-F]{64})\/handshake\/0$/;

/** Parses an address; undefined for any other text. */
export function parsePeerAddress(text: string): PeerAddress | undefined {
  const [, , host, portText, keyText] = FORM.exec(text) ?? [];
  const key = keyText === undefined ? undefined : fromHex(keyText.toLowerCase());
  const port = Number(portText);
  if (host === undefined || key?.length !== KEY_BYTES || port < 1 || port > 65_535) return undefined;
  return { host, port, key };
}
