// Loads certificate and key from files, checks that they match, and reloads them when a file changes. An unusable pair
// leaves the current one in use.
import { readFileSync, unwatchFile, watchFile } from "node:fs";
import { createSecureContext, type SecureContextOptions } from "node:tls";
import { ConfigError, errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";

/** Paths of certificate and key. */
export interface TlsFiles {
  /** PEM, the node's own certificate first, then those that lead to the root. */
  readonly certFile: string;
  readonly keyFile: string;
  /** Poll interval. */
  readonly checkMs?: number;
}

const CHECK_MS = 5000;

/** Loads a pair. Throws ConfigError if it cannot be read or does not match. */
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
 * Reloads the files when one changes. Polls, because file events miss files replaced by rename or symbolic link.
 * Returns a function that stops the polling.
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
      // One file is often written before the other: the second change triggers another attempt.
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
