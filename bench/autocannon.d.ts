// The part of autocannon that the benchmarks use; it ships no types.
declare module "autocannon" {
  interface Result {
    readonly non2xx: number;
    readonly errors: number;
    /** In seconds. */
    readonly duration: number;
    readonly requests: { readonly total: number };
    readonly latency: { readonly p50: number; readonly p99: number };
  }
  export default function autocannon(options: {
    readonly url: string;
    readonly connections: number;
    readonly duration: number;
    readonly method?: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly body?: string;
    readonly requests?: readonly {
      readonly method: string;
      readonly path: string;
      readonly headers: Readonly<Record<string, string>>;
      readonly body?: string;
    }[];
  }): Promise<Result>;
}
