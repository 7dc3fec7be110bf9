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
  /** 0 picks free ports for both. */
  readonly faucetPort: number;
  readonly fund: (address: Address, amount: bigint) => Promise<readonly string[]>;
  readonly switches: FaucetOptions["switches"];
  readonly document: FaucetOptions["document"];
  readonly unreadyReason: () => string | undefined;
  readonly position: () => Promise<StatusPosition | undefined>;
  readonly logger: Logger;
}

export interface LocalServers {
  /** Such as `http://127.0.0.1:8081`; undefined if it does not run. */
  readonly faucetUrl: string | undefined;
  /** The address that the SDK calls the indexer's. */
  readonly statusUrl: string | undefined;
  /** Keys of the info response. */
  readonly info: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** On a local network the faucet's port is 8081, and that of the status 8090. */
const STATUS_ABOVE_FAUCET = 9;

export async function openLocalServers(options: LocalServersOptions): Promise<LocalServers> {
  const { host, faucetPort, fund, switches, document, unreadyReason, position, logger } = options;
  const listen = async (
    name: "faucet" | "status",
    port: number,
    listenOn: (port: number) => Promise<SideServer>,
  ): Promise<SideServer | undefined> => {
    try {
      return await listenOn(port);
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      const reason = isTaken ? "the port is taken" : errorText(error);
      logger.warn({ port, reason, option: "--faucet-port" }, `the node starts without its ${name} server`);
      return undefined;
    }
  };
  const faucet = await listen("faucet", faucetPort, (port) =>
    listenForFunding({ host, port, fund, switches, document, unreadyReason, logger }),
  );
  const status = await listen("status", faucetPort && faucetPort + STATUS_ABOVE_FAUCET, (port) =>
    listenForStatus({ host, port, position, logger }),
  );
  const [faucetUrl, statusUrl] = [faucet?.url, status && `${status.url}/v1/graphql`];
  return {
    faucetUrl,
    statusUrl,
    info: { ...(faucetUrl && { faucet_url: faucetUrl }), ...(statusUrl && { status_url: statusUrl }) },
    close: async () => {
      await Promise.all([faucet?.close(), status?.close()]);
    },
  };
}
