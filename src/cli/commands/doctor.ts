// `sextant doctor`: looks at the machine, the data directory and the network that a node would use, and says in plain
// words what is wrong. It changes nothing.
import { command, EXIT_FAILED, EXIT_OK } from "../command.ts";
import { diskFindings, permissionFindings, type SeenStore, storeFindings } from "../doctor/directory.ts";
import { type Finding, findingLine, withDeadline } from "../doctor/finding.ts";
import { descriptorFindings, memoryFindings, nodeFindings } from "../doctor/machine.ts";
import { clusterFindings, portFindings, proofFindings, upstreamFindings } from "../doctor/network.ts";
import { operandsOf } from "../operands.ts";
import {
  defaultsOf,
  exclusionsAmong,
  type OptionValues,
  pickOptions,
  switchOption,
  textOption,
} from "../option.ts";
import { storeExclusions, storeOf, storeOptions } from "../store-options.ts";
import { startOptions } from "./start.ts";

/** Time limits of one check. */
const CHECK_MS = 10_000;
const CLUSTER_MS = 30_000;
const ASK_MS = 5000;

const options = {
  ...pickOptions(startOptions, [
    "host",
    "port",
    "data",
    "store",
    "store-url",
    "store-user",
    "store-data-centre",
    "store-password",
    "store-password-file",
    "store-tls",
    "store-tls-ca",
    "store-tls-cert",
    "store-tls-key",
    "proofs",
    "max-connections",
  ]),
  upstream: {
    ...startOptions.upstream,
    help: "Full node that the node would follow; this command asks it without an API key",
  },
  config: textOption("The node's configuration file; only the options above are used", "FILE"),
  json: switchOption("Print a JSON object", false),
};

async function examine(values: OptionValues<typeof options>): Promise<readonly Finding[]> {
  const store = storeOf({ ...defaultsOf(storeOptions), ...values });
  const findings: Finding[] = [
    ...nodeFindings(process.versions.node, new Date()),
    ...memoryFindings(),
    ...descriptorFindings(values["max-connections"]),
  ];
  const add = async (check: string, ms: number, find: Parameters<typeof withDeadline>[2]): Promise<void> => {
    findings.push(...(await withDeadline(check, ms, find)));
  };
  let seen: SeenStore | undefined;
  if (store.engine === "lmdb") {
    const { path } = store;
    await add("permissions", CHECK_MS, () => permissionFindings(path));
    await add("disk", CHECK_MS, () => diskFindings(path));
    await add("store", CHECK_MS, async () => {
      seen = await storeFindings(path, Date.now());
      return seen.findings;
    });
  }
  if (store.engine === "cassandra") await add("cluster", CLUSTER_MS, () => clusterFindings(store));
  await add("port", CHECK_MS, () => portFindings(values.host, values.port, ASK_MS));
  const chainId = seen?.look?.ledger?.chainId;
  // At once: one that hangs does not hold up the others.
  const asked = values.upstream.map((url) =>
    withDeadline(`upstream ${url}`, CHECK_MS, () => upstreamFindings(url, chainId, Date.now, ASK_MS)),
  );
  const sources = values.proofs.map((url) =>
    withDeadline(`proofs ${url}`, CHECK_MS, () => proofFindings(url, chainId, ASK_MS)),
  );
  for (const found of await Promise.all([...asked, ...sources])) findings.push(...found);
  return findings;
}

export const doctorCommand = command({
  name: "doctor",
  operands: "",
  options,
  mainOptions: ["data", "store", "host", "port", "upstream", "config", "json"],
  exclusions: exclusionsAmong(options, storeExclusions),
  otherConfigKeys: Object.keys(startOptions),
  examples: [
    "sextant doctor",
    "sextant doctor --data /var/lib/sextant --upstream https://node.example",
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
