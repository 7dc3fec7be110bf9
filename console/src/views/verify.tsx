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

/** The asset's name and decimals are no part of a proof: this node's word. */
function useAsset(proof: Proven): Pick<Answer<"get_balance_detail">, "symbol" | "decimals"> {
  const { claim } = proof;
  const { data } = useLoad(
    claim.kind === "balance" ? `asset ${claim.address} ${claim.asset}` : undefined,
    async (signal) => {
      if (claim.kind !== "balance") return {};
      const relative = `${path("accounts", claim.address, "balance", claim.asset)}/detail`;
      return (await ask<Answer<"get_balance_detail">>(relative, { signal })).data;
    },
  );
  return data ?? {};
}

function ProvenCard({ proof, waypoint }: { readonly proof: Proven; readonly waypoint: string }): JSX.Element {
  const [checkedUsec] = useState(`${Date.now()}000`);
  const version = useStore(live, ({ info }) => info?.sextant_version);
  const { claim, ledgerVersion, signedVersion, signedTimestampUsec } = proof;
  const { symbol, decimals } = useAsset(proof);
  return (
    <Card className="verdict proven" title="Proven">
      {claim.kind === "balance" ? (
        <>
          <p class="big-amount" data-testid="proven" data-exact={`${claim.balance}`}>
            <Amount amount={claim.balance} decimals={decimals} symbol={symbol} />
          </p>
          <p class="faint">
            {groupDigits(`${claim.balance}`)} in the smallest unit
            {symbol === undefined ? "" : "; symbol and decimals are this node's word, not part of the proof"}
          </p>
        </>
      ) : (
        <p data-testid="proven">
          {claim.value === undefined ? "The table has no item under this key." : "The table has this item."}
        </p>
      )}
      <Facts>
        {claim.kind === "balance" ? (
          <>
            <Fact name="Account" wide>
              <Address address={claim.address} full />
            </Fact>
            <Fact name="Asset" wide>
              <span class="mono">
                <LedgerText text={claim.asset} max={1000} />
              </span>
            </Fact>
          </>
        ) : (
          <>
            <Fact name="Table" wide>
              <Hash hash={claim.tableHandle} full label="handle" />
            </Fact>
            <Fact name="Key">
              <span class="mono">
                <LedgerText text={toHex(claim.key)} max={100} />
              </span>
            </Fact>
            {claim.value === undefined ? undefined : (
              <Fact name="Value">
                <span class="mono">
                  <LedgerText text={toHex(claim.value)} max={200} />
                </span>
              </Fact>
            )}
          </>
        )}
        <Fact name="After version">{groupDigits(`${ledgerVersion}`)}</Fact>
        <Fact name="Signed at version">{groupDigits(`${signedVersion}`)}</Fact>
        <Fact name="Time of the signed block">
          <Time usec={`${signedTimestampUsec}`} isWhole />
          <div class="faint">{formatUtc(`${signedTimestampUsec}`)} in UTC</div>
        </Fact>
        <Fact name="Checked">
          <Time usec={checkedUsec} isWhole />
          <div class="faint">Sextant {version ?? ""}</div>
        </Fact>
        <Fact name="From the waypoint" wide>
          <span class="mono">{waypoint}</span>
        </Fact>
      </Facts>
      <p class="faint">
        Checked in this browser: the hashes lead from the items to the state root and from there to a ledger
        that is signed by validators, whose epochs follow one another from your waypoint.
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
        A proof says what a balance or a table item was, and why a network's validators vouch for it. This
        page checks it by itself and asks nobody; all that you trust is the waypoint.
      </p>
      <form class="verify" onSubmit={check}>
        <Card title="Proof">
          <Field label="The proof as JSON" error={proofError}>
            {(ids) => (
              <textarea
                {...ids}
                rows={8}
                spellcheck={false}
                placeholder='{"claim":{"type":"balance",…'
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
          <ProvenCard proof={verdict.proof} waypoint={waypoint.trim()} />
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
