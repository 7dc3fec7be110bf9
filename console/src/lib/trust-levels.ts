// What each trust level means, in the words of docs/trust.md.

export interface TrustMeaning {
  readonly checked: string;
  readonly attacker: string;
}

const MEANINGS: Readonly<Record<string, TrustMeaning>> = {
  proven: {
    checked: "Validators' signatures over this state were checked, from a waypoint on.",
    attacker: "the place where you got the waypoint, or enough validators to sign a false state",
  },
  anchored: {
    checked:
      "Everything follows by hash from genesis and lies at or below a waypoint that this node recomputed.",
    attacker: "the place where you got the waypoint, or SHA3-256",
  },
  chained: {
    checked: "Everything follows by hash from a genesis that matched its waypoint.",
    attacker: "every upstream in use, to invent a whole history from some block on",
  },
  agreed: {
    checked: "Several upstreams gave the same bytes.",
    attacker: "as many upstreams as had to agree, or the network path to them",
  },
  trusted: {
    checked: "One upstream's response is well-formed and belongs to the right chain.",
    attacker: "that upstream, or the network path to it",
  },
  local: { checked: "This node makes the blocks itself.", attacker: "this machine" },
  forked: {
    checked: "Local blocks on top of a network's state: what is read here never happened on that network.",
    attacker: "this machine, or the upstream of the fork",
  },
};

/** The meaning of a level such as `agreed 2/3`. */
export function trustMeaning(level: string): TrustMeaning | undefined {
  return MEANINGS[level.split(" ")[0] ?? ""];
}
