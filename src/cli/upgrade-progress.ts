// Shows on a terminal how far the upgrade of an older store came. Elsewhere the log has a line every few seconds.
import type { NodeOptions } from "../node.ts";
import { canRewrite, type Progress, startProgress } from "./progress.ts";

const LABELS = { backup: "backup bytes", upgrade: "upgraded rows" } as const;

export function upgradeProgress(stream: NodeJS.WriteStream = process.stderr): NodeOptions["onUpgrade"] {
  if (!canRewrite(stream)) return undefined;
  let shown: { readonly step: string; readonly progress: Progress } | undefined;
  return (step, done, total) => {
    if (shown?.step !== step) shown = { step, progress: startProgress(LABELS[step], total, stream) };
    shown.progress.update(done);
    if (done === total) {
      shown.progress.finish();
      shown = undefined;
    }
  };
}
