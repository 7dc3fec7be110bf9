import { it } from "vitest";
import { ENGINES } from "../support/booked-ledger.ts";
import { RUNS } from "../support/property.ts";
import { tryProvenVersions } from "../support/proven-versions.ts";

// SEXTANT_RUNS=4000 proves 200 at each.
it("every kept block end of a local chain in LMDB proves items and absences", async () =>
  tryProvenVersions(await ENGINES.lmdb(), Math.ceil(RUNS / 20)));
