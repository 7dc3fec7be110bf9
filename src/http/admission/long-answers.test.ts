import { expect, it } from "vitest";
import { AnswerSlices, LongAnswers } from "./long-answers.ts";

const stays = (): void => {};

/** Works until its slice is over. */
function pauseOf(slices: AnswerSlices): Promise<void> {
  for (;;) {
    const pause = slices.pause();
    if (pause !== undefined) return pause;
  }
}

it("counts an answer from its first pause to its end, and works on 32 of them at once", async () => {
  const answers = new LongAnswers();
  new AnswerSlices(answers, "a", stays).end();
  expect(answers.count).toBe(0);
  const long = Array.from({ length: 32 }, () => new AnswerSlices(answers, "a", stays));
  for (const slices of long) {
    await pauseOf(slices);
    await pauseOf(slices);
  }
  expect(answers.count).toBe(32);
  const [next, last] = [new AnswerSlices(answers, "a", stays), new AnswerSlices(answers, "b", stays)];
  const order: string[] = [];
  const waiting = [
    pauseOf(next).then(() => order.push("next")),
    pauseOf(last).then(() => order.push("last")),
  ];
  await pauseOf(long[0]!);
  expect(order).toEqual([]);
  long[0]?.end();
  await waiting[0];
  expect(order).toEqual(["next"]);
  next.end();
  next.end();
  await waiting[1];
  expect(answers.count).toBe(32);
  last.end();
  for (const slices of long) slices.end();
  expect(answers.count).toBe(0);
});

it("leaves room for other clients", async () => {
  const answers = new LongAnswers();
  const begin = (client: string): AnswerSlices => {
    const slices = new AnswerSlices(answers, client, stays);
    void pauseOf(slices);
    return slices;
  };
  for (let i = 0; i < 128; i++) begin("greedy");
  expect(() => begin("greedy")).toThrow(
    "128 of at most 256 long answers are being made already for this client",
  );
  for (let i = 0; i < 64; i++) begin("other");
  expect(answers.count).toBe(192);
});

it("ends the work for a client that left, and gives its place to the next", async () => {
  const answers = new LongAnswers();
  let isGone = false;
  const slices = new AnswerSlices(answers, "a", () => {
    if (isGone) throw new Error("left");
  });
  const pause = pauseOf(slices);
  isGone = true;
  await expect(pause).rejects.toThrow("left");
  slices.end();
  expect(answers.count).toBe(0);
});
