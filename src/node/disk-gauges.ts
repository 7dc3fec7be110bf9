// Gauges of the disk that holds a data directory, so that an alert comes before the store is full.
import { statfsSync, statSync } from "node:fs";
import { join } from "node:path";
import type { GaugeSource } from "./metrics.ts";

/** Zero where the directory is missing, as before the first start. */
function zeroIfMissing(read: () => number): () => number {
  return () => {
    try {
      return read();
    } catch {
      return 0;
    }
  };
}

/** Space on the disk of a data directory, and what the store takes of it. */
export function diskGauges(path: string): GaugeSource[] {
  return [
    {
      name: "sextant_store_disk_free_bytes",
      help: "Bytes free for this user on the disk of the data directory",
      read: zeroIfMissing(() => {
        const { bavail, bsize } = statfsSync(path);
        return bavail * bsize;
      }),
    },
    {
      name: "sextant_store_disk_size_bytes",
      help: "Size of the disk of the data directory; 0 if the file system does not tell",
      read: zeroIfMissing(() => {
        const { blocks, bsize } = statfsSync(path);
        return blocks * bsize;
      }),
    },
    {
      name: "sextant_store_file_bytes",
      help: "Bytes that the store's file takes on the disk",
      // Its length may be more: the file may have holes. A block of stat is 512 bytes.
      read: zeroIfMissing(() => statSync(join(path, "data.mdb")).blocks * 512),
    },
  ];
}
