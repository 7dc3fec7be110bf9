// The state at signed ends of epochs, from backup services: its root by signature, its items by proofs for that root,
// and the accumulator before a version, with which a follower begins there.

import { equalBytes } from "../../base/bytes.ts";
import { errorText } from "../../base/errors.ts";
import type { Logger } from "../../base/log.ts";
import { keepSome } from "../../base/recent.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { transactionAccumulator } from "../../ledger/accumulator.ts";
import { LedgerError } from "../../ledger/errors.ts";
import { CHAIN_ID_KEY_HASH } from "../../ledger/formats/genesis.ts";
import { stateValueData } from "../../ledger/formats/state-value.ts";
import {
  type TransactionInfo,
  transactionInfoCodec,
  transactionInfoHash,
} from "../../ledger/formats/transaction-info.ts";
import type { AccumulatorState } from "../../ledger/position.ts";
import { ANCHORED, PROVEN, type TrustLevel } from "../../ledger/trust.ts";
import { computeWaypoint } from "../../ledger/waypoint.ts";
import { checkAccumulatorProof } from "../../proof/accumulator-proof.ts";
import type { LedgerInfo, SignedLedgerInfo } from "../../proof/ledger-info.ts";
import type { ProofKeeper } from "../signatures/proof-keeper.ts";
import type { SignedChain } from "../signatures/signed-chain.ts";
import {
  isLie,
  isStateService,
  lieAbout,
  type SignatureSource,
  type StateService,
  type WholeStates,
} from "../signatures/source.ts";
import { askInTime, UpstreamError } from "../upstream/errors.ts";
import { locateBase } from "../upstream/locate-base.ts";
import type { HeadSource, RecordSource } from "../upstream/upstream.ts";
import type { BaseStart } from "../verify/verifier.ts";
import { StateProver } from "./state-prover.ts";
import { fetchedVersion, fetchWholeState, type WholeStateOptions } from "./whole-state.ts";

/** For one item, which takes some tens of questions. */
const ITEM_MS = 30_000;
/** Provers kept: one for each service and recent end of an epoch. */
const MAX_PROVERS = 8;

/** Nothing can be proven yet; it may be later. */
export class NotProvable extends LedgerError {
  constructor(message: string) {
    super("unavailable", message);
  }
}

/** An item at a signed end of an epoch. */
export interface ProvenItemValue {
  /** Undefined where it is proven to be absent. */
  readonly value: Uint8Array | undefined;
  readonly at: bigint;
  readonly level: TrustLevel;
}

/** Which sources are asked, and where to begin among them. */
interface AskOptions<S extends WholeStates> {
  readonly turn?: number;
  readonly sound?: readonly SignatureSource[];
  readonly isWanted?: (states: WholeStates) => states is S;
}

const isAny = <S extends WholeStates>(_: WholeStates): _ is S => true;

export interface ProvenStateOptions {
  readonly chain: SignedChain;
  readonly keeper: Pick<ProofKeeper, "sound" | "blame" | "isCaughtUp">;
  readonly logger: Logger;
}

/** Proves the state at the ends of epochs. */
export class ProvenState {
  readonly #options: ProvenStateOptions;
  readonly #provers = new Map<string, Promise<StateProver>>();

  constructor(options: ProvenStateOptions) {
    this.#options = options;
  }

