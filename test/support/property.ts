// How many cases each property test tries: 2,000 unless SEXTANT_RUNS says otherwise.
export const RUNS: number = Number(process.env.SEXTANT_RUNS ?? "2000");
