// All metrics of a node. They are read for each metrics page, from the parts that the node has then.
import { assetCacheStats } from "../../http/schemas/asset-type.ts";
import type { HttpFigures } from "../../http/server.ts";
import { balanceKeyCacheStats } from "../../ledger/balances/balance-keys.ts";
import type { Ledger } from "../../ledger/view.ts";
import type { Reader } from "../api/reader.ts";
import type { Faults } from "../faults.ts";
import { followGauges, provingGauges } from "../following/follow-report.ts";
import type { LedgerWriter } from "../ledger-writer.ts";
import type { HttpOptions } from "../options/http-options.ts";
import { engineOf, type StoreOptions } from "../store-engines.ts";
import type { NodeStatus } from "../workers/worker-messages.ts";
import type { WriterElection } from "../writer-election.ts";
import { type DriverReport, driverMetrics } from "./driver-metrics.ts";
import {
  cacheGauges,
  diskGauges,
  faultGauges,
  httpGauges,
  ledgerGauges,
  readinessGauges,
  storeGauges,
  writerGauges,
} from "./gauges.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import { PROCESS_METRICS } from "./process-metrics.ts";

/** What the metrics of a node are read from; a part may not be there yet, or no more. */
export interface MeasuredNode {
  readonly ledger: Ledger;
  readonly reader: Reader;
  readonly faults: Faults;
  readonly http: HttpOptions | undefined;
  readonly storeOptions: StoreOptions;
  readonly startedMs: number;
  readonly status: () => NodeStatus;
  readonly headVersion: () => Promise<bigint | undefined>;
  readonly writer: () => LedgerWriter | undefined;
  readonly election: () => WriterElection | undefined;
  readonly driver: () => DriverReport | undefined;
  readonly served: () => HttpFigures | undefined;
}

export function nodeMetrics(node: MeasuredNode): Metrics {
  const { ledger, reader, faults, storeOptions, writer, driver } = node;
  const { hasDriver } = engineOf(storeOptions);
  return createMetrics([
    ...PROCESS_METRICS,
    ...ledgerGauges(ledger),
    ...readinessGauges(ledger, node.status, node.startedMs, node.http),
    ...cacheGauges("module", "parsed modules", () => reader.modules.stats()),
    ...cacheGauges("asset", "parsed asset types", assetCacheStats),
    ...cacheGauges("balance_key", "state keys of balances", balanceKeyCacheStats),
    ...cacheGauges("tree", "nodes of the state tree", () => writer()?.treeCache, ["bytes", "maxBytes"]),
    ...httpGauges(node.served),
    ...followGauges(() => writer()?.following, node.headVersion),
    ...provingGauges(() => writer()?.following?.provingStatus()),
    ...faultGauges(faults),
    ...storeGauges(),
    ...(storeOptions.engine === "lmdb" ? diskGauges(storeOptions.path) : []),
    ...writerGauges(writer, node.election),
    ...(hasDriver
      ? [...driverMetrics(driver), ...cacheGauges("block", "block rows", () => driver()?.blockCache)]
      : []),
  ]);
}
