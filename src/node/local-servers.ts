// The servers that clients of a local network expect beside its node: a faucet, and the status that the official SDK asks
// for after funding. A port that is taken is told, and the node runs without that server.
import { errorText } from "../base/errors.ts";
import type { Logger } from "../base/log.ts";
import { type FaucetOptions, listenForFunding } from "../http/side/faucet.ts";
import { listenForStatus, type StatusPosition } from "../http/side/processor-status.ts";
import type { SideServer } from "../http/side/side-server.ts";
import type { Address } from "../move/address.ts";

export interface LocalServersOptions {
  readonly host: string;
  /** 0 picks a free port; undefined starts none. */
  readonly faucetPort: number | undefined;
  readonly statusPort: number | undefined;
  readonly fund: (address: Address, amount: bigint) => Promise<readonly string[]>;
  readonly switches: FaucetOptions["switches"];
  readonly document: FaucetOptions["document"];
  readonly unreadyReason: () => string | undefined;
  readonly position: () => Promise<StatusPosition | undefined>;
  readonly logger: Logger;
}

export class LocalServers {
  readonly #options: LocalServersOptions;
  #faucet: SideServer | undefined;
  #status: SideServer | undefined;

  constructor(options: LocalServersOptions) {
    this.#options = options;
  }

  /** Such as `http://127.0.0.1:8081`; undefined if it does not run. */
  get faucetUrl(): string | undefined {
    return this.#faucet?.url;
  }

  /** The address that the SDK calls the indexer's. */
  get statusUrl(): string | undefined {
    return this.#status && `${this.#status.url}/v1/graphql`;
  }

  /** Keys of the info response. */
  info(): Readonly<Record<string, string>> {
    const { faucetUrl, statusUrl } = this;
    return {
      ...(faucetUrl === undefined ? {} : { faucet_url: faucetUrl }),
      ...(statusUrl === undefined ? {} : { status_url: statusUrl }),
    };
  }

  async open(): Promise<void> {
    const { host, faucetPort, statusPort, fund, switches, document, unreadyReason, position, logger } =
      this.#options;
    this.#faucet = await this.#listen("faucet", faucetPort, (port) =>
      listenForFunding({ host, port, fund, switches, document, unreadyReason, logger }),
    );
    this.#status = await this.#listen("status", statusPort, (port) =>
      listenForStatus({ host, port, position, logger }),
    );
  }

  async #listen(
    name: "faucet" | "status",
    port: number | undefined,
    listen: (port: number) => Promise<SideServer>,
  ): Promise<SideServer | undefined> {
    if (port === undefined) return undefined;
    try {
      return await listen(port);
    } catch (error) {
      const reason =
        (error as NodeJS.ErrnoException).code === "EADDRINUSE" ? "the port is taken" : errorText(error);
      this.#options.logger.warn(
        { port, reason, option: `--${name}-port` },
        `the node starts without its ${name} server`,
      );
      return undefined;
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#faucet?.close(), this.#status?.close()]);
  }
}