  /**
   * Where to begin in the middle: at the block that ends the last epoch up to the wanted version, with the accumulator
   * before it. Throws NotProvable, UpstreamError.
   */
  async locate(
    upstream: HeadSource & RecordSource,
    wanted: bigint | "latest",
    signal: AbortSignal,
  ): Promise<BaseStart> {
    const end = await this.#endUpTo(wanted);
    const { version } = end.ledgerInfo;
    const base = await locateBase(upstream, version, undefined, signal);
    const signed = { waypoint: computeWaypoint(end.ledgerInfo), level: this.#levelOf(end) };
    return this.#fromServices(`the start at version ${version}`, signal, async (service) => {
      const accumulator = await accumulatorBefore(service, end.ledgerInfo, base.version, signal);
      const prover = await this.#proverOf(service, end, signal);
      const chainId = await chainIdOf(prover, signal);
      return { chainId, version: base.version, accumulator, end: signed };
    });
  }

  /**
   * Fetches the whole state at the end of the last epoch up to the wanted version into an empty store, and returns the block
   * after it to begin with. Goes on with the state that the store has a part of. Throws NotProvable, UpstreamError.
   */
  async fetchWhole(
    { store, committer }: Pick<WholeStateOptions, "store" | "committer">,
    wanted: bigint | "latest",
    signal: AbortSignal,
  ): Promise<BaseStart> {
    const begun = await fetchedVersion(store);
    const end = await this.#endUpTo(begun ?? (await this.#newestState(wanted, signal)));
    const { version } = end.ledgerInfo;
    if (begun !== undefined && begun !== version) {
      throw new NotProvable(`the store has a part of the state at version ${begun}, which no signature ends`);
    }
    const what = `the state at version ${version}`;
    const { accumulator, point } = await this.#fromStates(what, signal, async (states) => {
      const { info, siblings } = await provenInfo(states, end.ledgerInfo, version, signal);
      const after = transactionAccumulator(stateBefore(version, siblings));
      after.append(transactionInfoHash(encodeWith(transactionInfoCodec, info)));
      return { accumulator: after.state(), point: { version, root: rootOf(info, version) } };
    });
    const chainId = await fetchWholeState({
      store,
      committer,
      point,
      fromSources: (turn, ask) =>
        this.#fromStates(
          what,
          signal,
          (states, source) => {
            const blame = (lie: unknown): void => {
              states.forget?.();
              this.#options.keeper.blame(source, lie);
            };
            return ask({ states, blame });
          },
          { turn },
        ),
      logger: this.#options.logger,
      signal,
    });
    if (chainId === undefined) throw new LedgerError("mismatch", `${what} has no chain id`);
    return { chainId, version: version + 1n, accumulator, hasState: true };
  }

  /** The newest version up to the wanted one whose state a source has. A folder has few of them. */
  async #newestState(wanted: bigint | "latest", signal: AbortSignal): Promise<bigint> {
    const { version: last } = (await this.#endUpTo(wanted)).ledgerInfo;
    const { keeper } = this.#options;
    let newest: bigint | undefined;
    for (const source of keeper.sound) {
      const found = await this.#fromStates(
        "a state",
        signal,
        async (states) => {
          const version = await states.newestState(last, signal);
          if (version === undefined || (await this.#endUpTo(version)).ledgerInfo.version === version)
            return version;
          throw new UpstreamError("malformed", `it has the state of version ${version}, which ends no epoch`);
        },
        { sound: [source] },
      ).catch((error: unknown) => {
        if (!(error instanceof NotProvable)) throw error;
        return undefined;
      });
      if (found !== undefined && (newest === undefined || found > newest)) newest = found;
    }
    if (newest === undefined) throw new NotProvable(`no proof source has a state up to version ${last}`);
    return newest;
  }

  /** The signed end of the last epoch up to a version. Throws NotProvable. */
  async #endUpTo(wanted: bigint | "latest"): Promise<SignedLedgerInfo> {
    const { chain, keeper } = this.#options;
    if (!keeper.isCaughtUp) {
      const epoch = chain.epoch === undefined ? "" : `: epoch ${chain.epoch} is next`;
      throw new NotProvable(`no proof source has led to the present yet${epoch}`);
    }
    const end = await chain.lastEpochEndUpTo(wanted === "latest" ? undefined : wanted);
    if (end === undefined) throw new NotProvable("no epoch that ended up to the wanted version is signed");
    return end;
  }

  /** What the operator's waypoint names is anchored: nobody's signature was checked for it. */
  #levelOf({ ledgerInfo }: SignedLedgerInfo): TrustLevel {
    return ledgerInfo.version === this.#options.chain.startVersion ? ANCHORED : PROVEN;
  }

  /**
   * The value of an item at the last end of an epoch up to `latest`, which must not be before `first`. Throws LedgerError
   * `unavailable`.
   */
  async value(
    keyHash: Uint8Array,
    first: bigint,
    latest: bigint,
    signal: AbortSignal,
  ): Promise<ProvenItemValue> {
    const end = await this.#options.chain.lastEpochEndUpTo(latest);
    if (end === undefined || end.ledgerInfo.version < first) {
      throw new LedgerError(
        "unavailable",
        "the item was written before the end of the epoch that this node began with, where nothing proves what it was",
      );
    }
    return this.#fromServices("an item", signal, async (service) => {
      const prover = await this.#proverOf(service, end, signal);
      const value = await askInTime(ITEM_MS, signal, (limits) => prover.prove(keyHash, limits));
      return { value, at: end.ledgerInfo.version, level: this.#levelOf(end) };
    });
  }

  #fromServices<T>(
    what: string,
    signal: AbortSignal,
    ask: (service: StateService) => Promise<T>,
  ): Promise<T> {
    return this.#fromStates(what, signal, ask, { isWanted: isStateService });
  }

  /**
   * Asks one source after the other that gives states, from another one each turn. One that says something false, or what
   * cannot be read, is set aside.
   */
  async #fromStates<T, S extends WholeStates = WholeStates>(
    what: string,
    signal: AbortSignal,
    ask: (states: S, source: SignatureSource) => Promise<T>,
    { turn = 0, sound = this.#options.keeper.sound, isWanted = isAny }: AskOptions<S> = {},
  ): Promise<T> {
    const { keeper, logger } = this.#options;
    const faults: string[] = [];
    const first = sound.length === 0 ? 0 : turn % sound.length;
    for (const source of [...sound.slice(first), ...sound.slice(0, first)]) {
      let states: WholeStates | undefined;
      try {
        states = await source.states(signal);
        if (states !== undefined && isWanted(states)) return await ask(states, source);
      } catch (error) {
        states?.forget?.();
        signal.throwIfAborted();
        this.#forget(source);
        if (!(error instanceof UpstreamError) || isLie(error)) keeper.blame(source, error);
        faults.push(`${source.name}: ${errorText(error)}`);
      }
    }
    if (faults.length > 0) logger.warn({ what, faults }, "cannot be proven by any source");
    throw new NotProvable(
      faults.length === 0
        ? "no proof source in use proves items of the state: expected a node's backup service"
        : `no proof source proves ${what}`,
    );
  }

  #proverOf(service: StateService, end: SignedLedgerInfo, signal: AbortSignal): Promise<StateProver> {
    const name = `${end.ledgerInfo.version} ${service.name}`;
    return keepSome(this.#provers, name, MAX_PROVERS, () => makeProver(service, end.ledgerInfo, signal));
  }

  #forget({ name }: SignatureSource): void {
    for (const key of this.#provers.keys()) if (key.endsWith(` ${name}`)) this.#provers.delete(key);
  }
}

