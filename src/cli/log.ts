// The program's logger: JSON lines, or readable lines on a terminal. It writes to standard error: standard output is for
// the command's results.
import type { DestinationStream } from "pino";
import { loadPackage } from "../base/load-package.ts";
import type { Logger } from "../base/log.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LEVEL_NAMES: Readonly<Record<number, string>> = { 20: "DEBUG", 30: "INFO ", 40: "WARN ", 50: "ERROR" };

/** One JSON log line as readable text. */
function readableLine(line: string): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(typeof time === "number" ? time : 0).toISOString().slice(11, 23);
  const data = Object.entries(fields)
    .map(([key, value]) => ` ${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join("");
  return `${clock} ${LEVEL_NAMES[Number(level)] ?? "LOG  "} ${String(msg)}${data}\n`;
}

/** Makes the program's logger. bigint fields are written as decimal text. */
export function createLogger(level: LogLevel, format: "json" | "text"): Logger {
  const destination: DestinationStream = {
    write: (line) => {
      const text = format === "json" ? line : readableLine(line);
      // A progress line may stand there; the next one comes below.
      process.stderr.write(process.stderr.isTTY ? `\r\u001b[K${text}` : text);
    },
  };
  const { pino } = loadPackage("pino") as typeof import("pino");
  const logger = pino({ level, base: null }, destination);
  const plain = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields).map(([key, value]) => [key, typeof value === "bigint" ? `${value}` : value]),
    );
  return {
    debug: (fields, message) => {
      if (level === "debug") logger.debug(plain(fields), message);
    },
    info: (fields, message) => logger.info(plain(fields), message),
    warn: (fields, message) => logger.warn(plain(fields), message),
    error: (fields, message) => logger.error(plain(fields), message),
  };
}
