// How many cases each property test tries: 500 unless SEXTANT_RUNS says otherwise.
export const RUNS: number = Number(process.env.SEXTANT_RUNS ?? "500");
