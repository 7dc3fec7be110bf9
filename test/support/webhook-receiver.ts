// A receiver of webhooks in a process of its own: appends what it takes to a file, on the disk, before it says so. It
// refuses now and then. Arguments: port, file, secret.
import { createHmac, timingSafeEqual } from "node:crypto";
import { fsyncSync, openSync, readFileSync, truncateSync, writeSync } from "node:fs";
import { createServer } from "node:http";

const [port = "", path = "", secret = ""] = process.argv.slice(2);
const file = openSync(path, "a");
// A kill cuts a line that crosses a page of the file.
truncateSync(path, readFileSync(path).lastIndexOf("\n") + 1);
let requests = 0;

createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request.setEncoding("utf8")) body += chunk;
  const timestamp = `${request.headers["sextant-timestamp"]}`;
  const expected = createHmac("sha256", secret).update(`${timestamp}.${body}`).digest();
  const given = Buffer.from(`${request.headers["sextant-signature"]}`.replace("v1=", ""), "hex");
  const isSigned = given.length === expected.length && timingSafeEqual(given, expected);
  const isRefused = ++requests % 17 === 0;
  if (isSigned && !isRefused) {
    writeSync(
      file,
      `${JSON.stringify({ key: request.headers["idempotency-key"], body: JSON.parse(body) })}\n`,
    );
    fsyncSync(file);
  }
  response.writeHead(isSigned ? (isRefused ? 503 : 204) : 401).end();
}).listen(Number(port), "127.0.0.1", () => process.stdout.write("listening\n"));
