import { codecProperties } from "../../../test/support/codec-properties.ts";
import {
  anyContractEvent,
  anyStateKey,
  anyStateMetadata,
  anyStateValue,
  anyWriteOp,
  anyWriteSet,
} from "../../../test/support/ledger-arbitraries.ts";
import { contractEventCodec } from "./block-event.ts";
import { stateKeyCodec } from "./state-key.ts";
import { stateMetadataCodec, stateValueCodec } from "./state-value.ts";
import { writeOpCodec, writeSetCodec } from "./write-set.ts";

codecProperties("state key", stateKeyCodec, anyStateKey);
codecProperties("state metadata", stateMetadataCodec, anyStateMetadata);
codecProperties("state value", stateValueCodec, anyStateValue);
codecProperties("write op", writeOpCodec, anyWriteOp);
codecProperties("write set", writeSetCodec, anyWriteSet);
codecProperties("contract event", contractEventCodec, anyContractEvent);
