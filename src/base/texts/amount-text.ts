// Amounts as texts.

/** An amount with its decimal point, every digit behind it included. */
export function formatAmount(amount: bigint, decimals: number): string {
  if (decimals === 0) return `${amount}`;
  const digits = `${amount}`.padStart(decimals + 1, "0");
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
