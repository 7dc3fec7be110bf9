// Saves the proof of a balance, or takes it to the view that checks it.
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { path } from "../lib/api.ts";
import { live } from "../lib/live.ts";
import { carriedProof, proofText } from "../lib/proofs.ts";
import { go } from "../lib/router.ts";
import { saveFile } from "../lib/save-file.ts";
import { useStore } from "../lib/store.ts";
import { Button } from "./basics.tsx";

export function ProofButtons({
  address,
  asset,
  name,
  run,
  isBusy,
}: {
  readonly address: string;
  readonly asset: string;
  readonly name: string;
  /** Runs work whose failure is shown. */
  readonly run: (work: () => Promise<void>) => Promise<void>;
  readonly isBusy: boolean;
}): JSX.Element {
  const waypoint = useStore(live, ({ info }) => info?.genesis_waypoint);
  const [isCarried, setCarried] = useState(false);
  const load = (): Promise<string> =>
    proofText(path("accounts", address, "balance", asset), { from_waypoint: waypoint });
  return (
    <>
      <Button
        isOff={isBusy}
        onClick={() => run(async () => saveFile(`proof-${name}.json`, await load(), "application/json"))}
      >
        Download proof
      </Button>
      <Button
        isOff={isBusy || isCarried}
        onClick={() =>
          run(async () => {
            carriedProof.set(await load());
            setCarried(true);
            go("#/verify");
          })
        }
      >
        Check the proof here
      </Button>
    </>
  );
}
