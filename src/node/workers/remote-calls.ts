// Calls between two processes over their channel: each side calls functions of the other by name and gets the value, or
// the error in the form in which it is answered, because no class crosses a channel.
import { errorText } from "../../base/errors.ts";
import { type LATE, within } from "../../base/wait.ts";
import { AnsweredError, answerOf, type ErrorAnswer } from "../../http/error-answer.ts";

/** Functions of one side, by name. */
export type RemoteFunctions = Readonly<Record<string, (argument: never) => unknown>>;

type ArgumentOf<F> = F extends (argument: infer A) => unknown ? A : never;
type ValueOf<F> = F extends (argument: never) => infer V ? Awaited<V> : never;

type Message =
  /** Without an id, nobody waits for the reply. */
  | { readonly name: string; readonly argument: unknown; readonly id: number | undefined }
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly message: string; readonly fault: ErrorAnswer } };

/** An error of the other side. */
class RemoteError extends AnsweredError {
  constructor(message: string, fault: ErrorAnswer) {
    super(fault);
    this.message = message;
  }
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** One side of a channel. */
export class RemoteCalls<Theirs extends RemoteFunctions> {
  readonly #send: (message: object) => void;
  readonly #own: RemoteFunctions;
  readonly #waiting = new Map<number, Waiting>();
  #next = 0;

  constructor(send: (message: object) => void, own: RemoteFunctions) {
    this.#send = send;
    this.#own = own;
  }

  /** Takes a message of the other side. */
  readonly take = (message: unknown): void => {
    const taken = message as Message;
    if ("name" in taken) void this.#run(taken.name, taken.argument, taken.id);
    else {
      const waiting = this.#waiting.get(taken.id);
      this.#waiting.delete(taken.id);
      if ("value" in taken) waiting?.resolve(taken.value);
      else waiting?.reject(new RemoteError(taken.error.message, taken.error.fault));
    }
  };

  async #run(name: string, argument: unknown, id: number | undefined): Promise<void> {
    try {
      const value = await this.#own[name]?.(argument as never);
      if (id !== undefined) this.#send({ id, value } satisfies Message);
    } catch (error) {
      const sent = { message: errorText(error), fault: answerOf(error) };
      if (id !== undefined) this.#send({ id, error: sent } satisfies Message);
    }
  }

  /** Calls a function of the other side. Throws RemoteError, or what `end` was called with. */
  call<K extends keyof Theirs & string>(
    name: K,
    argument: ArgumentOf<Theirs[K]>,
  ): Promise<ValueOf<Theirs[K]>> {
    return this.#start(name, argument).reply as Promise<ValueOf<Theirs[K]>>;
  }

  /** As `call`, but LATE if no reply comes in time; one that comes later is dropped. */
  async callWithin<K extends keyof Theirs & string>(
    ms: number,
    name: K,
    argument: ArgumentOf<Theirs[K]>,
  ): Promise<ValueOf<Theirs[K]> | typeof LATE> {
    const { id, reply } = this.#start(name, argument);
    return within(ms, reply as Promise<ValueOf<Theirs[K]>>).finally(() => this.#waiting.delete(id));
  }

  #start(name: string, argument: unknown): { readonly id: number; readonly reply: Promise<unknown> } {
    const id = this.#next++;
    const reply = new Promise<unknown>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
    });
    this.#send({ name, argument, id } satisfies Message);
    return { id, reply };
  }

  /** Calls a function of the other side and waits for nothing. */
  tell<K extends keyof Theirs & string>(name: K, argument: ArgumentOf<Theirs[K]>): void {
    this.#send({ name, argument, id: undefined } satisfies Message);
  }

  /** Rejects the calls that wait: the channel is closed. */
  end(error: Error): void {
    for (const [id, { reject }] of this.#waiting) {
      this.#waiting.delete(id);
      reject(error);
    }
  }
}
