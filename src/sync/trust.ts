// What the node can vouch for, in its own words and no more. REST serves no signatures of validators, so the
// strongest claims rest on waypoints that the operator brought from elsewhere.

/** Facts that the level follows from. */
export interface TrustFacts {
  /** Every record follows by hash from a genesis that matched its waypoint. */
  readonly isChained: boolean;
  /** Highest later version whose waypoint was recomputed and matched. */
  readonly anchoredVersion: bigint | undefined;
  /** The latest commit was agreed upon by this many upstreams of how many. */
  readonly agreed: { readonly needed: number; readonly of: number } | undefined;
}

/** The levels that hold, the strongest first; `trusted` when there is none above it. */
export function trustLevels(facts: TrustFacts): readonly string[] {
  const levels: string[] = [];
  if (facts.anchoredVersion !== undefined) levels.push(`anchored ${facts.anchoredVersion}`);
  if (facts.agreed !== undefined) levels.push(`agreed ${facts.agreed.needed}/${facts.agreed.of}`);
  if (facts.isChained) levels.push("chained");
  return levels.length === 0 ? ["trusted"] : levels;
}

/** The strongest level as a number, for metrics: 0 trusted, 1 chained, 2 agreed, 3 anchored. */
export function trustRank(facts: TrustFacts): number {
  if (facts.anchoredVersion !== undefined) return 3;
  if (facts.agreed !== undefined) return 2;
  return facts.isChained ? 1 : 0;
}
