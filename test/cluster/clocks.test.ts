import { it, vi } from "vitest";
import { describeCluster } from "../support/cassandra.ts";
import { checkWritersInTurn } from "../support/writers-in-turn.ts";

describeCluster("writers whose clocks differ", (cluster) => {
  it("keep a deleted item deleted after pruning when the first writer's clock was two hours ahead", async () => {
    const now = Date.now.bind(Date);
    try {
      await checkWritersInTurn([2, 0, -2], (offMs) => {
        vi.spyOn(Date, "now").mockImplementation(() => now() + offMs);
        return cluster.openWriter({ ledger: "clocks" });
      });
    } finally {
      vi.restoreAllMocks();
    }
  });
});
