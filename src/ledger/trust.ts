// Trust: what a ledger's versions rest on. A level is stored in the write that stores the data, and only a check raises
// it. The state after a version rests on every version up to it, so its level is the weakest of theirs.
// Who decides a level: node/ledger-writer.ts (what a source begins with), sync/committer.ts (`#extendTrust`,
// `noteMatchedWaypoint`, `noteProven`, `refute`), sync/waypoints.ts and sync/follow/agreement.ts (checks of a page),
// sync/fork/begin.ts, sync/lazy/base-filler.ts and sync/proofs/proven-state.ts (items fetched on first use).
import type { Codec } from "../bcs/codec.ts";
import { struct, variants } from "../bcs/records.ts";
import { text, u16, u64 } from "../bcs/scalars.ts";
import { option, vector } from "../bcs/sequences.ts";
import { LedgerError } from "./errors.ts";

/**
 * - `proven`: follows by hash from a ledger info that a quorum of validators signed
 * - `anchored`: from a checked genesis, and at or below a later waypoint that was recomputed
 * - `chained`: from a checked genesis, or from a version that a waypoint or signatures confirm
 * - `agreed`: given alike by `needed` of `of` upstreams
 * - `trusted`: one upstream's word
 * - `local`: made by the local chain
 * - `forked`: made here on top of another network's state
 */
export type TrustLevel =
  | { readonly kind: Exclude<TrustKind, "agreed"> }
  | { readonly kind: "agreed"; readonly needed: number; readonly of: number };

/** From the strongest to the weakest: texts, ranks and the OpenAPI document come from this list. */
export const TRUST_KINDS = ["proven", "anchored", "chained", "agreed", "trusted", "local", "forked"] as const;
export type TrustKind = (typeof TRUST_KINDS)[number];

/** Versions from `first` up to the next range, or up to the head. */
export interface TrustRange {
  readonly first: bigint;
  readonly level: TrustLevel;
}

/** A stronger statement contradicts the stored history from `firstVersion` on. */
export interface Refutation {
  readonly firstVersion: bigint;
  readonly reason: string;
}

/** What a store keeps about its trust, beside the position. */
export interface TrustFacts {
  /** Ordered by `first`, without repetition. */
  readonly trust: readonly TrustRange[];
  readonly refuted: Refutation | undefined;
}

export const TRUSTED: TrustLevel = { kind: "trusted" };
export const CHAINED: TrustLevel = { kind: "chained" };
export const PROVEN: TrustLevel = { kind: "proven" };
export const ANCHORED: TrustLevel = { kind: "anchored" };
export const LOCAL: TrustLevel = { kind: "local" };
export const FORKED: TrustLevel = { kind: "forked" };

/** Nothing was checked yet. */
export const ALL_TRUSTED: TrustFacts = { trust: [{ first: 0n, level: TRUSTED }], refuted: undefined };

/** Most ranges that a store keeps; beyond it the two oldest neighbours merge at the weaker level. */
export const MAX_TRUST_RANGES = 1024;

/** In this order on disk: numbers are never reused. */
export const trustLevelCodec: Codec<TrustLevel> = variants("trust level", {
  trusted: {},
  agreed: { needed: u16, of: u16 },
  chained: {},
  anchored: {},
  proven: {},
  local: {},
  forked: {},
});

export const trustCodec: Codec<readonly TrustRange[]> = vector(
  struct({ first: u64, level: trustLevelCodec }),
);
export const refutationCodec: Codec<Refutation | undefined> = option(
  struct({ firstVersion: u64, reason: text }),
);

/** `agreed 2/3`, or the name of the level. */
export function formatTrust(level: TrustLevel): string {
  return level.kind === "agreed" ? `agreed ${level.needed}/${level.of}` : level.kind;
}

const NAMES = TRUST_KINDS.map((kind) => (kind === "agreed" ? "agreed NEEDED/OF" : kind));
/** The levels as texts, for messages. */
export const TRUST_LEVELS = `${NAMES.slice(0, -1).join(", ")} or ${NAMES.at(-1)}`;

/** As a number for metrics: higher is stronger, and one upstream's word is 0. */
export function trustRank(kind: TrustKind): number {
  return TRUST_KINDS.indexOf("trusted") - TRUST_KINDS.indexOf(kind);
}

/** Parses what `formatTrust` returns; undefined for any other text. */
export function parseTrust(given: string): TrustLevel | undefined {
  const agreed = /^agreed ([1-9]\d{0,2})\/([1-9]\d{0,2})$/.exec(given);
  if (agreed !== null) {
    const [needed, of] = [Number(agreed[1]), Number(agreed[2])];
    return needed <= of ? { kind: "agreed", needed, of } : undefined;
  }
  const kind = TRUST_KINDS.find((name) => name === given);
  return kind === undefined || kind === "agreed" ? undefined : { kind };
}

/** Negative when `a` is weaker than `b`, 0 when they are equal. */
export function compareTrust(a: TrustLevel, b: TrustLevel): number {
  if (a.kind === "agreed" && b.kind === "agreed") return a.needed - b.needed || b.of - a.of;
  return TRUST_KINDS.indexOf(b.kind) - TRUST_KINDS.indexOf(a.kind);
}

export function weakestTrust(first: TrustLevel, ...others: readonly TrustLevel[]): TrustLevel {
  return others.reduce((weakest, level) => (compareTrust(level, weakest) < 0 ? level : weakest), first);
}

