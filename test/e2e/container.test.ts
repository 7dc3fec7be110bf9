// The image and the compose files: linted, true to the program's options, and the program runs as the image runs it: not
// as root, on a read-only file system. Images cannot be built in tests, which have no Docker daemon.
import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { endWithTest, outputOf } from "../support/children.ts";
import { runCommand } from "../support/command.ts";
import { openProgram } from "../support/open-program.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { hasTool } from "../support/tools.ts";
import { until } from "../support/until.ts";

const COMPOSE = "contrib/compose";
const FILES = ["monitoring.yml", "cluster.yml"];
const LTS_LINES = [22, 24];
const dockerfile = readFileSync("Dockerfile", "utf8");

describe("the Dockerfile", () => {
  it.skipIf(!hasTool("hadolint", "--version"))("has nothing that hadolint reports", () => {
    expect(execFileSync("hadolint", ["Dockerfile"], { encoding: "utf8" })).toBe("");
  });

  it("builds and runs on one supported LTS line of Node, as a user by number, with a health check", () => {
    const lines = [...dockerfile.matchAll(/^FROM node:(\d+)-/gm)].map(([, line]) => Number(line));
    expect(lines).toHaveLength(2);
    expect(new Set(lines).size).toBe(1);
    expect(LTS_LINES).toContain(lines[0]);
    expect(dockerfile).toMatch(/^USER 1000:1000$/m);
    expect(dockerfile).toMatch(/^HEALTHCHECK .*CMD \["node", "\/app\/bin\/sextant.js", "health"\]$/m);
    for (const [, source = ""] of dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)) {
      for (const file of source.split(" ")) expect(existsSync(file), file).toBe(true);
    }
  });

  it("copies every file that the build reads", () => {
    const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: { build: string } };
    const read = [...scripts.build.matchAll(/ -p (\S+)| node (\S+\.js)/g)].map(
      ([, config, script]) => config ?? script ?? "",
    );
    const scriptsRead = read.filter((file) => file.endsWith(".js"));
    expect(scriptsRead.length).toBeGreaterThan(0);
    for (const file of scriptsRead) {
      const imports = readFileSync(file, "utf8").matchAll(/ from "\.\/([^"/]+)/g);
      read.push(...[...imports].map(([, imported = ""]) => imported));
    }
    const [build = ""] = dockerfile.split(/^FROM node:\d+-\S+$/m);
    const copied = [...build.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, files = ""]) => files.split(" "));
    expect(read.length).toBeGreaterThan(0);
    for (const file of [...read, "package.json", "package-lock.json", ".npmrc", "src"]) {
      expect(copied).toContain(file);
    }
  });
});

interface Service {
  readonly build?: string;
  readonly image?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly read_only?: boolean;
  readonly depends_on?: readonly string[] | Readonly<Record<string, unknown>>;
}

describe.each(FILES)("%s", (file) => {
  const { services, volumes } = parse(readFileSync(join(COMPOSE, file), "utf8"), { merge: true }) as {
    readonly services: Readonly<Record<string, Service>>;
    readonly volumes: Readonly<Record<string, unknown>>;
  };
  const all = Object.entries(services);

  it.skipIf(!hasTool("docker", "compose", "version"))("is understood by docker compose", () => {
    execFileSync("docker", ["compose", "-f", join(COMPOSE, file), "config", "--quiet"]);
  });

  it("names files, volumes and services that exist", () => {
    for (const [name, service] of all) {
      for (const volume of service.volumes ?? []) {
        const [source = ""] = volume.split(":");
        const exists = source.startsWith(".") ? existsSync(resolve(COMPOSE, source)) : source in volumes;
        expect(exists, `${name}: ${volume}`).toBe(true);
      }
      const others = Array.isArray(service.depends_on)
        ? service.depends_on
        : Object.keys(service.depends_on ?? {});
      for (const other of others) expect(Object.keys(services)).toContain(other);
      if (service.build !== undefined)
        expect(existsSync(resolve(COMPOSE, service.build, "Dockerfile"))).toBe(true);
      else expect(service.image).toMatch(/:v?\d/);
    }
  });

  it("sets options that sextant start has, and gives nodes a read-only root", async () => {
    const { stdout } = await runCommand(["start", "--help-all"]);
    const nodes = all.filter(([, { build }]) => build !== undefined);
    expect(nodes.length).toBeGreaterThan(0);
    for (const [, { environment = {}, read_only }] of nodes) {
      expect(read_only).toBe(true);
      for (const name of Object.keys(environment)) {
        expect(name).toMatch(/^SEXTANT_/);
        expect(stdout).toContain(`--${name.slice("SEXTANT_".length).toLowerCase().replaceAll("_", "-")}`);
      }
    }
  });
});

const NOBODY = 65_534;

describe.skipIf(!canMount())("the program on a read-only root, not as root", () => {
  it("starts, serves and is healthy with one directory to write", async () => {
    const folder = temporaryFolder();
    const data = join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    chownSync(data, NOBODY, NOBODY);
    // The folder's parents may be closed to others; the directory itself is bound where everybody may look.
    const script = `
      mount --bind "$1" /mnt && mount -o remount,bind,ro / && ! touch /sextant-test 2>/dev/null || exit 9
      shift
      exec setpriv --reuid ${NOBODY} --regid ${NOBODY} --clear-groups --no-new-privs "$@"`;
    const { node, bin } = openProgram();
    const args = [node, bin, "start", "--port", "0", "--data", "/mnt"];
    const child = endWithTest(spawn("unshare", ["--mount", "sh", "-c", script, "sh", data, ...args]));
    const output = outputOf(child);
    const url = await until(() => {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${output.stderr}`);
      return /sextant is ready: (http\S+)/.exec(output.stdout)?.[1];
    });
    const health = await runCommand(["health", "--port", new URL(url).port]);
    expect(health).toMatchObject({ code: 0, stdout: "sextant:ok\n" });
    child.kill();
    await until(() => child.exitCode !== null);
    expect(child.exitCode).toBe(0);
  });
});

/** Whether this process may mount in a namespace of its own. */
function canMount(): boolean {
  return (
    hasTool("setpriv", "--version") &&
    hasTool("unshare", "--mount", "sh", "-c", "mount --bind /tmp /mnt && mount -o remount,bind,ro /")
  );
}
