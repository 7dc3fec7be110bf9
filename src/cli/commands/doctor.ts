// `sextant doctor`: looks at the machine, the data directory and the network that a node would use, and says in plain
// words what is wrong. It changes nothing.

import {
  defaultsOf,
  durationOption,
  pickOptions,
  rulesAmong,
  switchOption,
  textOption,
} from "../../base/option.ts";
import { examine, type Finding } from "../../node.ts";
import { command, EXIT_FAILED, EXIT_OK, operandsOf } from "../command.ts";
import { startOptions } from "../start-options.ts";
import { storeOf, storeOptions, storeRules } from "../store-options.ts";

const options = {
  ...pickOptions(startOptions, [
    "data",
    "store",
    "store-url",
    "store-user",
    "store-data-centre",
    "store-password",
    "store-password-file",
    "store-tls",
    "store-tls-cert",
    "store-tls-key",
    "proofs",
    "waypoint",
    "network",
    "max-connections",
  ]),
  upstream: {
    ...startOptions.upstream,
    help: "Full node that the node would follow; this command asks it without an API key",
  },
  timeout: durationOption(
    "Longest wait for a response; a check takes at most twice as long, that of a cluster six times",
    {
      fallback: 5000,
      min: 1,
      max: 600_000,
    },
  ),
  config: textOption("The node's configuration file; only the options above are used", "FILE"),
  json: switchOption("Print a JSON object", false),
};

function findingLine({ check, level, text, advice }: Finding): string {
  return `${level.padEnd(4)}  ${check}: ${text}${advice === undefined ? "" : `; ${advice}`}`;
}

export const doctorCommand = command({
  name: "doctor",
  operands: "",
  options,
  mainOptions: ["data", "store", "network", "upstream", "timeout", "config", "json"],
  ...rulesAmong(options, storeRules),
  otherConfigKeys: Object.keys(startOptions),
  examples: [
    "sextant doctor",
    "sextant doctor --data /var/lib/sextant --upstream https://node.example",
    "sextant doctor --network mainnet",
    "sextant doctor --proofs file:///srv/archive --waypoint 0:6072…",
    "sextant doctor --config /etc/sextant.yaml --json",
  ],
  run: async (values, operands, context) => {
    operandsOf(operands, []);
    const findings = await examine({
      store: storeOf({ ...defaultsOf(storeOptions), ...values }),
      maxConnections: values["max-connections"],
      network: values.network,
      upstreams: values.upstream,
      proofs: values.proofs,
      waypoints: values.waypoint,
      askMs: values.timeout,
    });
    const isBad = findings.some(({ level }) => level === "bad");
    if (values.json) context.out(JSON.stringify({ verdict: isBad ? "bad" : "ok", findings }));
    else for (const finding of findings) context.out(findingLine(finding));
    return isBad ? EXIT_FAILED : EXIT_OK;
  },
});
