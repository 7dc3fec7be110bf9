// Media types of requests and responses.

export const JSON_TYPE = "application/json";
export const BCS_TYPE = "application/x-bcs";
