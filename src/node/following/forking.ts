// Wires a fork: the node that serves the network, the pin in the store, and the base layer below local blocks.

import { ConfigError, TryAgainError } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { SECOND_MS } from "../../base/settings.ts";
import { USER_AGENT } from "../../base/software-version.ts";
import { decodeWith, encodeWith } from "../../bcs/codec.ts";
import { u8 } from "../../bcs/scalars.ts";
import { resourceItem } from "../../chain/item.ts";
import type { MachineSource } from "../../chain/machine-source.ts";
import { createNetworkChain, type NetworkChain } from "../../chain/network-chain.ts";
import { stateKeyCodec } from "../../ledger/formats/state-key.ts";
import { stateValueData } from "../../ledger/formats/state-value.ts";
import type { ForkPoint, IndexName, LedgerView } from "../../ledger/view.ts";
import { FRAMEWORK } from "../../move/address.ts";
import type { Store } from "../../store/contract.ts";
import { commitForkBase, fetchForkBase } from "../../sync/fork/begin.ts";
import { ForkSource } from "../../sync/fork/fork-source.ts";
import { ForkView } from "../../sync/fork/fork-view.ts";
import { loadPinFor } from "../../sync/fork/pin.ts";
import type { FillerStats } from "../../sync/lazy/base-filler.ts";
import type { ForkPin } from "../../sync/side-rows.ts";
import { askInTime, UpstreamError } from "../../sync/upstream/errors.ts";
import { createRestUpstream, parseUpstreamUrl } from "../../sync/upstream/rest-upstream.ts";
import type { Upstream } from "../../sync/upstream/upstream.ts";
import { FORK_NUMBERS, type ForkOptions } from "../options/local-chain-options.ts";
import { apiKeyHeader, assertKeyIsSafe } from "./following.ts";

/** For the block that the fork begins with. */
const BEGIN_TIMEOUT_MS = 60 * SECOND_MS;
const CHAIN_ID = resourceItem(FRAMEWORK, "0x1::chain_id::ChainId", u8);

/** Checked options. */
export interface ForkPlan {
  readonly url: URL;
  readonly version: bigint | undefined;
  readonly chain: NetworkChain;
  readonly options: ForkOptions;
}

/** Checks the options before a store is touched. Throws ConfigError. */
export function planFork(options: ForkOptions, seed: string, machine: MachineSource): ForkPlan {
  const url = parseUpstreamUrl(options.url, "fork");
  assertKeyIsSafe("fork", url, options.apiKey);
  const { version } = options;
  if (version !== undefined && (typeof version !== "bigint" || version < 0n || version >> 64n !== 0n)) {
    throw new ConfigError(`start-version: expected a version, got ${JSON.stringify(String(version))}`);
  }
  return { url, version, chain: createNetworkChain({ seed, machine }), options };
}

export interface ForkParts {
  readonly store: Store;
  /** The indexes to write. */
  readonly indexes: Readonly<Record<IndexName, boolean>>;
  readonly logger: Logger;
}

export class Forking {
  readonly #plan: ForkPlan;
  readonly #store: Store;
  readonly #logger: Logger;
  readonly #indexes: ForkParts["indexes"];
  readonly #upstream: Upstream;
  readonly #stop = new AbortController();
  #pin: ForkPin | undefined;
  #isNew = false;
  #source: ForkSource | undefined;

