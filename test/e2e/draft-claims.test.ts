// Several processes find the draft of a dead process: one of them takes it over.
import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { temporaryFolder } from "../support/temporary.ts";
import { AS_BUILT } from "../support/typescript.ts";

const program = fileURLToPath(new URL("../support/draft-claimer.ts", import.meta.url));
const CLAIMERS = 3;
const ROUNDS = 60;

interface Claimer {
  readonly child: ChildProcessByStdio<Writable, Readable, null>;
  /** Tries to open the draft of a directory. */
  claim(path: string): Promise<string>;
}

async function startClaimer(): Promise<Claimer> {
  const child = spawn(process.execPath, [...AS_BUILT, program], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = createInterface({ input: child.stdout });
  const nextLine = async (): Promise<string> => String((await once(lines, "line"))[0]);
  await nextLine();
  return {
    child,
    claim: (path) => {
      const answer = nextLine();
      child.stdin.write(`${path}\n`);
      return answer;
    },
  };
}

async function kill({ child }: Claimer): Promise<void> {
  const ended = once(child, "exit");
  child.kill("SIGKILL");
  await ended;
}

it("of several backups that find a dead owner, one owns the draft", async () => {
  const folder = temporaryFolder();
  const left = join(folder, "left");
  const dead = await startClaimer();
  expect(await dead.claim(left)).toBe("mine");
  await kill(dead);
  const claimers = await Promise.all(Array.from({ length: CLAIMERS }, startClaimer));
  try {
    for (let round = 0; round < ROUNDS; round++) {
      const path = join(folder, `round-${round}`);
      cpSync(left, path, { recursive: true });
      const answers = await Promise.all(claimers.map((claimer) => claimer.claim(path)));
      expect(answers.toSorted(), `round ${round}`).toEqual(["locked", "locked", "mine"]);
    }
  } finally {
    await Promise.all(claimers.map(kill));
  }
});
