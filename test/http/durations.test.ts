// Durations in options: each works or is refused by the name of its option, and none overflows a timer.
import { describe, expect, it } from "vitest";
import { ConfigError } from "../../src/base/errors.ts";
import { loadCommands } from "../../src/cli/commands.ts";
import { parseCommand } from "../../src/cli/parse.ts";
import { createNode, type HttpOptions, type NodeOptions } from "../../src/node.ts";
import { until } from "../support/until.ts";

const commands = await loadCommands();

const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Options that are durations, with their command. */
const times = commands.flatMap(({ name: command, options }) =>
  Object.entries(options)
    .filter(([, { placeholder }]) => placeholder === "TIME")
    .map(([name]) => ({ command, name, options })),
);

/** Options for which 0 has a meaning, see their help. */
const MAY_BE_ZERO = ["block-time", "drain-time", "max-wait", "max-lag", "give-up-time", "wait", "ready-lag"];
/** Options that are only compared with a clock, so no timer limits them. */
const COMPARED = ["max-lag", "ready-lag", "give-up-time"];
/** An archive may be of any age. */
const ANY_AGE = "ready-lag";

function parse({ name, options }: (typeof times)[number], text: string): number | string {
  try {
    const { values } = parseCommand([`--${name}`, text], options, {});
    return (values as Record<string, number>)[name] ?? Number.NaN;
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
}

describe.each(times)("sextant $command --$name", (option) => {
  it("is refused by its name when no timer can run that long", () => {
    for (const text of ["999999999h", ...(option.name === ANY_AGE ? [] : ["10000h"])]) {
      const result = parse(option, text);
      expect(result).toMatch(
        new RegExp(`^--${option.name}: expected a time from \\S+ to \\S+, got "${text}"$`),
      );
    }
    const longest = COMPARED.includes(option.name) ? 366 * 86_400_000 : LONGEST_TIMER_MS;
    for (const text of ["1h", "24h", "500h", "600h", "8000h"]) {
      const result = parse(option, text);
      if (typeof result === "number") expect(result).toBeLessThan(longest);
      else expect(result).toContain(`--${option.name}: expected a time`);
    }
  });

  it(MAY_BE_ZERO.includes(option.name) ? "may be 0" : "is refused by its name when it is 0", () => {
    const result = parse(option, "0");
    if (MAY_BE_ZERO.includes(option.name)) expect(result).toBe(0);
    else expect(result).toMatch(new RegExp(`^--${option.name}: expected a time from`));
  });

  it("has a default within its bounds", () => {
    const fallback = option.options[option.name]?.fallback;
    // The default of an option that a stored chain decides is said in its help.
    if (fallback === undefined) expect(option.options[option.name]?.help).toContain("default");
    else expect(parse(option, `${fallback}ms`)).toBe(fallback);
  });
});

describe("a node in the process", () => {
  const follow = { upstreams: ["http://127.0.0.1:1"] };
  const http = (options: HttpOptions): NodeOptions => ({ http: { port: 0, ...options } });
  const url = "cassandra://127.0.0.1:1/none";
  it.each<[string, NodeOptions]>([
    ["localChain.blockTimeMs", { localChain: { blockTimeMs: 2 ** 31 } }],
    ["localChain.blockTimeMs", { localChain: { blockTimeMs: -1 } }],
    ["localChain.blockTimeMs", { localChain: { blockTimeMs: Number.NaN } }],
    ["follow.pollTimeMs", { follow: { ...follow, pollTimeMs: 0 } }],
    ["follow.retryTimeMs", { follow: { ...follow, retryTimeMs: Number.POSITIVE_INFINITY } }],
    ["follow.giveUpTimeMs", { follow: { ...follow, giveUpTimeMs: -1 } }],
    ["http.maxLagMs", http({ maxLagMs: 1.5 })],
    ["http.maxWaitMs", http({ maxWaitMs: -1 })],
    ["http.headersTimeoutMs", http({ headersTimeoutMs: 0 })],
    ["http.headersTimeoutMs", http({ headersTimeoutMs: 5000, requestTimeoutMs: 1000 })],
    ["http.requestTimeoutMs", http({ requestTimeoutMs: 2 ** 40 })],
    ["http.keepAliveTimeoutMs", http({ keepAliveTimeoutMs: 0 })],
    ["http.readTimeoutMs", http({ readTimeoutMs: 0 })],
    ["http.answerTimeoutMs", http({ answerTimeoutMs: 0 })],
    ["store.leaseTimeMs", { store: { engine: "cassandra", url, leaseTimeMs: 0 } }],
  ])("refuses %s by its name: %j", async (name, options) => {
    const fault: unknown = await createNode(options).then(
      (node) => node.close(),
      (error: unknown) => error,
    );
    expect(fault).toBeInstanceOf(ConfigError);
    expect((fault as Error).message).toMatch(new RegExp(`^${name}: expected`));
  });

  it("makes the configured number of blocks, at any pace, and stops", async () => {
    for (const blockTimeMs of [0, 1]) {
      const node = await createNode({ localChain: { blockTimeMs, blocks: 3 } });
      const moving = async () => Number((await node.ledgerInfo()).block_height) > 20;
      await until(async () => (await node.info()).sync_state === "idle" || (await moving()));
      expect(await node.ledgerInfo()).toMatchObject({ block_height: 3n });
      await node.close();
    }
  });
});
