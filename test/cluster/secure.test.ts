// A node on a cluster that asks for a password and for certificates: CASSANDRA_SECURE=1 scripts/cassandra.sh up 1
// starts one. SEXTANT_CASSANDRA_SECURE names its host, SEXTANT_CASSANDRA_TLS the folder of the certificates.
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { auth, Client } from "cassandra-driver";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answers } from "../support/cassandra.ts";
import { runProgram, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { until } from "../support/until.ts";

const host = process.env.SEXTANT_CASSANDRA_SECURE ?? "127.0.9.1";
const tls =
  process.env.SEXTANT_CASSANDRA_TLS ??
  fileURLToPath(new URL("../../.cache/cassandra/tls-127.0.9", import.meta.url));
const isThere = await answers(host);
const reason = `no Cassandra with passwords and TLS answers on ${host} (CASSANDRA_SECURE=1 scripts/cassandra.sh up 1 starts one)`;

if (!isThere) it("Nodes on a cluster with passwords and TLS: all of it", (context) => context.skip(reason));

const declare = isThere ? describe : () => {};
declare("Nodes on a cluster with passwords and TLS", () => {
  const folder = temporaryFolder();
  const name = `secure_${randomBytes(5).toString("hex")}`;
  const [password, wrong] = [randomBytes(12).toString("hex"), randomBytes(12).toString("hex")];
  const file = (text: string): string => {
    const path = join(folder, `password-${text.slice(0, 6)}`);
    writeFileSync(path, `${text}\n`, { mode: 0o600 });
    return path;
  };
  const certificates = (authority: string, client: string): string[] => [
    ...["--store-tls", join(tls, `${authority}.pem`)],
    ...["--store-tls-cert", join(tls, `${client}.pem`), "--store-tls-key", join(tls, `${client}.key`)],
  ];
  const trusted = certificates("ca", "client");
  const store = (secret: string, ...more: string[]): string[] => [
    ...["--store", "cassandra", "--store-url", `cassandra://${host}/${name}`, "--store-user", name],
    ...["--store-password-file", file(secret), "--lease-time", "12s", "--log-level", "warn", ...more],
  ];
  const chain = ["--block-time", "0", "--blocks", "5", "--prune-window", "off"];
  const refused = (...args: string[]) => runProgram(["start", "--port", "0", ...args]);
  const [ca, cert, key] = ["ca.pem", "client.pem", "client.key"].map(
    (name) => () => readFileSync(join(tls, name)),
  );
  const admin = (): Client =>
    new Client({
      contactPoints: [host],
      protocolOptions: { maxVersion: 4 },
      localDataCenter: "datacenter1",
      authProvider: new auth.PlainTextAuthProvider("cassandra", "cassandra"),
      sslOptions: { ca: ca?.(), cert: cert?.(), key: key?.(), rejectUnauthorized: true },
      socketOptions: { connectTimeout: 60_000, readTimeout: 120_000 },
    });
  const define = async (...statements: string[]): Promise<void> => {
    // The first user is made a little after the node answers.
    const client = await until(async () => {
      const one = admin();
      return one.connect().then(
        () => one,
        () => one.shutdown().then(() => undefined),
      );
    });
    for (const statement of statements) await client.execute(statement);
    await client.shutdown();
  };

  beforeAll(async () => {
    await define(
      `CREATE ROLE ${name} WITH PASSWORD = '${password}' AND LOGIN = true`,
      `GRANT CREATE ON ALL KEYSPACES TO ${name}`,
    );
  });
  afterAll(() => define(`DROP KEYSPACE IF EXISTS ${name}`, `DROP ROLE ${name}`), 600_000);

  it("a user with the right to make a keyspace writes, and another process reads", async () => {
    const writer = await startProgram([...store(password, ...trusted), ...chain]);
    const reader = await startProgram([...store(password, ...trusted), "--read-only"]);
    await until(async () => {
      const response = await fetch(reader.url);
      const { block_height: height } = (await response.json()) as { block_height?: string };
      return Number(height ?? 0) >= 5;
    });
    for (const node of [writer, reader]) expect(await node.stop()).toMatchObject({ code: 0 });
    expect(writer.stdout() + writer.stderr() + reader.stdout() + reader.stderr()).not.toContain(password);
  });

  it("a wrong password is refused, for writing and for reading, and not repeated", async () => {
    for (const more of [[], ["--read-only"]]) {
      const { code, stdout, stderr } = await refused(...store(wrong, ...trusted), ...more);
      expect(code).toBe(2);
      expect(stderr).toContain("refuses the user");
      expect(stdout + stderr).not.toContain(wrong);
    }
  });

  it("a cluster whose certificate another authority signed is not trusted", async () => {
    const stranger = certificates("stranger-ca", "client");
    for (const options of [stranger, ["--store-tls"]]) {
      const { code, stderr } = await refused(...store(password, ...options));
      expect(code).toBe(2);
      expect(stderr).toContain("has an untrusted certificate");
    }
  });

  it("a client that the cluster does not know, or that speaks no TLS, does not come in", async () => {
    for (const options of [certificates("ca", "stranger-client"), []]) {
      const { code, stderr } = await refused(...store(password, ...options));
      expect(code).toBe(2);
      expect(stderr).toContain("does not answer");
      expect(stderr).not.toContain(password);
    }
  });
});
