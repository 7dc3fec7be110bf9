// Self-signed certificates for tests, made on demand.
import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";

/** Whether this machine has openssl. */
export const hasOpenssl = ((): boolean => {
  try {
    execFileSync("openssl", ["version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

/** Where a certificate and its key are. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Makes a certificate for 127.0.0.1 and its key, or replaces them as a renewal would: whole files, by rename. */
export function createCertificate(folder: string, subject: string): CertificateFiles {
  const files = { certFile: join(folder, "cert.pem"), keyFile: join(folder, "key.pem") };
  const fresh = { cert: join(folder, "new-cert.pem"), key: join(folder, "new-key.pem") };
  execFileSync(
    "openssl",
    [
      ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
      ...["-days", "2", "-subj", `/CN=${subject}`, "-addext", "subjectAltName=IP:127.0.0.1"],
      ...["-keyout", fresh.key, "-out", fresh.cert],
    ],
    { stdio: "ignore" },
  );
  renameSync(fresh.cert, files.certFile);
  renameSync(fresh.key, files.keyFile);
  return files;
}
