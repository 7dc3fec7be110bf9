// Checks a proof in the browser: no node is asked, and nothing but a waypoint is trusted.
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { type Answer, ask, path } from "../lib/api.ts";
import { formatUtc, groupDigits } from "../lib/format.ts";
import { live } from "../lib/live.ts";
import { carriedProof, checkProof, type Verdict } from "../lib/proofs.ts";
import { toHex } from "../lib/sign.ts";
import { useStore } from "../lib/store.ts";
import { useLoad } from "../lib/use-load.ts";
import {
  Address,
  Amount,
  Button,
  Card,
  Fact,
  Facts,
  Field,
  Hash,
  LedgerText,
  MonoField,
  Time,
  Title,
} from "../parts/basics.tsx";

/** More than a bundle with a thousand epochs has. */
const MAX_BYTES = 16 * 1024 * 1024;
const WAYPOINT = /^\d{1,20}:[0-9a-f]{64}$/i;

type Proven = Extract<Verdict, { isProven: true }>["proof"];

/** The only balance of a proof that has one. */
function onlyBalance({ claim }: Proven) {
  if (claim.kind !== "balances" || claim.accounts.length !== 1) return undefined;
  const [account] = claim.accounts;
  const [only, ...more] = account?.balances ?? [];
  return account === undefined || only === undefined || more.length > 0
    ? undefined
    : { address: account.address, ...only };
}

/** The asset's name and decimals are no part of a proof: this node's word. */
function useAsset(proof: Proven): Pick<Answer<"get_balance_detail">, "symbol" | "decimals"> {
  const only = onlyBalance(proof);
  const { data } = useLoad(only && `asset ${only.address} ${only.asset}`, async (signal) => {
    if (only === undefined) return {};
    const relative = `${path("accounts", only.address, "balance", only.asset)}/detail`;
    return (await ask<Answer<"get_balance_detail">>(relative, { signal })).data;
  });
  return data ?? {};
}

function Mono({ name, text }: { readonly name: string; readonly text: string }): JSX.Element {
  return (
    <Fact name={name} wide>
      <span class="mono">
        <LedgerText text={text} max={1000} />
      </span>
    </Fact>
  );
}

function Value({ value }: { readonly value: Uint8Array | undefined }): JSX.Element {
  return <Mono name="Value" text={value === undefined ? "none: it is proven not to exist" : toHex(value)} />;
}

function TransactionFacts({
  claim,
}: {
  readonly claim: Extract<Claim, { readonly hash: string }>;
}): JSX.Element {
  return (
    <>
      <Fact name="Transaction" wide>
        <Hash hash={claim.hash} full label="hash" />
      </Fact>
      {claim.sender === undefined ? undefined : (
        <Fact name="Sender" wide>
          <Address address={claim.sender} full />
        </Fact>
      )}
      <Fact name="Type">{claim.transactionType}</Fact>
      <Fact name="Success">{claim.isSuccess ? "yes" : "no"}</Fact>
      {claim.kind === "event" ? (
        <>
          <Mono name={`Event ${claim.index}`} text={claim.type} />
          <Mono name="Data" text={toHex(claim.data)} />
        </>
      ) : undefined}
    </>
  );
}

type Claim = Proven["claim"];

function ClaimFacts({ claim }: { readonly claim: Claim }): JSX.Element {
  switch (claim.kind) {
    case "balances":
      return (
        <>
          {[...claim.totals].map(([asset, total]) => (
            <Mono key={asset} name="Total" text={`${groupDigits(`${total}`)} of ${asset}`} />
          ))}
        </>
      );
    case "statements":
      return (
        <>
          {claim.statements.map(({ address, asset, opening, closing, fromUsec }) => (
            <Mono
              key={`${address} ${asset} ${fromUsec}`}
              name="Statement"
              text={`${address}, ${asset}: from ${groupDigits(`${opening}`)} to ${groupDigits(`${closing}`)}`}
            />
          ))}
        </>
      );
    case "table_item":
      return (
        <>
          <Fact name="Table" wide>
            <Hash hash={claim.tableHandle} full label="handle" />
          </Fact>
          <Mono name="Key" text={toHex(claim.key)} />
          <Value value={claim.value} />
        </>
      );
    case "resource":
    case "module":
      return (
        <>
          <Fact name="Account" wide>
            <Address address={claim.address} full />
          </Fact>
          <Mono
            name={claim.kind === "module" ? "Module" : "Resource"}
            text={claim.kind === "module" ? claim.name : claim.type}
          />
          <Value value={claim.value} />
        </>
      );
    default:
      return <TransactionFacts claim={claim} />;
  }
}

