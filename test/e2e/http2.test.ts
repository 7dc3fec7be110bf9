// HTTP/2 as curl speaks it.
import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { createCertificate, hasOpenssl } from "../support/certificate.ts";
import { startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";

const hasCurl = `${spawnSync("curl", ["--version"]).stdout}`.includes("HTTP2");
const FORMAT = "\n%{http_version} %{response_code}\n";

function curl(...args: readonly string[]): string {
  return execFileSync("curl", ["--silent", "--max-time", "20", "--write-out", FORMAT, ...args], {
    encoding: "utf8",
  });
}

describe.skipIf(!hasCurl)("curl (with HTTP/2)", () => {
  it("asks with prior knowledge", async () => {
    const { url, stop } = await startProgram(["--store", "memory"]);
    const ready = `${new URL(url).origin}/v1/-/ready`;
    expect(curl("--http2-prior-knowledge", ready)).toBe('{"message":"sextant:ready"}\n2 200\n');
    // The upgrade from HTTP/1.1 is not served: the answer stays HTTP/1.1.
    expect(curl("--http2", ready)).toContain("\n1.1 200");
    expect((await stop()).code).toBe(0);
  });

  it.skipIf(!hasOpenssl)("chooses HTTP/2 over TLS by itself (needs openssl)", async () => {
    const { certFile, keyFile } = createCertificate(temporaryFolder(), "curl");
    const { url, stop } = await startProgram([
      "--store",
      "memory",
      "--tls-cert",
      certFile,
      "--tls-key",
      keyFile,
    ]);
    const ready = `${new URL(url).origin}/v1/-/ready`;
    expect(curl("--cacert", certFile, ready)).toContain("\n2 200");
    expect(curl("--cacert", certFile, "--http1.1", ready)).toContain("\n1.1 200");
    expect((await stop()).code).toBe(0);
  });
});
