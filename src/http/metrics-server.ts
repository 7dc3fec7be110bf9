// The metrics page on a port of its own, for operators who keep it away from the public one.
import { createServer } from "node:http";

export interface MetricsServer {
  close(): Promise<void>;
}

const LIMITS = {
  headersTimeout: 5000,
  requestTimeout: 5000,
  keepAliveTimeout: 5000,
  maxHeaderSize: 8192,
} as const;
const MAX_CONNECTIONS = 64;

/** Serves `GET /metrics` and nothing else. */
export function listenForMetrics(options: {
  readonly host: string;
  readonly port: number;
  readonly page: () => Promise<string>;
  readonly contentType: string;
}): Promise<MetricsServer> {
  const server = createServer(LIMITS, (request, response) => {
    if (request.method !== "GET" || request.url !== "/metrics") {
      response.writeHead(404, { "Content-Type": "text/plain" }).end("only GET /metrics is served here\n");
      return;
    }
    options.page().then(
      (page) => response.writeHead(200, { "Content-Type": options.contentType }).end(page),
      () => response.writeHead(500).end(),
    );
  });
  server.maxConnections = MAX_CONNECTIONS;
  return new Promise((resolve, reject) => {
    server.once("error", reject);
    server.listen({ host: options.host, port: options.port }, () => {
      resolve({
        close: () =>
          new Promise((done) => {
            server.close(() => done());
            server.closeAllConnections();
          }),
      });
    });
  });
}
