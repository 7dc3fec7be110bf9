// contrib/sextant.service: systemd understands it, rates it as locked down, and its filter of system calls lets the
// program do its work. systemd itself does not run in tests: strace shows the calls that the filter would judge.
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCertificate, hasOpenssl } from "../support/certificate.ts";
import { endWithTest, outputOf } from "../support/children.ts";
import { bin, startProgram } from "../support/program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { hasTool } from "../support/tools.ts";
import { until } from "../support/until.ts";

const UNIT = "contrib/sextant.service";
const EXAMPLE = "contrib/sextant.example.yaml";
const MAX_EXPOSURE = 2;
const folder = temporaryFolder();
const unit = readFileSync(UNIT, "utf8");

/** Values of a key of the unit, in order. */
function valuesOf(key: string): string[] {
  return unit
    .split("\n")
    .filter((line) => line.startsWith(`${key}=`))
    .map((line) => line.slice(key.length + 1));
}

/** The system calls of a set such as @system-service, with those of the sets inside it. */
function callsOf(set: string): string[] {
  if (!set.startsWith("@")) return [set];
  const lines = execFileSync("systemd-analyze", ["syscall-filter", set], { encoding: "utf8" }).split("\n");
  const names = lines.slice(1).map((line) => line.trim());
  return names.filter((name) => name !== "" && !name.startsWith("#")).flatMap(callsOf);
}

function allowedCalls(): Set<string> {
  // systemd always allows these: a process could not start otherwise.
  const allowed = new Set(callsOf("@default"));
  for (const value of valuesOf("SystemCallFilter")) {
    const isDenied = value.startsWith("~");
    for (const call of value.replace("~", "").split(" ").flatMap(callsOf)) {
      if (isDenied) allowed.delete(call);
      else allowed.add(call);
    }
  }
  return allowed;
}

describe.skipIf(!hasTool("systemd-analyze", "--version"))("the systemd unit", () => {
  it("leaves an exposure below 2.0", () => {
    const { stdout } = spawnSync("systemd-analyze", ["security", "--offline=true", UNIT], {
      encoding: "utf8",
      env: { ...process.env, SYSTEMD_COLORS: "0", SYSTEMD_PAGER: "cat" },
    });
    const level = /Overall exposure level for sextant\.service: (\d+\.\d+)/.exec(stdout)?.[1];
    expect(Number(level), stdout).toBeLessThan(MAX_EXPOSURE);
  });

  it("has no key or value that systemd does not know", () => {
    // The paths of an installed package are not on this machine.
    const text = unit.replace(/^ExecStart=\S+ \S+/m, `ExecStart=${process.execPath} ${bin}`);
    const copy = join(folder, "sextant.service");
    writeFileSync(copy, text.replace(/^Documentation=.*\n/m, ""));
    const { stderr } = spawnSync("systemd-analyze", ["verify", "--man=no", "--recursive-errors=no", copy], {
      encoding: "utf8",
    });
    expect(stderr).not.toMatch(/sextant\.service/);
  });

  it("starts the program with options that it has", async () => {
    const [command] = valuesOf("ExecStart");
    const [, , name, ...flags] = command?.split(" ") ?? [];
    expect(name).toBe("start");
    const example = readFileSync(EXAMPLE, "utf8");
    const flagsWith = (config: string): string[] => {
      const paths: Record<string, string> = {
        "/etc/sextant.yaml": config,
        "/var/lib/sextant": join(folder, "as-unit"),
      };
      return flags.map((flag) => paths[flag] ?? flag);
    };
    const origin = await startProgram(["--store", "memory", "--log-level", "error"]);
    const filled = join(folder, "filled.yaml");
    const url = `${origin.url}`;
    writeFileSync(filled, example.replace(/^upstream: .*$/m, `upstream: [${url}]`).replace("10s", "0s"));
    const node = await startProgram(flagsWith(filled));
    expect((await node.stop()).code).toBe(0);
    await origin.stop();
    // Not a demo chain with a faucet.
    const refused = spawnSync(process.execPath, [bin, "start", ...flagsWith(EXAMPLE)], { encoding: "utf8" });
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining("upstream: ")]);
  });
});

describe.skipIf(!hasTool("systemd-analyze", "--version") || !hasTool("strace", "--version"))(
  "the unit's filter of system calls",
  () => {
    it("allows every call of a writer with workers, a TLS follower, a backup and a stop", async () => {
      const trace = (name: string): string[] => ["-f", "-qq", "-c", "-o", join(folder, `${name}.calls`)];
      /** Runs the program under strace; resolves at its end. */
      const run = (name: string, args: readonly string[]) => {
        const child = endWithTest(
          spawn("strace", [...trace(name), process.execPath, bin, ...args], {
            detached: true,
            env: { ...process.env, SEXTANT_MAX_WAIT: "0" },
          }),
          { group: true },
        );
        const output = outputOf(child);
        const ended = new Promise<void>((resolve) => {
          child.once("close", () => resolve());
        });
        const url = () => /sextant is ready: (http\S+)/.exec(output.stdout)?.[1];
        const stop = async (): Promise<void> => {
          // To the group: strace passes no signals on.
          process.kill(-(child.pid ?? 0), "SIGTERM");
          await ended;
        };
        return { ended, stop, url };
      };
      const data = join(folder, "traced");
      const writer = run("writer", [
        ...["start", "--port", "0", "--data", data, "--workers", "2", "--block-time", "100ms"],
        ...["--prune-window", "20"],
      ]);
      const origin = await until(writer.url);
      expect((await fetch(`${origin}/info`)).status).toBe(200);
      const tls = hasOpenssl ? createCertificate(folder, "traced") : undefined;
      const follower = run("follower", [
        // The writer has pruned its first versions.
        ...["start", "--port", "0", "--data", join(folder, "replica"), "--upstream", origin],
        ...["--start-version", "latest"],
        ...(tls === undefined ? [] : ["--tls-cert", tls.certFile, "--tls-key", tls.keyFile]),
      ]);
      await until(follower.url);
      await run("backup", ["backup", "--data", data, "--to", join(folder, "copy")]).ended;
      await follower.stop();
      await writer.stop();
      const allowed = allowedCalls();
      const used = ["writer", "follower", "backup"].flatMap((name) =>
        readFileSync(join(folder, `${name}.calls`), "utf8")
          .split("\n")
          .slice(2)
          .map((line) => line.trim().split(/\s+/).at(-1) ?? "")
          .filter((call) => /^[a-z]\w*$/.test(call) && call !== "total"),
      );
      expect(used).toEqual(expect.arrayContaining(["execve", "mmap", "socketpair", "fdatasync"]));
      expect([...new Set(used)].filter((call) => !allowed.has(call))).toEqual([]);
    });
  },
);
