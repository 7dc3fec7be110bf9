/** Appends items to a list. `push(...items)` puts every item on the stack, which overflows at about 120,000. */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
