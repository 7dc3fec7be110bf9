// Why a backup service does not answer.
import { CodedError } from "../../base/errors.ts";

/**
 * `unknown_path`: no such question; `bad_request`: its numbers make no sense; `not_found`: not there yet; `not_kept`: not
 * kept here.
 */
export class BackupRefusal extends CodedError<"unknown_path" | "bad_request" | "not_found" | "not_kept"> {}
