// `sextant doctor`: looks at the machine, the data directory and the network that a node would use, and says in plain
// words what is wrong. It changes nothing.

import {
  defaultsOf,
  durationOption,
  type OptionValues,
  pickOptions,
  rulesAmong,
  switchOption,
  textOption,
} from "../../base/option.ts";
import { readNetwork } from "../../node.ts";
import { command, EXIT_FAILED, EXIT_OK, operandsOf } from "../command.ts";
import {
  clusterFindings,
  descriptorFindings,
  diskFindings,
  type Finding,
  findInTime,
  findingLine,
  networkFindings,
  permissionFindings,
  proofFindings,
  type SeenStore,
  storeFindings,
  upstreamFindings,
} from "../doctor-checks.ts";
import { startOptions } from "../start-options.ts";
import { storeOf, storeOptions, storeRules } from "../store-options.ts";

/** Time limits of one check, as multiples of the longest wait for a response: it may ask more than once. */
const CHECK_WAITS = 2;
const CLUSTER_WAITS = 6;

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

async function examine(values: OptionValues<typeof options>): Promise<readonly Finding[]> {
  const askMs = values.timeout;
  const checkMs = CHECK_WAITS * askMs;
  const store = storeOf({ ...defaultsOf(storeOptions), ...values });
  const findings: Finding[] = [...descriptorFindings(values["max-connections"])];
  const add = async (check: string, ms: number, find: Parameters<typeof findInTime>[2]): Promise<void> => {
    findings.push(...(await findInTime(check, ms, find)));
  };
  let seen: SeenStore | undefined;
  if (store.engine === "lmdb") {
    const { path } = store;
    await add("permissions", checkMs, () => permissionFindings(path));
    await add("disk", checkMs, () => diskFindings(path));
    await add("store", checkMs, async () => {
      seen = await storeFindings(path, Date.now());
      return seen.findings;
    });
  }
  if (store.engine === "cassandra") await add("cluster", CLUSTER_WAITS * askMs, () => clusterFindings(store));
  const { network: name } = values;
  const network = name === undefined ? undefined : readNetwork(name);
  if (name !== undefined && network !== undefined)
    findings.push(...networkFindings(name, network, Date.now()));
  const upstreams = values.upstream.length > 0 ? values.upstream : (network?.upstreams ?? []);
  const chainId = seen?.look?.ledger?.chainId ?? network?.chainId;
  // At once: one that hangs does not hold up the others.
  const asked = upstreams.map((url) =>
    findInTime(`upstream ${url}`, checkMs, () => upstreamFindings(url, chainId, Date.now, askMs)),
  );
  const proofs = values.proofs.length > 0 ? values.proofs : (network?.buckets ?? []);
  const sources = proofs.map((url) =>
    findInTime(`proofs ${url}`, checkMs, () =>
      proofFindings(url, { chainId, timeoutMs: askMs, waypoints: values.waypoint }),
    ),
  );
  for (const found of await Promise.all([...asked, ...sources])) findings.push(...found);
  return findings;
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
    const findings = await examine(values);
    const isBad = findings.some(({ level }) => level === "bad");
    if (values.json) context.out(JSON.stringify({ verdict: isBad ? "bad" : "ok", findings }));
    else for (const finding of findings) context.out(findingLine(finding));
    return isBad ? EXIT_FAILED : EXIT_OK;
  },
});
