// Exposure of the real program with default options.
import { writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { networkInterfaces } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { createCertificate, hasOpenssl } from "../support/certificate.ts";
import { runCommand } from "../support/command.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const outside = Object.values(networkInterfaces())
  .flat()
  .find((address) => address !== undefined && !address.internal && address.family === "IPv4")?.address;

function canConnect(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 2000 });
    const settle = (result: boolean) => () => {
      socket.destroy();
      resolve(result);
    };
    socket.on("connect", settle(true)).on("error", settle(false)).on("timeout", settle(false));
  });
}

describe("with default options", () => {
  it("listens on this machine only, reveals no file path, and can switch off everything outside the interface", async () => {
    const marker = "a-folder-nobody-needs-to-know";
    const data = join(temporaryFolder(), marker);
    const node = await startProgram(["--data", data, "--log-level", "debug", "--log-format", "json"]);
    const { hostname, port, origin } = new URL(node.url);
    expect(hostname).toBe("127.0.0.1");
    if (outside !== undefined) expect(await canConnect(outside, Number(port))).toBe(false);
    const seen: string[] = [];
    for (const path of [
      "/",
      "/v1",
      "/v1/info",
      "/v1/spec.json",
      "/metrics",
      "/v1/-/healthy",
      "/data",
      "/v1/nothing",
    ]) {
      const response = await fetch(origin + path);
      seen.push(JSON.stringify([...response.headers]), await response.text());
    }
    expect(seen.join("\n")).toContain("sextant_http_request_duration_seconds");
    expect(seen.join("\n")).toMatch(/^sextant_event_loop_delay_seconds \d/m);
    expect(seen.join("\n")).not.toContain(marker);
    expect(seen.join("\n")).not.toContain(process.cwd());
    await node.stop();

    const bare = await startProgram([
      "--data",
      data,
      "--metrics-port",
      "off",
      "--pages",
      "off",
      "--no-encode",
    ]);
    const statuses = await Promise.all(
      ["/", "/metrics"].map(async (path) => (await fetch(new URL(path, bare.url))).status),
    );
    expect(statuses).toEqual([404, 404]);
    const encode = await fetch(`${bare.url}/transactions/encode_submission`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(encode.status).toBe(403);
    await bare.stop();
  });

  it("a configuration file cannot set anything but options", async () => {
    const config = join(temporaryFolder(), "config.yaml");
    for (const key of ["__proto__", "constructor", "toString"]) {
      writeFileSync(config, `${key}:\n  polluted: true\n`);
      const { code, stderr } = await runCommand(["start", "--config", config]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("sextant: ")]);
    }
  });

  it("an upstream key reaches upstreams and nothing else", async () => {
    const secret = "k3y-for-upstreams-only";
    const seen: (string | undefined)[] = [];
    const upstream = createServer((request, response) => {
      seen.push(request.headers.authorization ?? JSON.stringify(request.headers));
      // An upstream that echoes the key must not get it into the log.
      response.writeHead(401, { "content-type": "application/json" });
      response.end(
        JSON.stringify({ message: `no: ${JSON.stringify(request.headers)}`, error_code: "internal_error" }),
      );
    });
    await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
    const url = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}/v1`;
    const node = await startProgram(
      [
        "--data",
        join(temporaryFolder(), "data"),
        "--upstream",
        url,
        "--log-level",
        "debug",
        "--log-format",
        "json",
      ],
      { SEXTANT_UPSTREAM_API_KEY: secret },
      "listening",
    );
    await until(() => seen.some((headers) => headers?.includes(secret)));
    await sleep(200);
    const answers = await Promise.all(
      ["/v1/info", "/metrics", "/v1", "/v1/-/healthy"].map(async (path) =>
        (await fetch(new URL(path, node.url))).text(),
      ),
    );
    await node.stop();
    upstream.closeAllConnections();
    upstream.close();
    expect(answers.join("\n")).not.toContain(secret);
    expect(node.stdout() + node.stderr()).not.toContain(secret);
  });
});

describe.skipIf(!hasOpenssl)("TLS on the command line (needs openssl)", () => {
  it("needs both files, refuses a bad pair with the reason, and never reveals the key", async () => {
    const folder = temporaryFolder();
    const { certFile, keyFile } = createCertificate(folder, "127.0.0.1");
    const data = join(folder, "data");
    const alone = await runCommand(["start", "--data", data, "--tls-cert", certFile]);
    expect([alone.code, alone.stderr]).toEqual([2, "sextant: --tls-cert needs --tls-key\n"]);
    const swapped = await runCommand(["start", "--data", data, "--tls-cert", keyFile, "--tls-key", certFile]);
    expect(swapped.code).toBe(2);
    expect(swapped.stderr).toContain("cannot be used");
    expect(swapped.stderr).not.toContain("PRIVATE KEY");
    const node = await startProgram([
      "--data",
      data,
      "--tls-cert",
      certFile,
      "--tls-key",
      keyFile,
      "--log-level",
      "debug",
    ]);
    expect(node.url).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/v1$/);
    await expect(fetch(`${node.url}/info`)).rejects.toThrow();
    const asked = await runProgram(["info", "--url", node.url], { NODE_EXTRA_CA_CERTS: certFile });
    expect([asked.code, asked.stdout]).toEqual([0, expect.stringContaining("sextant")]);
    await node.stop();
    expect(node.stdout() + node.stderr()).not.toContain("PRIVATE KEY");
  });
});
