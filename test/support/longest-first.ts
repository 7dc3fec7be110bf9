// Order of the test files within a turn: the longest first, whatever their tier, so that no long file is left alone at
// the end, and files that wait for Cassandra run beside files that compute. Vitest itself sorts by tier and by file
// size, until it has run the files once in the same checkout.
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Seconds of the longest files in a whole run on two processors. Only their order matters. */
const SECONDS: Readonly<Record<string, number>> = {
  "test/e2e/independent-verifier.test.ts": 80,
  "test/cluster/nodes.test.ts": 169,
  "test/e2e/storage-faults.test.ts": 126,
  "test/http/cut-answers.test.ts": 30,
  "test/fuzz/tree-history.test.ts": 30,
  "test/e2e/documentation.test.ts": 120,
  "test/cluster/power-cut.test.ts": 88,
  "test/e2e/closed-nodes.test.ts": 110,
  "test/browser/pages.test.ts": 84,
  "test/browser/console-views.test.ts": 83,
  "test/cluster/store.test.ts": 81,
  "test/cluster/questions.test.ts": 75,
  "test/e2e/interrupts.test.ts": 60,
  "test/e2e/rewind.test.ts": 60,
  "test/e2e/closing.test.ts": 55,
  "test/e2e/backup.test.ts": 60,
  "test/fuzz/lies.test.ts": 55,
  "test/e2e/follow.test.ts": 50,
  "test/e2e/damaged-store.test.ts": 50,
  "test/cluster/writer.test.ts": 50,
  "test/fuzz/check.test.ts": 45,
  "test/fuzz/trust-model.test.ts": 45,
  "test/cluster/secure.test.ts": 40,
  "test/e2e/lies.test.ts": 40,
  "test/e2e/package.test.ts": 40,
  "test/http/loop-hold.test.ts": 40,
  "test/sync/lies.test.ts": 35,
  "test/http/streams.test.ts": 30,
  "test/http/streams-and-rewinds.test.ts": 30,
  "test/http/fork.test.ts": 30,
  "test/http/record-streams.test.ts": 30,
  "test/e2e/workers.test.ts": 30,
  "test/e2e/relay.test.ts": 30,
  "test/http/history-stream.test.ts": 30,
  "test/sync/archive.test.ts": 45,
  "test/sync/hostile-sources.test.ts": 30,
  "test/proof/prover.test.ts": 25,
  "test/sync/lazy.test.ts": 20,
};

for (const path of Object.keys(SECONDS)) {
  if (!existsSync(new URL(`../../${path}`, import.meta.url)))
    throw new Error(`${path} does not exist: remove it from test/support/longest-first.ts`);
}

/** Sorts by turn, then by the time that a file is known to take. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const secondsOf = ({ moduleId }: TestSpecification): number =>
      SECONDS[relative(this.ctx.config.root, moduleId)] ?? 0;
    const turnOf = ({ project }: TestSpecification): number => project.config.sequence.groupOrder;
    const sorted = await super.sort(files);
    return sorted.sort((a, b) => turnOf(a) - turnOf(b) || secondsOf(b) - secondsOf(a));
  }
}
