// No path of the reference's document answers 404 for the reason that it is not served here.
import { expect, it } from "vitest";
import { REFERENCE_PATHS } from "../../src/http/routing/reference-paths.ts";
import { startServer } from "../support/http-server.ts";

const { url } = await startServer();

it.each(REFERENCE_PATHS)("%s %s is served, or says that it is not", async (method, path) => {
  // Values that no parser takes, so that what is served answers 400.
  const target = `${url}/v1${path === "/" ? "" : path}`.replace(/\{\w+\}/g, "-");
  for (const sent of method === "GET" ? ["GET", "HEAD"] : ["POST"]) {
    const response = await fetch(target, { method: sent });
    const text = await response.text();
    expect(response.status, text).not.toBe(404);
    expect(response.status, text).not.toBe(405);
    if (response.status === 403 && sent !== "HEAD") {
      expect(JSON.parse(text)).toEqual({
        message: `${method} /v1${path} is not served by this node; ask a full node`,
        error_code: "api_disabled",
      });
    }
  }
});

it("a path that nobody has is still not found", async () => {
  for (const path of ["/v1/account/0x1", "/v1/accounts", "/v1/transactions/by_hash", "/accounts/0x1"]) {
    expect((await fetch(url + path)).status).toBe(404);
  }
});
