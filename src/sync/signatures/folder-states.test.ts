import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { writeFolder } from "../../../test/support/signed-history.ts";
import { createState, rangesOf } from "../../../test/support/state-service.ts";
import { temporaryFolder } from "../../../test/support/temporary.ts";
import { toHex } from "../../base/hex.ts";
import { encodeWith } from "../../bcs/codec.ts";
import { stateKeyHashOfBcs } from "../../ledger/formats/state-key.ts";
import { rightSiblingsCodec } from "./backup-service.ts";
import { LocalFiles } from "./folder-files.ts";
import { FolderStates } from "./folder-states.ts";
import { lengthRecord } from "./length-records.ts";
import type { StateRange } from "./source.ts";

const { signal } = new AbortController();

/** A folder with a state in chunks of some items. */
async function createFolder(count: number, chunkItems: number, lie: (manifest: string) => string = String) {
  const state = await createState(count);
  const honest = rangesOf(state.questions);
  const files = new Map<string, Uint8Array>();
  const json = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
  const chunks: object[] = [];
  for (let first = 0; first < count; first += chunkItems) {
    const { items, right } = await honest.stateRange(1n, BigInt(first), chunkItems, signal);
    const [blobs, proof] = [`s/${first}-.chunk`, `s/${first}.proof`];
    files.set(blobs, Buffer.concat(items.map(({ key, value }) => lengthRecord(Buffer.concat([key, value])))));
    files.set(proof, encodeWith(rightSiblingsCodec, [...right]));
    const [first_key, last_key] = [items[0], items.at(-1)].map((item) =>
      toHex(stateKeyHashOfBcs(item?.key ?? new Uint8Array())),
    );
    chunks.push({ first_idx: first, last_idx: first + items.length - 1, first_key, last_key, blobs, proof });
  }
  const manifest = { version: 1, epoch: 1, root_hash: toHex(state.root), chunks, proof: "s/state.proof" };
  files.set("s/state.manifest", Buffer.from(lie(JSON.stringify(manifest))));
  const metadata = { StateSnapshotBackup: { epoch: 1, version: 1, manifest: "s/state.manifest" } };
  files.set("metadata/state_snapshot_ver_1.meta", json(metadata));
  const root = temporaryFolder();
  writeFolder(root, files);
  return { honest, folder: new FolderStates("folder", new LocalFiles(pathToFileURL(root))) };
}

const textOf = ({ items, right }: StateRange): readonly string[] => [
  ...items.map(({ key, value }) => `${toHex(key)} ${toHex(value)}`),
  ...right.map((hash) => toHex(hash)),
];

describe("states of a folder", () => {
  it.each([
    [1, 1],
    [5, 2],
    [300, 7],
    [300, 1000],
    [900, 600],
  ])("have the ranges of a service: %i items in chunks of %i", async (count, chunkItems) => {
    const { honest, folder } = await createFolder(count, chunkItems);
    for (const limit of [1, 2, 5, 64, 1000]) {
      for (let start = 0; start <= count; start += Math.max(limit, 13)) {
        const asked = [1n, BigInt(start), limit, signal] as const;
        expect(textOf(await folder.stateRange(...asked))).toEqual(textOf(await honest.stateRange(...asked)));
      }
    }
  });

  it.each(["first_key", "last_key"])("are refused where the manifest has another %s", async (name) => {
    const { folder } = await createFolder(9, 3, (manifest) =>
      manifest.replace(new RegExp(`("${name}":)"[^"]*"`), `$1"${"0".repeat(64)}"`),
    );
    await expect(folder.stateRange(1n, 0n, 9, signal)).rejects.toThrow(
      "s/0-.chunk: its first or last item has another key hash than in s/state.manifest",
    );
  });

  it("are told by their versions", async () => {
    const { folder } = await createFolder(3, 2);
    expect(await folder.newestState(5n, signal)).toBe(1n);
    expect(await folder.newestState(0n, signal)).toBeUndefined();
    await expect(folder.stateRange(2n, 0n, 1, signal)).rejects.toThrow("no state at version 2");
  });
});
