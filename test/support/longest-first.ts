// Order of the test files within a turn: the longest first, whatever their tier, so that no long file is left alone at
// the end, and files that wait for Cassandra run beside files that compute. Vitest itself sorts by tier and by file
// size, until it has run the files once in the same checkout.
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** Seconds of the longest files in a whole run on two processors. Only their order matters. */
const SECONDS: Readonly<Record<string, number>> = {
  "test/cluster/power-cut.test.ts": 136,
  "test/cluster/store.test.ts": 127,
  "test/browser/console-focus.test.ts": 110,
  "test/cluster/nodes.test.ts": 93,
  "test/browser/console-views.test.ts": 90,
  "test/sync/archive.test.ts": 87,
  "test/e2e/documentation.test.ts": 84,
  "test/cluster/questions.test.ts": 81,
  "test/e2e/storage-faults.test.ts": 80,
  "test/sync/lazy.test.ts": 80,
  "test/browser/pages.test.ts": 70,
  "test/e2e/closed-nodes.test.ts": 70,
  "test/browser/reference.test.ts": 70,
  "test/e2e/closing.test.ts": 60,
  "test/http/streams-and-rewinds.test.ts": 60,
  "test/browser/proofs.test.ts": 60,
  "test/http/loop-hold.test.ts": 54,
  "test/cluster/kept-versions.test.ts": 52,
  "test/fuzz/lies.test.ts": 51,
  "test/e2e/independent-verifier.test.ts": 50,
  "test/browser/console-encode.test.ts": 50,
  "test/cluster/writer.test.ts": 47,
  "test/browser/console-account.test.ts": 40,
  "test/sync/whole-state.test.ts": 40,
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
