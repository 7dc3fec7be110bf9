// `sextant health`: asks the node of this machine how it is, for the health checks of containers and supervisors.
import { isIPv6 } from "node:net";
import { askOnce } from "../../base/ask-once.ts";
import { ConfigError, errorText } from "../../base/errors.ts";
import { durationOption, type OptionValues, switchOption, textOption } from "../../base/option.ts";
import { pathTo } from "../../interface/route.ts";
import { healthyRoute, readyRoute } from "../../interface/routes.ts";
import { type CommandContext, command, EXIT_FAILED, EXIT_OK, operandsOf } from "../command.ts";
import { startOptions } from "../start-options.ts";

const options = {
  host: { ...startOptions.host, help: "Address that the node listens on" },
  port: { ...startOptions.port, help: "Port that the node listens on" },
  "tls-cert": textOption("The node's certificate; if given, the node is asked over HTTPS", "FILE"),
  ready: switchOption("Ask whether the node is ready for requests, not only whether it is alive", false),
  timeout: durationOption("Longest wait for the response", { fallback: 2000, min: 1, max: 60_000 }),
  config: textOption("The node's configuration file; only the options above are used", "FILE"),
};

/** A response is a short message; what else listens on the port may send more. */
const MAX_RESPONSE_BYTES = 65_536;

/** Addresses that mean every address of the machine; the node is asked at the loopback. */
const LOOPBACKS: Readonly<Record<string, string>> = { "0.0.0.0": "127.0.0.1", "::": "::1" };

/** The URL of the node with these options. */
function urlOf(values: OptionValues<typeof options>): string {
  if (values.port === 0) {
    throw new ConfigError("--port: expected the port that the node listens on; 0 lets the system pick one");
  }
  const address = LOOPBACKS[values.host] ?? values.host;
  const authority = `${isIPv6(address) ? `[${address}]` : address}:${values.port}`;
  const route = values.ready ? readyRoute : healthyRoute;
  return `${values["tls-cert"] === undefined ? "http" : "https"}://${authority}${pathTo(route)}`;
}

/** The message of a response of the node; undefined for another server's. */
function messageOf(body: string): string | undefined {
  try {
    const { message } = JSON.parse(body) as { readonly message?: unknown };
    return typeof message === "string" ? message : undefined;
  } catch {
    return undefined;
  }
}

async function checkHealth(values: OptionValues<typeof options>, context: CommandContext): Promise<number> {
  const url = urlOf(values);
  const deadline = AbortSignal.timeout(values.timeout);
  try {
    const { status, body } = await askOnce(url, {
      signal: deadline,
      maxBytes: MAX_RESPONSE_BYTES,
      // The request has no secret.
      checksCertificate: false,
    });
    const message = messageOf(body);
    if (status === 200 && message?.startsWith("sextant:") === true) {
      context.out(message);
      return EXIT_OK;
    }
    context.err(`sextant: ${url} responded with ${status}: ${message ?? "not a response of Sextant"}`);
  } catch (error) {
    const reason = deadline.aborted ? `no response within ${values.timeout} ms` : errorText(error);
    context.err(`sextant: ${url}: ${reason}`);
  }
  return EXIT_FAILED;
}

export const healthCommand = command({
  name: "health",
  operands: "",
  options,
  otherConfigKeys: Object.keys(startOptions),
  examples: ["sextant health", "sextant health --ready", "sextant health --config /etc/sextant.yaml"],
  run: (values, operands, context) => {
    operandsOf(operands, []);
    return checkHealth(values, context);
  },
});
