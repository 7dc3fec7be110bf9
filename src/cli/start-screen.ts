// What `sextant start` shows when the node is ready. It fits a terminal of 80 columns; the URL is last. A local chain also
// shows its accounts and tables, their private keys, and commands to try.
import { type Node, SOFTWARE_VERSION } from "../node.ts";
import { colour } from "./colour.ts";
import type { CommandContext } from "./command.ts";
import { DEFAULT_URL } from "./source/options.ts";

const WIDTH = 79;
const AIP_80_PREFIX = "ed25519-priv-";
const [BOLD, DIM, CYAN] = [1, 2, 36];

export interface ScreenOptions {
  /** The line of the proof port. */
  readonly proofs?: string | undefined;
  /** Such as `chain 4, version 0, oldest 0`. */
  readonly position: string;
  readonly isColoured: boolean;
  readonly environment: CommandContext["environment"];
}

type Style = (text: string, style: number) => string;

/** `0x4c8c…3d5f`: enough to recognize an address. */
export function shortAddress(address: string): string {
  return address.length <= 12 ? address : `${address.slice(0, 6)}…${address.slice(-4)}`;
}

function cut(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}

/** A row: name, short address, what it holds, and the longest note that fits. */
function row(
  style: Style,
  [name, address, held]: readonly [string, string, string],
  notes: readonly string[],
): string {
  const cells = [`  ${name.padEnd(7)}`, shortAddress(address).padEnd(12), held];
  const room = WIDTH - cells.join(" ").length - 1;
  const note = notes.find((one) => one.length <= room) ?? cut(notes.at(-1) ?? "", room);
  return [style(cells[0] ?? "", BOLD), style(cells[1] ?? "", DIM), cells[2], style(note, DIM)].join(" ");
}

/** How the reader runs this program: `npm start` and `npx` do not put it on the path. */
function programText({ npm_lifecycle_event: npm }: CommandContext["environment"]): string {
  return npm === undefined ? "sextant" : "npx sextant";
}

function guideLines(node: Node, style: Style, environment: CommandContext["environment"]): string[] {
  const guide = node.guide();
  const base = node.url?.replace(/\/v1$/, "");
  const [table] = guide?.tables ?? [];
  const [account] = guide?.accounts ?? [];
  if (guide === undefined || base === undefined || table === undefined || account === undefined) return [];
  const program = programText(environment);
  const url = base === DEFAULT_URL ? "" : ` --url ${base}`;
  const [asset] = account.assets;
  return [
    `Private keys of the accounts, for this chain alone (AIP-80: ${AIP_80_PREFIX}…)`,
    ...guide.accounts.map(({ name, privateKey }) =>
      [style(`  ${name.padEnd(7)}`, BOLD), style(privateKey.replace(AIP_80_PREFIX, ""), DIM)].join(" "),
    ),
    ...guide.tables.map(({ name, handle, note, keys: [key] }) =>
      row(
        style,
        [name, handle, "table"],
        key === undefined ? [note] : [`${note}; key ${key.name} is ${key.key}`, note],
      ),
    ),
    ...(node.faucetUrl === undefined ? [] : [`Faucet: ${node.faucetUrl}`]),
    "",
    "Try in another terminal:",
    `  ${program} balance ${account.name} ${asset?.symbol}${url}`,
    `  ${program} holdings ${account.name}${url}`,
    `  ${program} info${url}`,
  ];
}

/** The screen, with the URL on its last line. */
export function startScreen(
  node: Node,
  { position, proofs, isColoured, environment }: ScreenOptions,
): string {
  const style: Style = (text, number) => (isColoured ? colour(text, number) : text);
  const guide = guideLines(node, style, environment);
  const ready = `sextant is ready: ${style(`${node.url}`, CYAN)}`;
  return [
    `Sextant ${SOFTWARE_VERSION}: ${position}`,
    ...(guide.length === 0 ? [] : ["", ...guide]),
    ...(proofs === undefined ? [] : [proofs]),
    ready,
  ].join("\n");
}

const ASK_MS = 2000;
/** An answer in BCS: whether there is a signed version, its epoch, and the version. */
const ANSWER_BYTES = 1 + 8 + 8;

/** The line of a proof port, which may listen before it has proofs: asks it as a node that needs its proofs would. */
export async function proofsLine(url: string): Promise<string> {
  try {
    const response = await fetch(new URL("/db_state", url), { signal: AbortSignal.timeout(ASK_MS) });
    const answer = Buffer.from(await response.arrayBuffer());
    if (response.ok && answer.length === ANSWER_BYTES) {
      return `Proofs: ${url} (up to version ${answer.readBigUInt64LE(1 + 8)})`;
    }
  } catch {
    // Nobody else gets an answer either.
  }
  return `Proofs: ${url} (none yet: the ledger has no signed version)`;
}