/** Every balance, for people who print it. */
function Balances({ claim }: { readonly claim: Claim }): JSX.Element | null {
  if (claim.kind !== "balances") return null;
  return (
    <table data-testid="proven-balances">
      <thead>
        <tr>
          <th>Account</th>
          <th>Asset</th>
          <th class="number">Balance</th>
        </tr>
      </thead>
      <tbody>
        {claim.accounts.flatMap(({ address, balances }) =>
          balances.map(({ asset, balance }) => (
            <tr key={`${address} ${asset}`}>
              <td>
                <Address address={address} full />
              </td>
              <td class="mono">
                <LedgerText text={asset} max={1000} />
              </td>
              <td class="number">{groupDigits(`${balance}`)}</td>
            </tr>
          )),
        )}
      </tbody>
    </table>
  );
}

function TimeFact({
  name,
  usec,
}: {
  readonly name: string;
  readonly usec: bigint | undefined;
}): JSX.Element | null {
  if (usec === undefined) return null;
  return (
    <Fact name={name}>
      <Time usec={`${usec}`} isWhole />
      <div class="faint">{formatUtc(`${usec}`)} in UTC</div>
    </Fact>
  );
}

function ProvenCard({
  proof,
  statement,
  waypoint,
}: Extract<Verdict, { isProven: true }> & { readonly waypoint: string }): JSX.Element {
  const [checkedUsec] = useState(`${Date.now()}000`);
  const version = useStore(live, ({ info }) => info?.sextant_version);
  const { claim, ledgerVersion, signedVersion } = proof;
  const { symbol, decimals } = useAsset(proof);
  const only = onlyBalance(proof);
  return (
    <Card className="verdict proven" title="Proven">
      {only === undefined ? undefined : (
        <>
          <p class="big-amount" data-testid="proven-amount" data-exact={`${only.balance}`}>
            <Amount amount={only.balance} decimals={decimals} symbol={symbol} />
          </p>
          <p class="faint">
            {groupDigits(`${only.balance}`)} in the smallest unit
            {symbol === undefined ? "" : "; symbol and decimals are this node's word, not part of the proof"}
          </p>
        </>
      )}
      <p data-testid="proven">
        <LedgerText text={statement} max={5000} />
      </p>
      <Balances claim={claim} />
      <Facts>
        <ClaimFacts claim={claim} />
        <Fact name={"hash" in claim ? "Version" : "After version"}>{groupDigits(`${ledgerVersion}`)}</Fact>
        <TimeFact name="Time of the block" usec={proof.timestampUsec} />
        <TimeFact name="Time of the next block" usec={proof.nextTimestampUsec} />
        <Fact name="Signed at version">{groupDigits(`${signedVersion}`)}</Fact>
        <TimeFact name="Time of the signed block" usec={proof.signedTimestampUsec} />
        <Fact name="Checked">
          <Time usec={checkedUsec} isWhole />
          <div class="faint">Sextant {version ?? ""}</div>
        </Fact>
        <Fact name="From the waypoint" wide>
          <span class="mono">{waypoint}</span>
        </Fact>
      </Facts>
      <p class="faint">
        Checked in this browser: the hashes lead from what is claimed to a ledger that is signed by
        validators, whose epochs follow one another from your waypoint.
      </p>
      <div class="buttons">
        <Button onClick={() => print()}>Print</Button>
      </div>
    </Card>
  );
}