/** The ranges after a commit of versions from `first` on. */
export function extendTrust(
  ranges: readonly TrustRange[],
  first: bigint,
  level: TrustLevel,
): readonly TrustRange[] {
  const last = ranges.at(-1);
  if (last !== undefined && last.first < first && compareTrust(last.level, level) === 0) return ranges;
  return merged([...cutTrust(ranges, first - 1n), { first, level }]);
}

/**
 * The ranges after a check of every version up to `upTo`: raises weaker levels there, lowers none. What was made here
 * stays what it is.
 */
export function raiseTrust(
  ranges: readonly TrustRange[],
  upTo: bigint,
  level: TrustLevel,
): readonly TrustRange[] {
  const raised: TrustRange[] = [];
  for (const [i, range] of ranges.entries()) {
    const mayRise = !isMadeHere(range.level) && compareTrust(range.level, level) < 0;
    if (range.first > upTo || !mayRise) {
      raised.push(range);
      continue;
    }
    raised.push({ first: range.first, level });
    const next = ranges[i + 1];
    if (next === undefined || next.first > upTo + 1n) raised.push({ first: upTo + 1n, level: range.level });
  }
  return merged(raised);
}

/** Without the versions above `last`. */
export function cutTrust(ranges: readonly TrustRange[], last: bigint): readonly TrustRange[] {
  return ranges.filter(({ first }) => first <= last);
}

/** The level of the state after a version: the weakest of all ranges up to it. */
export function trustAt(ranges: readonly TrustRange[], version: bigint): TrustLevel {
  let weakest: TrustLevel | undefined;
  for (const { first, level } of ranges) {
    if (first > version) break;
    if (weakest === undefined || compareTrust(level, weakest) < 0) weakest = level;
  }
  return weakest ?? TRUSTED;
}

/** Versions that have one level; the last range ends at the head. */
export interface TrustSpan {
  readonly first: bigint;
  readonly last: bigint;
  readonly level: TrustLevel;
}

/** The levels of the versions from `oldest` up to `head`, each version at the weakest of those up to it. */
export function trustSpans(
  ranges: readonly TrustRange[],
  head: bigint,
  oldest: bigint = ranges[0]?.first ?? 0n,
): readonly TrustSpan[] {
  const known = cutTrust(ranges, head);
  const firsts = [oldest, ...known.map(({ first }) => first).filter((first) => first > oldest)];
  const steps = merged(firsts.map((first) => ({ first, level: trustAt(known, first) })));
  return steps.map(({ first, level }, i) => ({
    first,
    last: (steps[i + 1]?.first ?? head + 1n) - 1n,
    level,
  }));
}

/** Throws LedgerError `refuted` for a version that a stronger statement refuted. */
export function assertNotRefuted({ refuted }: TrustFacts, version: bigint): void {
  if (refuted === undefined || version < refuted.firstVersion) return;
  throw new LedgerError("refuted", refutedText(refuted), {
    details: { version, firstVersion: refuted.firstVersion },
  });
}

/** The sentence for users. */
export function refutedText({ firstVersion, reason }: Refutation): string {
  return `this node's history from version ${firstVersion} on is not the network's: ${reason}`;
}

/** The last version that a waypoint or signatures confirm, with everything before it; undefined if none is. */
export function confirmedVersion({
  trust,
  version,
}: TrustFacts & { readonly version: bigint }): bigint | undefined {
  const open = trust.find(({ level }) => compareTrust(level, ANCHORED) < 0);
  if (open === undefined || open.first > version) return version;
  if (open.first > 0n) return open.first - 1n;
  return compareTrust(open.level, CHAINED) >= 0 ? 0n : undefined;
}

/** The last version whose state has at least a level, if one is asked for; undefined if no kept version has it. */
export function lastVersionWith(
  {
    trust,
    version,
    oldestVersion,
  }: TrustFacts & { readonly version: bigint; readonly oldestVersion: bigint },
  least: TrustLevel | undefined,
): bigint | undefined {
  if (least === undefined) return version;
  const weaker = trust.find(({ level }) => compareTrust(level, least) < 0);
  if (weaker === undefined || weaker.first > version) return version;
  return weaker.first > oldestVersion ? weaker.first - 1n : undefined;
}

/** The same; throws LedgerError `unavailable` if no kept version has the level. */
export function lastToldVersion(
  facts: Parameters<typeof lastVersionWith>[0],
  least: TrustLevel | undefined,
): bigint {
  const last = lastVersionWith(facts, least);
  if (last !== undefined || least === undefined) return last ?? facts.version;
  const level = formatTrust(least);
  throw new LedgerError("unavailable", `no version has trust level ${level} yet, and none below it is told`);
}

/** True for versions of a local chain or a fork. */
export function isMadeHere({ kind }: TrustLevel): boolean {
  return kind === "local" || kind === "forked";
}

/** Joins equal neighbours, and the oldest ones beyond the bound. */
function merged(ranges: readonly TrustRange[]): readonly TrustRange[] {
  const joined: TrustRange[] = [];
  for (const range of ranges) {
    const last = joined.at(-1);
    if (last === undefined || compareTrust(last.level, range.level) !== 0) joined.push(range);
  }
  while (joined.length > MAX_TRUST_RANGES) {
    const [a, b] = joined.splice(0, 2);
    if (a === undefined || b === undefined) break;
    joined.unshift({ first: a.first, level: weakestTrust(a.level, b.level) });
  }
  return joined;
}
