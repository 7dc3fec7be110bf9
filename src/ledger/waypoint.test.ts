import { describe, expect, it } from "vitest";
import { hasShared, sharedBytes } from "../../test/support/shared.ts";
import { parseAddress } from "../move/address.ts";
import { LedgerError } from "./errors.ts";
import { findNewBlock, findNewEpoch } from "./formats/block-event.ts";
import { findWrittenData } from "./formats/genesis.ts";
import { decodePage } from "./formats/record.ts";
import {
  decodeVoters,
  VALIDATOR_SET_KEY_HASH,
  type ValidatorInfo,
  votersOf,
} from "./formats/validator-set.ts";
import { computeWaypoint, formatWaypoint, parseWaypoint } from "./waypoint.ts";

const HEX = "0123456789abcdef".repeat(4);

describe("waypoint text", () => {
  it("is a version and a hash", () => {
    expect(formatWaypoint(parseWaypoint(`0:${HEX}`))).toBe(`0:${HEX}`);
    expect(formatWaypoint(parseWaypoint(` 18446744073709551615:${HEX.toUpperCase()}\n`))).toBe(
      `18446744073709551615:${HEX}`,
    );
  });

  it.each([
    "",
    ":",
    HEX,
    `:${HEX}`,
    `1${HEX}`,
    `-1:${HEX}`,
    `1 :${HEX}`,
    `0x1:${HEX}`,
    `1:${HEX}0`,
    `1:${HEX}00`,
    `1:${HEX.slice(1)}`,
    `1:${HEX.slice(2)}`,
    `1:${HEX.slice(1)}g`,
    `1:2:${HEX}`,
    `18446744073709551616:${HEX}`,
    `${"1".repeat(1000)}:${HEX}`,
  ])("is not %j", (text) => {
    expect(() => parseWaypoint(text)).toThrow(LedgerError);
  });
});

describe("voters", () => {
  it("are the active and the leaving validators, by index", () => {
    const validator = (index: bigint): ValidatorInfo => ({
      address: parseAddress("0x1"),
      votingPower: 1n,
      consensusKey: new Uint8Array(48),
      networkAddresses: new Uint8Array(0),
      fullnodeAddresses: new Uint8Array(0),
      index,
    });
    const voters = votersOf({
      consensusScheme: 0,
      active: [validator(2n), validator(0n)],
      pendingInactive: [validator(1n)],
      pendingActive: [validator(3n)],
      totalVotingPower: 0n,
      totalJoiningPower: 0n,
    });
    expect(voters).toEqual([validator(0n), validator(1n), validator(2n)]);
  });
});

describe.skipIf(!hasShared)("waypoint of an epoch's last version", () => {
  it("is computed from the record", () => {
    const record = decodePage(sharedBytes("vectors/testnet-pages/testnet-start1-limit3.page.bcs"))[0]!;
    const block = record.events.map(findNewBlock).find((event) => event !== undefined)!;
    const next = record.events.map(findNewEpoch).find((event) => event !== undefined)!;
    const waypoint = computeWaypoint({
      epoch: block.epoch,
      accumulatorRoot: record.accumulatorRoot,
      version: record.version,
      timestampUsec: block.timestampUsec,
      nextEpoch: {
        epoch: next.epoch,
        voters: decodeVoters(findWrittenData(record.writes, VALIDATOR_SET_KEY_HASH)!),
      },
    });
    expect(formatWaypoint(waypoint)).toBe(
      "1:e40c6162456b27dd0ecf5ee5856bb48e702cff25718f570e07c4e392f84bd9ce",
    );
  });
});