export function Verify(): JSX.Element {
  const genesis = useStore(live, ({ info }) => info?.genesis_waypoint);
  const [text, setText] = useState(carriedProof.get() ?? "");
  const [file, setFile] = useState<{ readonly name: string; readonly bytes: Uint8Array }>();
  const [waypoint, setWaypoint] = useState("");
  const [verdict, setVerdict] = useState<Verdict>();
  const [isBusy, setBusy] = useState(false);
  const [proofError, setProofError] = useState<string>();
  const [waypointError, setWaypointError] = useState<string>();
  // A proof is handed over once.
  useEffect(() => carriedProof.set(undefined), []);

  const check = async (event: Event): Promise<void> => {
    event.preventDefault();
    setVerdict(undefined);
    const proof = file?.bytes ?? text.trim();
    const isMissing = proof.length === 0;
    const isNoWaypoint = !WAYPOINT.test(waypoint.trim());
    setProofError(isMissing ? "expected a proof: paste its JSON, or choose a file" : undefined);
    setWaypointError(
      isNoWaypoint ? "expected a version, a colon and 64 hex digits, such as 0:59d6…a6bd" : undefined,
    );
    if (isMissing || isNoWaypoint) return;
    setBusy(true);
    // Draws "Checking…" before the signatures keep this thread busy.
    await new Promise((resolve) => setTimeout(resolve, 30));
    setVerdict(await checkProof(proof, waypoint));
    setBusy(false);
  };
  const choose = async (chosen: File | undefined): Promise<void> => {
    setFile(undefined);
    setVerdict(undefined);
    if (chosen === undefined) return;
    if (chosen.size > MAX_BYTES) {
      setProofError(`${chosen.name} is larger than any proof`);
      return;
    }
    setProofError(undefined);
    setFile({ name: chosen.name, bytes: new Uint8Array(await chosen.arrayBuffer()) });
  };
  return (
    <>
      <Title text="Verify a proof" />
      <p class="lead">
        A proof says what a ledger had, such as a balance or a payment, and why a network's validators vouch
        for it. This page checks it by itself and asks nobody; all that you trust is the waypoint.
      </p>
      <form class="verify" onSubmit={check}>
        <Card title="Proof">
          <Field label="The proof as JSON" error={proofError}>
            {(ids) => (
              <textarea
                {...ids}
                rows={8}
                spellcheck={false}
                placeholder='{"claim":{"type":"balances",…'
                value={file === undefined ? text : ""}
                disabled={file !== undefined}
                onInput={(event) => {
                  setText(event.currentTarget.value);
                  setVerdict(undefined);
                }}
              />
            )}
          </Field>
          <Field label="or a file, in JSON or BCS">
            {(ids) => (
              <input {...ids} type="file" onChange={(event) => choose(event.currentTarget.files?.[0])} />
            )}
          </Field>
          <MonoField
            label="Waypoint that you trust"
            error={waypointError}
            hint="From a place that you trust: the network's own publication, or a node of your own. Not from the one who gave you the proof."
            placeholder="0:59d6…"
            value={waypoint}
            onInput={(value) => {
              setWaypoint(value);
              setVerdict(undefined);
            }}
          />
          <div class="buttons">
            <Button type="submit" look="primary" isOff={isBusy}>
              {isBusy ? "Checking…" : "Check"}
            </Button>
            {genesis === undefined ? undefined : (
              <button type="button" class="button" onClick={() => setWaypoint(genesis)}>
                Use the genesis waypoint of this node
              </button>
            )}
          </div>
        </Card>
      </form>
      <div role="status">
        {verdict === undefined ? undefined : verdict.isProven ? (
          <ProvenCard {...verdict} waypoint={waypoint.trim()} />
        ) : (
          <Card className="verdict refused" title="Refused">
            <p data-testid="refused">
              <LedgerText text={verdict.reason} max={500} />
            </p>
            <p class="faint">Do not rely on what this proof claims.</p>
          </Card>
        )}
      </div>
    </>
  );
}
