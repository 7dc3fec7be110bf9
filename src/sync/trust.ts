// The trust level that the node may claim. REST serves no validator signatures, so the strongest claims rest on
// waypoints that the operator obtained elsewhere.

/** Facts that determine the level. */
export interface TrustFacts {
  /** Every record follows by hash from a genesis that matched its waypoint. */
  readonly isChained: boolean;
  /** Highest version above 0 whose waypoint matched. */
  readonly anchoredVersion: bigint | undefined;
  /** The quorum that agreed on the latest commit. */
  readonly agreed: { readonly needed: number; readonly of: number } | undefined;
}

/** The levels that hold, strongest first; `trusted` when no other does. */
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
