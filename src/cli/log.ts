// The program's logger: JSON lines, or readable lines on a terminal. It writes to standard error: standard output is for
// the command's results.
import type { DestinationStream } from "pino";
import { loadPackage } from "../base/load-package.ts";
import type { Logger } from "../base/log.ts";
import { escapeControls } from "../base/texts/text.ts";

import { colour, hasColours } from "./colour.ts";

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

const LEVEL_NAMES: Readonly<Record<number, string>> = { 20: "DEBUG", 30: "INFO ", 40: "WARN ", 50: "ERROR" };

const LEVEL_COLOURS: Readonly<Record<number, number>> = { 20: 2, 40: 33, 50: 31 };

/** A field's value on one line: bare if that is unambiguous, else as JSON. */
function valueText(value: unknown): string {
  if (typeof value === "string" && /^[\w./:@?&%+,;*~-]+$/.test(value)) return value;
  return escapeControls(JSON.stringify(value) ?? "");
}

/** One JSON log line as readable text. */
export function readableLine(line: string, isColoured: boolean): string {
  const { level, time, msg, ...fields } = JSON.parse(line) as Record<string, unknown>;
  const clock = new Date(typeof time === "number" ? time : 0).toISOString().slice(11, 23);
  const data = Object.entries(fields)
    .map(([key, value]) => ` ${key}=${valueText(value)}`)
    .join("");
  const name = LEVEL_NAMES[Number(level)] ?? "LOG  ";
  const shown = isColoured ? colour(name, LEVEL_COLOURS[Number(level)]) : name;
  return `${clock} ${shown} ${escapeControls(String(msg))}${data}\n`;
}

/** Makes the program's logger. bigint fields are written as decimal text. */
export function createLogger(level: LogLevel, format: "json" | "text"): Logger {
  const isColoured = hasColours(process.stderr, process.env);
  const destination: DestinationStream = {
    write: (line) => {
      const text = format === "json" ? line : readableLine(line, isColoured);
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
