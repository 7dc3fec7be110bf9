import { expect, it } from "vitest";
import { awaitAgreement, type NodeView, type Observer } from "./agreement.ts";

const STEADY_MS = 3000;

function view(members: readonly string[], schema = "one"): NodeView {
  return { members, local: members.filter((name) => !name.startsWith("far")), schema };
}

/** A cluster seen at times of a clock that only pauses move. */
function cluster(lookAt: (ms: number) => readonly NodeView[] | undefined) {
  const clock = { ms: 0 };
  const observer: Observer = {
    where: "somewhere/ledgers",
    look: async () => lookAt(clock.ms),
    now: () => clock.ms,
    pause: async (ms) => {
      clock.ms += ms;
    },
    isClosed: () => false,
  };
  return { observer, clock };
}

it("a cluster that is still coming up is counted when all of its nodes know each other", async () => {
  const { observer, clock } = cluster((ms) => {
    if (ms < 1000) return [view(["a"])];
    if (ms < 2000) return [view(["a", "b"]), view(["b"])];
    if (ms < 3000) return [view(["a", "b"]), view(["b", "a", "c"])];
    return [view(["a", "b", "c", "far"]), view(["far", "b", "c", "a"]), view(["c", "a", "b", "far"])];
  });
  expect(await awaitAgreement(observer, STEADY_MS)).toEqual({ members: 4, local: 3 });
  expect(clock.ms).toBe(6000);
});

it("one node that stays alone is a cluster of one", async () => {
  const { observer, clock } = cluster(() => [view(["a"])]);
  expect(await awaitAgreement(observer, STEADY_MS)).toEqual({ members: 1, local: 1 });
  expect(clock.ms).toBe(STEADY_MS);
});

it("waits for all nodes to have one schema, and for nodes that do not respond", async () => {
  const members = ["a", "b"];
  const { observer, clock } = cluster((ms) => {
    if (ms < 1000) return undefined;
    return [view(members), view(members, ms < 5000 ? "older" : "one")];
  });
  await awaitAgreement(observer, 0);
  expect(clock.ms).toBe(5000);
});

it("counts again when a member appears that all know at once", async () => {
  const { observer, clock } = cluster((ms) => (ms < 2500 ? [view(["a"])] : [view(["a", "b"])]));
  expect(await awaitAgreement(observer, STEADY_MS)).toMatchObject({ members: 2 });
  expect(clock.ms).toBe(5500);
});

it.each([
  ["they have 2 version(s) of the schema, and know 2, 1 node(s)", [view(["a", "b"]), view(["b"], "older")]],
  ["not all of them respond", undefined],
])("gives up after 30 s and says what it saw: %s", async (seen, views) => {
  const { observer, clock } = cluster(() => views);
  await expect(awaitAgreement(observer, 0)).rejects.toMatchObject({
    code: "unreachable",
    message: `the nodes of somewhere/ledgers do not agree on members and schema after 30 s: ${seen}`,
  });
  expect(clock.ms).toBeGreaterThan(30_000);
  expect(clock.ms).toBeLessThan(31_000);
});

it("ends at once when the session closes", async () => {
  const { observer, clock } = cluster(() => undefined);
  await expect(awaitAgreement({ ...observer, isClosed: () => true }, 0)).rejects.toMatchObject({
    code: "unreachable",
  });
  expect(clock.ms).toBe(0);
});
