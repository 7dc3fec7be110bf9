// Readers of server-sent events: one that shows every byte's meaning, for tests of the format, over fetch.

/** One event, or one block of comments. */
export interface SentEvent {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: Readonly<Record<string, string>> | undefined;
  readonly comment: string | undefined;
  readonly retry: string | undefined;
}

/** The version that the id of an event names. */
export function versionOf(id: string | undefined): string | undefined {
  return id?.split("-")[0];
}

/** Parses one block of lines. */
function parseBlock(block: string): SentEvent {
  const fields: Record<string, string> = {};
  for (const line of block.split("\n")) {
    const colon = line.indexOf(":");
    if (colon < 0) throw new Error(`no colon in ${JSON.stringify(line)}`);
    fields[colon === 0 ? "comment" : line.slice(0, colon)] = line.slice(colon + 1).trim();
  }
  const { id, event, data, comment, retry } = fields;
  return {
    id,
    event,
    data: data === undefined ? undefined : (JSON.parse(data) as Record<string, string>),
    comment,
    retry,
  };
}

/** An open stream. */
export class EventReader {
  /** Everything that came, in order. */
  readonly blocks: SentEvent[] = [];
  /** The response has ended or was broken off. */
  isOver = false;
  readonly response: Response;
  readonly #stop: AbortController;

  constructor(response: Response, stop: AbortController) {
    this.response = response;
    this.#stop = stop;
    void this.#read();
  }

  static async open(url: string, headers: Readonly<Record<string, string>> = {}): Promise<EventReader> {
    const stop = new AbortController();
    return new EventReader(await fetch(url, { headers, signal: stop.signal }), stop);
  }

  /** Events with data. */
  get events(): (SentEvent & { readonly data: Readonly<Record<string, string>> })[] {
    return this.blocks.flatMap((block) => (block.data === undefined ? [] : [{ ...block, data: block.data }]));
  }

  /** Data of all events. */
  get data(): Readonly<Record<string, string>>[] {
    return this.events.map(({ data }) => data);
  }

  close(): void {
    this.#stop.abort();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    try {
      for await (const chunk of this.response.body ?? []) {
        const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
        rest = blocks.pop() ?? "";
        this.blocks.push(...blocks.map(parseBlock));
      }
    } catch {
      // Broken off, by this end or the other.
    }
    this.isOver = true;
  }
}
