import fc from "fast-check";
import { codecProperties } from "../../../test/support/codec-properties.ts";
import {
  anyAuxiliaryInfo,
  anyExecutionStatus,
  anyNewBlockEvent,
  anyPosition,
  anyRecord,
  anyTransaction,
  anyTransactionInfo,
  anyValidatorSet,
} from "../../../test/support/ledger-arbitraries.ts";
import { positionCodec } from "../position.ts";
import { newBlockEventCodec, newEpochEventCodec } from "./block-event.ts";
import { recordCodec } from "./record.ts";
import { transactionCodec } from "./transaction.ts";
import { auxiliaryInfoCodec, executionStatusCodec, transactionInfoCodec } from "./transaction-info.ts";
import { validatorSetCodec } from "./validator-set.ts";

codecProperties("execution status", executionStatusCodec, anyExecutionStatus);
codecProperties("transaction info", transactionInfoCodec, anyTransactionInfo);
codecProperties("auxiliary info", auxiliaryInfoCodec, anyAuxiliaryInfo);
codecProperties("transaction", transactionCodec, anyTransaction);
codecProperties("record", recordCodec, anyRecord);
codecProperties("new block event", newBlockEventCodec, anyNewBlockEvent);
codecProperties("new epoch event", newEpochEventCodec, fc.record({ epoch: fc.bigInt({ min: 0n, max: 9n }) }));
codecProperties("validator set", validatorSetCodec, anyValidatorSet);
codecProperties("position", positionCodec, anyPosition);