async function makeProver(
  service: StateService,
  ledgerInfo: LedgerInfo,
  signal: AbortSignal,
): Promise<StateProver> {
  const { version } = ledgerInfo;
  const { info } = await provenInfo(service, ledgerInfo, version, signal);
  return new StateProver(service, { version, root: rootOf(info, version) });
}

function rootOf({ stateCheckpointHash }: TransactionInfo, version: bigint): Uint8Array {
  if (stateCheckpointHash !== undefined) return stateCheckpointHash;
  throw new UpstreamError("malformed", `version ${version} has no state root`);
}

/** The info of a version, proven for a ledger info that was checked. Throws ProofError or UpstreamError. */
async function provenInfo(
  service: WholeStates,
  ledgerInfo: LedgerInfo,
  version: bigint,
  signal: AbortSignal,
): Promise<{ readonly info: TransactionInfo; readonly siblings: readonly Uint8Array[] }> {
  const proof = await service.stateRootProof(version, signal);
  const { info, siblings, signed } = proof;
  const { version: signedVersion, accumulatorRoot } = signed.ledgerInfo;
  try {
    if (signedVersion !== ledgerInfo.version || !equalBytes(accumulatorRoot, ledgerInfo.accumulatorRoot)) {
      throw new UpstreamError(
        "malformed",
        `the proof of version ${version} leads to version ${signedVersion}, not to the signed end of its epoch`,
      );
    }
    const leaf = transactionInfoHash(encodeWith(transactionInfoCodec, info));
    checkAccumulatorProof(siblings, ledgerInfo, version, leaf);
  } catch (error) {
    throw lieAbout(proof, error);
  }
  return { info, siblings };
}

/** The accumulator of the versions before one: its siblings on the left are the roots of the full subtrees. */
async function accumulatorBefore(
  service: StateService,
  ledgerInfo: LedgerInfo,
  version: bigint,
  signal: AbortSignal,
): Promise<AccumulatorState> {
  const { siblings } = await provenInfo(service, ledgerInfo, version, signal);
  return stateBefore(version, siblings);
}

function stateBefore(version: bigint, siblings: readonly Uint8Array[]): AccumulatorState {
  const left = siblings.filter((_, level) => ((version >> BigInt(level)) & 1n) === 1n);
  return { leafCount: version, frozen: left.map((hash) => new Uint8Array(hash)).reverse() };
}

async function chainIdOf(prover: StateProver, signal: AbortSignal): Promise<number> {
  const item = await prover.prove(CHAIN_ID_KEY_HASH, signal);
  const [chainId] = item === undefined ? [] : stateValueData(item);
  if (chainId === undefined) throw new UpstreamError("malformed", "the state has no chain id");
  return chainId;
}
