import { readFileSync } from "node:fs";

/** Version of the software, from the package. */
export const SOFTWARE_VERSION: string = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/** How the node names itself to servers that it asks. */
export const USER_AGENT = `sextant/${SOFTWARE_VERSION}`;
