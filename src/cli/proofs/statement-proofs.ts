// The proofs of statements, in one file: for each the opening and the closing balance, and a receipt for each change.
import { CodedError } from "../../base/errors.ts";
import { parseTime } from "../../base/texts/time-text.ts";
import { balanceProofRoute, eventProofRoute, transactionProofRoute } from "../../interface/routes.ts";
import { ProofCheck, parseOperand, proofPart, proofStart, statementHead } from "../../node.ts";
import { fullAddress } from "../asset-texts.ts";
import { FEE_STATEMENT, movedBy, type TransactionText } from "../movements.ts";
import type { Source } from "../source/source.ts";
import { assetTest, type Statement } from "../statement.ts";
import type { Put } from "./whole-file.ts";

function fail(reason: string): never {
  throw new CodedError("statement", reason);
}

/** Asks for the proofs of statements, checks that they prove them, and puts them; the waypoint that they begin at. */
export async function proveStatements(
  source: Source,
  statements: readonly Statement[],
  from: string | undefined,
  put: Put,
): Promise<string> {
  let start = from;
  let check: ProofCheck | undefined;
  let before = "";
  const add = async (text: string, isBundle = true): Promise<void> => {
    const written = isBundle ? proofPart(text, before) : text;
    if (isBundle) before = text;
    const reason = check?.take(written).reason;
    if (reason !== undefined) fail(`the node's proofs do not hold: ${reason}`);
    await put(`${written}\n`);
  };
  for (const statement of statements) {
    const { address, asset_type, opening, closing } = statement;
    const balanceAt = ({ ledger_version }: Statement["opening"]): Promise<string> =>
      source.read(balanceProofRoute, {
        address,
        asset_type,
        ledger_version: BigInt(ledger_version),
        from_waypoint: start,
      });
    const first = await balanceAt(opening);
    start ??= proofStart(first);
    check ??= new ProofCheck(start);
    const period = { fromUsec: parseTime(statement.from), toUsec: parseTime(statement.to) };
    await add(statementHead(period), false);
    await add(first);
    await add(await balanceAt(closing));
    for await (const receipt of receiptsOf(source, statement, start)) await add(receipt);
  }
  const { reason, statements: proven } = check?.finish() ?? fail("there is no statement to prove");
  if (reason !== undefined) fail(`the node's proofs do not hold: ${reason}`);
  for (const [i, { address, asset_type, opening, closing }] of statements.entries()) {
    // A node could answer with good proofs of something else.
    const found = proven[i];
    const isSame =
      found !== undefined &&
      fullAddress(found.address) === address &&
      parseOperand("asset", "asset", found.asset).id === parseOperand("asset", "asset", asset_type).id &&
      `${found.openingVersion} ${found.opening}` === `${opening.ledger_version} ${opening.balance}` &&
      `${found.closingVersion} ${found.closing}` === `${closing.ledger_version} ${closing.balance}`;
    if (!isSame) fail(`the node's proofs are not of the statement of ${address} in ${asset_type}`);
  }
  return start ?? "";
}

/** A proof of each event that changed the balance, and of each fee. */
async function* receiptsOf(
  source: Source,
  { address, asset_type: asset, changes, closing }: Statement,
  from_waypoint: string,
): AsyncGenerator<string> {
  if (changes.length === 0) return;
  const at = { ledger_version: BigInt(closing.ledger_version), at: undefined };
  const { text } = await source.detail(address, asset, at);
  const { fungible } = JSON.parse(text) as { fungible: { address: string; metadata: string } };
  const counts = assetTest(asset, fungible.metadata);
  for (const { version: txn_version, fee } of changes) {
    const transaction = JSON.parse(await source.transaction(txn_version)) as TransactionText;
    const own = movedBy(transaction).changes.filter(
      (change) =>
        change.account === address &&
        counts(change.asset) &&
        (change.store ?? fungible.address) === fungible.address,
    );
    const places = own.map(({ event }) => event);
    if (fee !== "0") {
      const place = transaction.events?.findIndex(({ type }) => type === FEE_STATEMENT) ?? -1;
      if (place >= 0) places.push(place);
      else yield source.read(transactionProofRoute, { txn_version, from_waypoint });
    }
    for (const place of places.toSorted((a, b) => a - b)) {
      yield source.read(eventProofRoute, { txn_version, event_index: `${place}`, from_waypoint });
    }
  }
}
