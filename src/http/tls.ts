// Certificate and key for those who have no proxy in front: loaded from files, checked to belong together, and
// loaded again when a file changes. A pair that cannot be used leaves the one in use in place.
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { ConfigError, errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";

/** Where certificate and key are. */
export interface TlsFiles {
  /** PEM, the node's own certificate first, then those that lead to the root. */
  readonly certFile: string;
  readonly keyFile: string;
  /** How often the files are looked at. */
  readonly checkMs?: number;
}

const CHECK_MS = 5000;

/** Loads a pair; throws a ConfigError when it cannot be read or does not belong together. */
export function loadTlsFiles({ certFile, keyFile }: TlsFiles): SecureContextOptions {
  const read = (name: string, file: string): Buffer => {
    try {
      return readFileSync(file);
    } catch (error) {
      throw new ConfigError(`cannot read the ${name} ${file}: ${errorText(error)}`, error);
    }
  };
  const pair = {
    cert: read("certificate", certFile),
    key: read("key", keyFile),
    minVersion: "TLSv1.2" as const,
  };
  try {
    createSecureContext(pair);
  } catch (error) {
    throw new ConfigError(
      `the certificate ${certFile} and the key ${keyFile} cannot be used: ${errorText(error)}`,
      error,
    );
  }
  return pair;
}

/**
 * Uses the files anew when one changes. Looks at them by time and not by events: files that are replaced by a
 * rename or through a symbolic link then count too. Returns what ends the watch.
 */
export function watchTlsFiles(
  files: TlsFiles,
  use: (pair: SecureContextOptions) => void,
  logger: Logger,
): () => void {
  const reload = (): void => {
    try {
      use(loadTlsFiles(files));
      logger.info({ certFile: files.certFile }, "certificate loaded again");
    } catch (error) {
      // One of the two is often written before the other: the second change brings another attempt.
      logger.warn({ err: errorText(error) }, "new certificate not used, the old one stays");
    }
  };
  const watched = [files.certFile, files.keyFile];
  for (const file of watched) {
    watchFile(file, { interval: files.checkMs ?? CHECK_MS, persistent: false }, reload);
  }
  return () => {
    for (const file of watched) unwatchFile(file, reload);
  };
}
