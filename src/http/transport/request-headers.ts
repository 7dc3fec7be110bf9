// Headers of a request.

/** The request headers that this room reads. */
export interface RequestHeaders {
  readonly host?: string | undefined;
  readonly accept?: string | undefined;
  readonly origin?: string | undefined;
  readonly "accept-encoding"?: string | undefined;
  readonly "content-encoding"?: string | undefined;
  readonly "content-length"?: string | undefined;
  readonly "content-type"?: string | undefined;
  readonly "if-none-match"?: string | undefined;
  readonly "last-event-id"?: string | undefined;
  readonly traceparent?: string | undefined;
  readonly "x-forwarded-for"?: string | string[] | undefined;
  readonly "x-request-id"?: string | string[] | undefined;
  readonly "access-control-request-headers"?: string | undefined;
  readonly "access-control-request-method"?: string | undefined;
}
