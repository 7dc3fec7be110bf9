import { expect, it } from "vitest";
import { AnswerSlices, LongAnswers } from "./long-answers.ts";

/** Works until its slice is over. */
function pauseOf(slices: AnswerSlices): Promise<void> {
  for (;;) {
    const pause = slices.pause();
    if (pause !== undefined) return pause;
  }
}

it("counts an answer from its first pause to its end, and refuses one too many", async () => {
  const answers = new LongAnswers();
  const short = new AnswerSlices(answers);
  expect(short.pause()).toBeUndefined();
  short.end();
  expect(answers.count).toBe(0);
  const long = Array.from({ length: 32 }, () => new AnswerSlices(answers));
  for (const slices of long) {
    await pauseOf(slices);
    await pauseOf(slices);
  }
  expect(answers.count).toBe(32);
  const more = new AnswerSlices(answers);
  expect(() => pauseOf(more)).toThrow("32 long answers are being made");
  more.end();
  for (const slices of long) slices.end();
  for (const slices of long) slices.end();
  expect(answers.count).toBe(0);
  await pauseOf(more);
  expect(answers.count).toBe(1);
});