  constructor(plan: ForkPlan, { store, logger, indexes }: ForkParts) {
    this.#indexes = indexes;
    this.#plan = plan;
    this.#store = store;
    this.#logger = logger;
    this.#upstream = createRestUpstream(plan.url, {
      upstreamRate: plan.options.upstreamRate ?? FORK_NUMBERS.upstreamRate.fallback,
      apiKey: apiKeyHeader(plan.options.apiKey),
      userAgent: USER_AGENT,
    });
  }

  /** Pins the fork in an empty store, or goes on with the one that is there. Throws ConfigError or TryAgainError. */
  async start(): Promise<void> {
    const known = await loadPinFor(this.#store, this.#plan);
    this.#isNew = known === undefined;
    const pin = known ?? (await this.#begin());
    this.#pin = pin;
    this.#stop.signal.throwIfAborted();
    const chainId = this.#store.identity?.chainId ?? 0;
    this.#source = new ForkSource({
      upstream: this.#upstream,
      pin,
      chainId,
      store: this.#store,
      timeoutMs: this.#plan.options.answerTimeoutMs ?? FORK_NUMBERS.answerTimeoutMs.fallback,
      logger: this.#logger,
    });
    const view = new ForkView(await this.#store.openView(), this.#source, pin);
    try {
      await this.#plan.chain.prepare(view);
    } finally {
      view.release();
    }
  }

  async #begin(): Promise<ForkPin> {
    const { url, version = "latest" } = this.#plan;
    try {
      const { pin, ...base } = await askInTime(BEGIN_TIMEOUT_MS, this.#stop.signal, async (signal) => {
        const { version: at, recordHash, ...rest } = await fetchForkBase(this.#upstream, version, signal);
        await this.#assertServesItems(rest.chainId, at, signal);
        return { ...rest, pin: { url: url.href, version: at, recordHash } };
      });
      await commitForkBase(this.#store, { pin, ...base }, this.#indexes);
      this.#logger.info({ upstream: url.href, version: pin.version }, "forked");
      return pin;
    } catch (error) {
      if (error instanceof UpstreamError) throw this.#refusal(error);
      throw error;
    }
  }

  /** Throws unless the upstream serves raw items, of the chain that its headers name. */
  async #assertServesItems(chainId: number, version: bigint, signal: AbortSignal): Promise<void> {
    const key = encodeWith(stateKeyCodec, CHAIN_ID.key);
    const { value } = await this.#upstream.getStateValue(key, version, signal).catch((error: unknown) => {
      if (!(error instanceof UpstreamError) || !["refused", "malformed"].includes(error.code)) throw error;
      throw new ConfigError(
        `fork: ${this.#plan.url.href} does not serve raw state items (POST /v1/experimental/state_values/raw), which a fork reads: ${error.message}`,
        error,
      );
    });
    const stored = value === undefined ? undefined : decodeWith(u8, stateValueData(value));
    if (stored === chainId) return;
    throw new ConfigError(
      `fork: ${this.#plan.url.href} answers as chain ${chainId}, but its state at version ${version} is of chain ${stored ?? "none"}`,
    );
  }

  #refusal(error: UpstreamError): Error {
    const { url, version } = this.#plan;
    const at = version === undefined ? "its latest version" : `version ${version}`;
    switch (error.code) {
      case "unreachable":
      case "busy":
        return new TryAgainError(`fork: ${url.href} gave no answer: ${error.message}`, error);
      case "pruned":
        return new ConfigError(`start-version: ${url.href} does not keep ${at} any more`, error);
      case "beyond_head":
        return new ConfigError(`start-version: ${url.href} does not have ${at} yet: ${error.message}`, error);
      default:
        return new ConfigError(`fork: ${url.href} cannot be forked at ${at}: ${error.message}`, error);
    }
  }

  /** Adds the network's state below a view; undefined before the start is done. */
  viewOver(view: LedgerView): LedgerView | undefined {
    const [source, pin] = [this.#source, this.#pin];
    return source === undefined || pin === undefined ? undefined : new ForkView(view, source, pin);
  }

  /** Where this ledger leaves its network. */
  get point(): ForkPoint | undefined {
    return this.#pin;
  }

  /** True if this start began the fork. */
  get isNew(): boolean {
    return this.#isNew;
  }

  /** Why the network's node cannot be asked; undefined while it can. */
  get fault(): string | undefined {
    return this.#source?.fault;
  }

  /** Items fetched so far. */
  fills(): Readonly<FillerStats> | undefined {
    return this.#source?.filler.stats;
  }

  async close(): Promise<void> {
    this.#stop.abort(new TryAgainError("the node closes"));
    await this.#source?.close();
    this.#upstream.close();
  }
}
