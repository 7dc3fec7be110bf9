// What `sextant start` shows when the node is ready: the console first, the URL of the API last. A local chain also shows its
// accounts and tables, to be copied from here, and commands to try.
import { type Node, SOFTWARE_VERSION } from "../node.ts";
import { colour } from "./colour.ts";
import type { CommandContext } from "./command.ts";
import { DEFAULT_URL } from "./source/options.ts";

const [BOLD, DIM, CYAN] = [1, 2, 36];
const ADDRESS_WIDTH = 66;

export interface ScreenOptions {
  /** The line of the proof port. */
  readonly proofs?: string | undefined;
  /** Such as `chain 4, version 0, oldest 0`. */
  readonly position: string;
  readonly hasConsole: boolean;
  readonly isColoured: boolean;
  readonly environment: CommandContext["environment"];
}

type Style = (text: string, style: number) => string;

/** Name, whole address or handle, and what belongs to it. */
function row(style: Style, name: string, address: string, more: string): string {
  const cells = more === "" ? address : `${address.padEnd(ADDRESS_WIDTH)} ${style(more, DIM)}`;
  return `  ${style(name.padEnd(7), BOLD)} ${cells}`;
}

/** How the reader runs this program: `npm start` and `npx` do not put it on the path. */
function programText({ npm_lifecycle_event: npm }: CommandContext["environment"]): string {
  return npm === undefined ? "sextant" : "npx sextant";
}

function faucetLines({ faucetUrl }: Node): string[] {
  return faucetUrl === undefined ? [] : [`Faucet: ${faucetUrl}`];
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
    row(style, "Account", "Address", "Private key, for this chain alone"),
    ...guide.accounts.map(({ name, address, privateKey }) => row(style, name, address, privateKey)),
    row(style, "Table", "Handle", ""),
    ...guide.tables.map(({ name, handle, note, keys: [key] }) =>
      row(style, name, handle, key === undefined ? note : `${note}; key ${key.name} is ${key.key}`),
    ),
    ...faucetLines(node),
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
  { position, hasConsole, proofs, isColoured, environment }: ScreenOptions,
): string {
  const style: Style = (text, number) => (isColoured ? colour(text, number) : text);
  const guide = guideLines(node, style, environment);
  const ready = `sextant is ready: ${style(`${node.url}`, CYAN)}`;
  return [
    `Sextant ${SOFTWARE_VERSION}: ${position}`,
    ...(hasConsole ? [`Console: ${style(`${node.url?.replace(/v1$/, "")}`, CYAN)}`] : []),
    ...(guide.length === 0 ? faucetLines(node) : ["", ...guide]),
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
