// A port that nothing listens on, for programs that cannot say which one they took. The system gives it to nobody else
// meanwhile: those that it gives out begin at 32768 (Linux) or 49152.
import { randomInt } from "node:crypto";
import { createServer } from "node:net";

export async function freePort(): Promise<number> {
  const server = createServer();
  const port = randomInt(10_000, 32_000);
  const isFree = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!isFree) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
