// Messages between a follower's process and the process that verifies pages for it.

import type { PageVerification } from "../../sync/verify/verified-page.ts";

/** The first order. */
export interface StartOrder {
  readonly kind: "start";
  /** Another version of the program, installed under a running node, may verify or say something else. */
  readonly software: string;
  /** The store's directory, absolute. */
  readonly path: string;
  /** The latest version of the store. */
  readonly version: bigint;
  readonly verification: PageVerification;
}

/** To the verifying process. */
export type VerifyingOrder =
  | StartOrder
  | { readonly kind: "page"; readonly page: Uint8Array }
  | { readonly kind: "committed"; readonly version: bigint };

/** From the verifying process. Verdicts come in the order of the pages; after a failure nothing comes. */
export type VerifyingReport =
  | { readonly kind: "ready" }
  | { readonly kind: "verdict"; readonly verdict: Uint8Array }
  | { readonly kind: "failed"; readonly reason: string };
