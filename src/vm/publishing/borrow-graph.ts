// Which references borrow from which. An edge says that a reference points into what another one points to: along a path of
// fields, or, where it is weak, to that path or anything in it. Two edges of one reference with different first fields never
// meet. A reference that ends hands its edges on.

/** A field of a struct, a local, or a resource, by its number. */
export type Label = number;

interface Edge {
  /** False for a path of which only the beginning is known. */
  readonly isStrong: boolean;
  readonly path: readonly Label[];
}

interface Reference {
  readonly isMutable: boolean;
  /** What borrows from it. */
  readonly borrowedBy: Map<number, Edge[]>;
  /** What it borrows from. */
  readonly borrowsFrom: Set<number>;
}

function isPrefix(of: readonly Label[], path: readonly Label[]): boolean {
  return of.length <= path.length && of.every((label, i) => label === path[i]);
}

/** True if an edge says no more than another one. */
function isCovered(edge: Edge, by: Edge): boolean {
  if (by.isStrong && (!edge.isStrong || edge.path.length !== by.path.length)) return false;
  return isPrefix(by.path, edge.path);
}

export class BorrowGraph {
  readonly #references = new Map<number, Reference>();
  /** References and edges: what a step over the graph costs. */
  size = 0;

  add(id: number, isMutable: boolean): void {
    this.#references.set(id, { isMutable, borrowedBy: new Map(), borrowsFrom: new Set() });
    this.size++;
  }

  has(id: number): boolean {
    return this.#references.has(id);
  }

  isMutable(id: number): boolean {
    return this.#of(id).isMutable;
  }

  /**
   * True if something borrows from a reference as a whole, or from the field `label` of it; from any field if there is no
   * label, and from none if it is null. Only mutable references count where it is asked for.
   */
  isBorrowed(id: number, label: Label | undefined | null, onlyMutable = false): boolean {
    for (const [child, edges] of this.#of(id).borrowedBy) {
      if (onlyMutable && !this.isMutable(child)) continue;
      for (const { path } of edges)
        if (path.length === 0 || (label !== null && (label === undefined || path[0] === label))) return true;
    }
    return false;
  }

  /** The child points to the path or into it. */
  borrowWeakly(parent: number, path: readonly Label[], child: number): void {
    this.#addEdge(parent, { isStrong: false, path }, child);
  }

  /** The child points to the path. What borrowed from there borrows from the child now. */
  borrow(parent: number, path: readonly Label[], child: number): void {
    const from = this.#of(parent);
    const moved: [number, Edge][] = [];
    for (const [other, edges] of from.borrowedBy) {
      const kept = edges.filter((edge) => !isPrefix(path, edge.path));
      if (kept.length === edges.length) continue;
      for (const edge of edges) if (isPrefix(path, edge.path)) moved.push([other, edge]);
      this.size -= edges.length - kept.length;
      if (kept.length > 0) from.borrowedBy.set(other, kept);
      else {
        from.borrowedBy.delete(other);
        this.#of(other).borrowsFrom.delete(parent);
      }
    }
    for (const [other, edge] of moved)
      this.#addEdge(child, { isStrong: edge.isStrong, path: edge.path.slice(path.length) }, other);
    this.#addEdge(parent, { isStrong: true, path }, child);
  }

  /** Ends a reference: what borrowed from it borrows from what it borrowed from. */
  release(id: number): void {
    const { borrowedBy, borrowsFrom } = this.#of(id);
    for (const parent of borrowsFrom) {
      const above = this.#of(parent).borrowedBy;
      const edges = above.get(id) ?? [];
      above.delete(id);
      this.size -= edges.length;
      for (const [child, below] of borrowedBy) {
        if (child === parent) continue;
        for (const first of edges)
          for (const { isStrong, path } of below)
            this.#addEdge(
              parent,
              first.isStrong ? { isStrong, path: [...first.path, ...path] } : first,
              child,
            );
      }
    }
    for (const [child, edges] of borrowedBy) {
      this.size -= edges.length;
      this.#of(child).borrowsFrom.delete(id);
    }
    this.#references.delete(id);
    this.size--;
  }

  /** A graph of its own, whose references have the names that `name` gives them. */
  copy(name: (id: number) => number = (id) => id): BorrowGraph {
    const copy = new BorrowGraph();
    for (const [id, { isMutable }] of this.#references) copy.add(name(id), isMutable);
    for (const [id, { borrowedBy }] of this.#references)
      for (const [child, edges] of borrowedBy)
        for (const edge of edges) copy.#addEdge(name(id), edge, name(child));
    return copy;
  }

  /** Takes over the edges of another graph of the same references. True if it says more then. */
  join(other: BorrowGraph): boolean {
    let isChanged = false;
    for (const [id, { borrowedBy }] of other.#references) {
      for (const [child, edges] of borrowedBy) {
        const known = this.#of(id).borrowedBy.get(child) ?? [];
        for (const edge of edges) {
          if (known.some((one) => isCovered(edge, one))) continue;
          this.#addEdge(id, edge, child);
          isChanged = true;
        }
      }
    }
    return isChanged;
  }

  #of(id: number): Reference {
    const reference = this.#references.get(id);
    if (reference === undefined) throw new Error(`there is no reference ${id}`);
    return reference;
  }

  #addEdge(parent: number, edge: Edge, child: number): void {
    const { borrowedBy } = this.#of(parent);
    const edges = borrowedBy.get(child);
    const isKnown = edges?.some((one) => isCovered(edge, one) && isCovered(one, edge));
    if (isKnown === true) return;
    if (edges === undefined) borrowedBy.set(child, [edge]);
    else edges.push(edge);
    this.#of(child).borrowsFrom.add(parent);
    this.size++;
  }
}
