// A node that follows liars, as the tests about lies see it: its answers, their level, and whom it blames.
import type { LogFields, Logger } from "../../src/base/log.ts";
import { brandedHeader, TRUST } from "../../src/interface/ledger-headers.ts";
import { JSON_TYPE } from "../../src/interface/media-types.ts";
import { compareTrust, parseTrust, TRUSTED, type TrustLevel } from "../../src/ledger/trust.ts";
import { createNode, type Node, type NodeOptions } from "../../src/node.ts";
import { begun } from "./begun.ts";
import type { LiedWorld, ShownChain } from "./lied-world.ts";
import type { Question } from "./questions.ts";
import { until } from "./until.ts";

/** One log line. */
export interface LogLine extends LogFields {
  readonly message: string;
}

/** An answer with the level that came with it. */
export interface LevelledReply {
  readonly status: number;
  readonly body: string;
  readonly level: TrustLevel;
}

const TRUST_HEADER = brandedHeader("NODE", TRUST);

/** Pauses and rates for tests. */
const QUICK = { upstreamRate: 0, pollTimeMs: 5, retryTimeMs: 5 } as const;

/** How a node follows; `follow` needs only the upstreams. */
export type LiedOptions = Omit<NodeOptions, "http" | "logger">;

/** A running node and its log. */
export class LiedNode {
  readonly node: Node;
  readonly lines: readonly LogLine[];

  private constructor(node: Node, lines: readonly LogLine[]) {
    this.node = node;
    this.lines = lines;
  }

  static async start(options: LiedOptions): Promise<LiedNode> {
    const lines: LogLine[] = [];
    const note = (fields: LogFields, message: string): void => {
      lines.push({ ...fields, message });
    };
    const logger: Logger = { debug: () => {}, info: note, warn: note, error: note };
    const { follow } = options;
    const node = await createNode({
      pruneWindow: "off",
      ...options,
      ...(follow === undefined ? {} : { follow: { ...QUICK, ...follow } }),
      http: { host: "127.0.0.1", port: 0, maxWaitMs: 0 },
      logger,
    });
    return new LiedNode(await begun(node), lines);
  }

  get url(): string {
    if (this.node.url === undefined) throw new Error("the node has no port");
    return this.node.url;
  }

  /** The latest version; undefined while there is no ledger. */
  async version(): Promise<bigint | undefined> {
    try {
      return BigInt((await this.node.ledgerInfo()).ledger_version);
    } catch {
      return undefined;
    }
  }

  async oldest(): Promise<bigint> {
    return BigInt((await this.node.ledgerInfo()).oldest_ledger_version);
  }

  info(): Promise<Readonly<Record<string, unknown>>> {
    return this.node.info();
  }

  reaches(version: bigint): Promise<bigint> {
    return until(async () => {
      const now = await this.version();
      return now !== undefined && now >= version ? now : undefined;
    });
  }

  async ask(question: Question, version: bigint): Promise<LevelledReply> {
    const response = await fetch(this.url + question.path.replace("{version}", `${version}`), {
      headers: {
        accept: question.accept,
        ...(question.body === undefined ? {} : { "content-type": JSON_TYPE }),
      },
      ...(question.body === undefined ? {} : { method: "POST", body: question.body }),
    });
    const body = Buffer.from(await response.arrayBuffer()).toString("hex");
    return { status: response.status, body, level: levelOf(response) };
  }

  /** Upstreams that were set aside, by URL without `/v1`. */
  blamed(): ReadonlySet<string> {
    const names = this.lines
      .filter(({ message }) => message.includes("set aside"))
      .map(({ upstream }) => upstream);
    return new Set(names.map((name) => `${name}`.replace(/\/v1$/, "")));
  }

  close(): Promise<void> {
    return this.node.close();
  }
}

/** Every answer about the ledger has a level. */
function levelOf({ headers, status }: Response): TrustLevel {
  const text = headers.get(TRUST_HEADER);
  if (text === null && !isAnswer(status)) return TRUSTED;
  const level = text === null ? undefined : parseTrust(text);
  if (level === undefined) throw new Error(`an answer of status ${status} without a level: ${text}`);
  return level;
}

const isAnswer = (status: number): boolean => status === 200 || status === 404;

/** An answer that differs from the truth and promises more than one upstream's word. */
export interface Breach {
  readonly question: string;
  readonly version: bigint;
  readonly level: TrustLevel;
  readonly got: string;
  readonly expected: string;
}

/** How to judge answers. */
export interface Judgement {
  readonly world: LiedWorld;
  readonly versions: readonly bigint[];
  readonly questions: readonly Question[];
  /** A chain whose history from genesis the node may take for the truth: `chained` promises no more. */
  readonly continuation?: ShownChain | undefined;
}

/** Asks and compares with the truth. Also counts wrong answers that claim no more than they may. */
export async function judge(
  node: LiedNode,
  { world, versions, questions, continuation }: Judgement,
): Promise<{ readonly breaches: readonly Breach[]; readonly wrong: number; readonly right: number }> {
  const breaches: Breach[] = [];
  let [wrong, right] = [0, 0];
  for (const version of versions) {
    for (const question of questions) {
      const reply = await node.ask(question, version);
      if (!isAnswer(reply.status)) continue;
      const truth = await world.truth.answer(question, version);
      if (reply.status === truth.status && (reply.status !== 200 || reply.body === truth.body)) {
        right++;
        continue;
      }
      wrong++;
      if (compareTrust(reply.level, TRUSTED) <= 0) continue;
      const own = reply.level.kind === "chained" ? await continuation?.answer(question, version) : undefined;
      if (own !== undefined && own.status === reply.status && own.body === reply.body) continue;
      breaches.push({
        question: `${question.path} ${question.body ?? ""}`,
        version,
        level: reply.level,
        got: `${reply.status} ${reply.body}`,
        expected: `${truth.status} ${truth.body}`,
      });
    }
  }
  // A few show what is wrong.
  return { breaches: breaches.slice(0, 3), wrong, right };
}
