// Requests for comparing the responses of several nodes of one chain.

import type { ChainGuide } from "../../src/chain/demo/guide.ts";
import { brandedHeader, READ_VERSION } from "../../src/interface/ledger-headers.ts";
import { BCS_TYPE as BCS, JSON_TYPE } from "../../src/interface/media-types.ts";
import { API_ROOT, urlTo } from "../../src/interface/route.ts";
import { balanceRoute, encodeRoute, rawItemRoute } from "../../src/interface/routes.ts";
import type { Pipeline } from "./pipelined.ts";
import { transferRequest } from "./submitter.ts";

/** One request; `{version}` in the path stands for the version to read at. */
export interface Question {
  readonly path: string;
  readonly accept: string;
  readonly body?: string;
}

/** A node's response, without the parts that differ between nodes. */
export interface Reply {
  readonly status: number;
  readonly body: string;
  readonly readVersion: string | null;
}

const READ_VERSION_HEADER = brandedHeader("NODE", READ_VERSION).toLowerCase();
const AT_VERSION = "?ledger_version={version}";

/** Every account with every asset, every table with every key, in both forms, and items that do not exist. */
export function questionsAbout(guide: ChainGuide): Question[] {
  const questions: Question[] = [];
  const assets = [...new Set(guide.accounts.flatMap((account) => account.assets.map(({ asset }) => asset)))];
  const addresses = [...guide.accounts.map(({ address }) => address), "0xdead", "0x1"];
  for (const address of addresses) {
    for (const asset of [...assets, "0xabc", "0x1::nothing::Coin"]) {
      const path = urlTo("", balanceRoute, { address, asset_type: asset }) + AT_VERSION;
      questions.push({ path, accept: JSON_TYPE }, { path, accept: BCS });
    }
  }
  for (const { handle, keys } of [...guide.tables, { handle: "0x1234", keys: [{ key: "0x00" }] }]) {
    for (const { key } of [...keys, { key: "0xffee" }]) {
      const path = urlTo("", rawItemRoute, { table_handle: handle }) + AT_VERSION;
      const body = JSON.stringify({ key });
      questions.push({ path, accept: BCS, body }, { path, accept: JSON_TYPE, body });
    }
  }
  return questions;
}

/** A transfer to encode; it does not depend on the version. */
export function encodeQuestion(guide: ChainGuide, turn: number): Question {
  const [sender, receiver] = guide.accounts;
  const body = JSON.stringify(
    transferRequest(sender?.address, receiver?.address, `${turn}`, { sequence_number: `${turn}` }),
  );
  return { path: urlTo("", encodeRoute), accept: JSON_TYPE, body };
}

/** Sends over a shared connection. */
export async function askOver(pipeline: Pipeline, question: Question, version: bigint): Promise<Reply> {
  const { accept, body } = question;
  const path = `${API_ROOT}${question.path.replace("{version}", `${version}`)}`;
  const sent =
    body === undefined
      ? "\r\n"
      : `content-type: ${JSON_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const method = body === undefined ? "GET" : "POST";
  const answer = await pipeline.send(`${method} ${path} HTTP/1.1\r\nhost: x\r\naccept: ${accept}\r\n${sent}`);
  const readVersion = answer.header(READ_VERSION_HEADER);
  return { status: answer.status, body: answer.body.toString("hex"), readVersion };
}

/** Sends to a node, given by its base URL with `/v1`. */
export async function ask(url: string, question: Question, version: bigint): Promise<Reply> {
  const response = await fetch(url + question.path.replace("{version}", `${version}`), {
    headers: {
      accept: question.accept,
      ...(question.body === undefined ? {} : { "content-type": JSON_TYPE }),
    },
    ...(question.body === undefined ? {} : { method: "POST", body: question.body }),
  });
  const body = Buffer.from(await response.arrayBuffer()).toString("hex");
  return { status: response.status, body, readVersion: response.headers.get(READ_VERSION_HEADER) };
}
