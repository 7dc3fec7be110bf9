// The two forms that programs exchange.

export const JSON_TYPE = "application/json";
export const BCS_TYPE = "application/x-bcs";
