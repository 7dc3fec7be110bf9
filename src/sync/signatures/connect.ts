// From the URL of a proof source to the source: a folder of this machine, a peer, or over HTTP a node's backup service or
// a backup folder, which one question tells apart.
import { ConfigError } from "../../base/errors.ts";
import type { SignedLedgerInfo } from "../../proof/ledger-info.ts";
import { UpstreamError } from "../upstream/errors.ts";
import { parseSourceUrl } from "../upstream/transport.ts";
import { createBackupFolder } from "./backup-folder.ts";
import { BackupService } from "./backup-service.ts";
import { LocalFiles, WebFiles } from "./folder-files.ts";
import { type PeerAddress, parsePeerAddress } from "./peer/peer-address.ts";
import { PeerSource } from "./peer/peer-source.ts";
import type { SignatureSource, WholeStates } from "./source.ts";

/** Where a proof source is. */
export interface ProofTarget {
  /** As given. */
  readonly name: string;
  readonly place: URL | PeerAddress;
}

/** Parses the URL of a proof source, or the address of a peer. Throws ConfigError, which names the option. */
export function parseProofTarget(text: string, option = "proofs"): ProofTarget {
  const peer = parsePeerAddress(text);
  if (peer !== undefined) return { name: text, place: peer };
  const url = parseSourceUrl(
    text,
    option,
    ["file:", "http:", "https:"],
    "a file, http or https URL, or a peer (/dns/HOST/tcp/PORT/noise-ik/KEY/handshake/0)",
  );
  if (url.protocol === "file:" && url.host !== "") {
    throw new ConfigError(
      `${option}: expected a file URL without a host (file:///path), got ${JSON.stringify(text)}`,
    );
  }
  return { name: url.href, place: url };
}

/** True if the source may have whole states. */
export function mayHaveStates({ place }: ProofTarget): boolean {
  return place instanceof URL;
}

/** True if the source may be able to prove single items. */
export function mayProveItems({ place }: ProofTarget): boolean {
  return place instanceof URL && place.protocol !== "file:";
}

export interface ProofConnection {
  readonly userAgent: string;
  /** Peers belong to a chain; undefined while it is not known. */
  readonly chainId: () => number | undefined;
}

export function connectProofSource(
  { name, place }: ProofTarget,
  { userAgent, chainId }: ProofConnection,
): SignatureSource {
  if (!(place instanceof URL)) return new PeerSource(name, place, chainId);
  return place.protocol === "file:"
    ? createBackupFolder(name, new LocalFiles(place))
    : new WebSource(place, userAgent);
}

/** A source over HTTP, of the kind that it turns out to be. */
class WebSource implements SignatureSource {
  readonly name: string;
  readonly #service: BackupService;
  readonly #folder: SignatureSource;
  #isService: boolean | undefined;
  /** True once a folder was read: it turns into no service. */
  #isKnown = false;

  constructor(url: URL, userAgent: string) {
    this.name = url.href;
    this.#service = new BackupService(url, { userAgent });
    this.#folder = createBackupFolder(url.href, new WebFiles(url, userAgent));
  }

  get receivedBytes(): number {
    return this.#service.receivedBytes + this.#folder.receivedBytes;
  }

  get kind(): SignatureSource["kind"] {
    if (this.#isService === undefined) return undefined;
    return this.#isService ? "service" : "folder";
  }

  async *epochEnds(first: bigint, signal: AbortSignal): AsyncGenerator<SignedLedgerInfo> {
    yield* (await this.#choose(signal)).epochEnds(first, signal);
    this.#isKnown = true;
  }

  async lastEpoch(signal: AbortSignal): Promise<bigint | undefined> {
    return (await this.#choose(signal)).lastEpoch(signal);
  }

  async findEpochEnd(version: bigint, signal: AbortSignal): Promise<bigint | undefined> {
    return (await this.#choose(signal)).findEpochEnd(version, signal);
  }

  async latest(signal: AbortSignal): Promise<SignedLedgerInfo | undefined> {
    return (await this.#choose(signal)).latest(signal);
  }

  async states(signal: AbortSignal): Promise<WholeStates | undefined> {
    return (await this.#choose(signal)).states(signal);
  }

  close(): void {
    this.#service.close();
    this.#folder.close();
  }

  /** A service answers for its database; a folder has no such file. */
  async #choose(signal: AbortSignal): Promise<SignatureSource> {
    if (this.#isService !== true && !this.#isKnown) {
      try {
        await this.#service.dbState(signal);
        this.#isService = true;
      } catch (error) {
        if (!(error instanceof UpstreamError) || error.code !== "refused") throw error;
        this.#isService = false;
      }
    }
    return this.#isService ? this.#service : this.#folder;
  }
}
