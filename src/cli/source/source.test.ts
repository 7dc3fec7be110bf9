// Lists of a node that lies about their pages.
import { describe, expect, it } from "vitest";
import { type AnswerText, Source } from "./source.ts";

const NOW = { version: undefined, at: undefined, since: undefined };

/** Answers every question with a page and the cursor of its number. */
class EndlessSource extends Source {
  pages = 0;
  readonly #text: string;
  readonly #cursorOf: (page: number) => string;

  constructor(text: string, cursorOf: (page: number) => string) {
    super();
    this.#text = text;
    this.#cursorOf = cursorOf;
  }

  async ask(): Promise<AnswerText> {
    // A loop without an end must fail, not hang.
    if (this.pages === 20_000) throw new Error("still asking");
    return { text: this.#text, trust: undefined, cursor: this.#cursorOf(this.pages++) };
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
    await expect(readAll(source.tableItems("0x1", NOW))).rejects.toThrow("cursor of an earlier page: 0");
    expect(source.pages).toBe(4);
  });

  it.each([
    ["rows", "[ ]", (source: Source) => readAll(source.holdings("0x1", NOW))],
    ["a count", '{"count":"1"}', (source: Source) => source.countTableItems("0x1", NOW)],
  ])("of %s end after many pages that show nothing", async (_, text, read) => {
    const source = new EndlessSource(text, (page) => `${page}`);
    await expect(read(source)).rejects.toThrow("after 10000 empty pages");
  });
});
