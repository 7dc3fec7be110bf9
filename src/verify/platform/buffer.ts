// For node:buffer.
const decoder = new TextDecoder("utf-8", { fatal: true });

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    decoder.decode(bytes);
    return true;
  } catch {
    return false;
  }
}
