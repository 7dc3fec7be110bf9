// Child processes of a test end with it, even when the test run is killed and cannot clean up: a watcher outside the run
// kills the remaining ones. It also handles stopped processes, which could not watch their parent.
import { type ChildProcess, spawn } from "node:child_process";
import type { Writable } from "node:stream";

/** Its input names the children that start ("+ PID") and end ("- PID"); the input ends when the test process does. */
const WATCHER = `
alive=" "
while read -r sign pid; do
  if [ "$sign" = + ]; then alive="$alive$pid "
  else alive="\${alive%% "$pid" *} \${alive#* "$pid" }"; fi
done
for pid in $alive; do kill -s KILL -- "$pid"; done
`;

let watcher: Writable | undefined;
/** Ids of the children that run; those of groups are negative. */
const running = new Set<number>();

function startWatcher(): Writable {
  // Detached: a signal to the test run's group must not end the watcher first.
  const child = spawn("sh", ["-c", WATCHER], { stdio: ["pipe", "ignore", "ignore"], detached: true });
  child.unref();
  (child.stdin as Writable & { unref(): void }).unref();
  return child.stdin;
}

/** What a child has printed so far. */
export function outputOf(child: ChildProcess): { stdout: string; stderr: string } {
  const output = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const) {
    child[name]?.setEncoding("utf8").on("data", (text: string) => {
      output[name] += text;
    });
  }
  return output;
}

/** Ends a child with this process, however it ends; with its process group if the child leads one. */
export function endWithTest<T extends ChildProcess>(child: T, { group = false } = {}): T {
  if (child.pid === undefined) return child;
  watcher ??= startWatcher();
  const name = group ? -child.pid : child.pid;
  const input = watcher;
  running.add(name);
  input.write(`+ ${name}\n`);
  // A group may outlive its leader; its output closes with its last process.
  child.once(group ? "close" : "exit", () => {
    running.delete(name);
    input.write(`- ${name}\n`);
  });
  return child;
}

/** Ends what the tests of a file left running: the next file may run in the same process. */
export function endChildren(): void {
  for (const name of running) {
    try {
      process.kill(name, "SIGKILL");
    } catch {
      // It ended meanwhile.
    }
  }
}
