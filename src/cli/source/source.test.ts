// Lists of a node that lies about their pages.
import { describe, expect, it } from "vitest";
import { tableItemCountRoute, tableItemsRoute } from "../../interface/routes.ts";
import { type AnswerText, Source } from "./source.ts";

const NOW = { ledger_version: undefined, at: undefined };

/** Answers every question with a page and the cursor of its number. */
class EndlessSource extends Source {
  asked = 0;
  readonly #text: string;
  readonly #cursorOf: (page: number) => string;

  constructor(text: string, cursorOf: (page: number) => string) {
    super();
    this.#text = text;
    this.#cursorOf = cursorOf;
  }

  async ask(): Promise<AnswerText> {
    // A loop without an end must fail, not hang.
    if (this.asked === 20_000) throw new Error("still asking");
    return { text: this.#text, trust: undefined, cursor: this.#cursorOf(this.asked++) };
  }

  watch(): never {
    throw new Error("not asked for");
  }

  range(): never {
    throw new Error("not asked for");
  }

  async close(): Promise<void> {}
}

async function readAll(list: AsyncIterable<string>): Promise<void> {
  for await (const _ of list);
}

describe("lists", () => {
  it("end where a cursor comes again", async () => {
    const source = new EndlessSource('[{"key":"0x","value":"0x"}]', (page) => `${page % 3}`);
    await expect(readAll(source.list(tableItemsRoute, { table_handle: "0x1" }))).rejects.toThrow(
      "cursor of an earlier page: 0",
    );
    expect(source.asked).toBe(4);
  });

  it.each([
    ["rows", "[ ]", (source: Source) => readAll(source.holdings("0x1", NOW))],
    [
      "a count",
      '{"count":"1"}',
      (source: Source) => readAll(source.pages(tableItemCountRoute, { table_handle: "0x1" })),
    ],
  ])("of %s end after many pages that show nothing", async (_, text, read) => {
    const source = new EndlessSource(text, (page) => `${page}`);
    await expect(read(source)).rejects.toThrow("after 10000 empty pages");
  });
});
