// How records become the text of a range.
import { expect, it } from "vitest";
import { Slices } from "../../../base/wait.ts";
import type { RecordFacts } from "../../../ledger/watch/record-filter.ts";
import { AnswerText } from "../../printing/answer-text.ts";
import { recordOperation } from "./record-operation.ts";
import { RecordEvent } from "./record-stream.ts";

const feed = {
  name: "event",
  idOf: (id: string) => id,
  columns: ["version", "index", "type", "data", "trust"],
} as const;

it.each([0, 1, 2, 3])("a long text of pairs is whole in CSV, %i characters behind a cut", async (before) => {
  const data = JSON.stringify({ text: `${"x".repeat(before)}${"😀".repeat(40_000)}` });
  const text = new AnswerText()
    .add('{"version":"5","index":0,"type":"0x1::a::B","data":')
    .append(new AnswerText().add(data))
    .add("}");
  const facts = {} as RecordFacts;
  const event = new RecordEvent({ version: 5n, trust: { kind: "trusted" } }, () => "5-ab", facts, [
    { index: 0, text },
  ]);
  const csv = await recordOperation(feed, {}, "").answer.csv.encode(event, new Slices());
  expect(Buffer.from(csv).toString()).toBe(`5,0,0x1::a::B,"${data.replaceAll('"', '""')}",trusted\r\n`);
});
