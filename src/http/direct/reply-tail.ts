// The last header lines of every response: Date, which changes once a second, and Connection.

/** Builds the lines that node:http would add by itself. */
export class ReplyTail {
  readonly #keepAlive: string;
  #second = 0;
  #date = "";
  #staying = "";

  constructor(keepAliveTimeoutMs: number) {
    this.#keepAlive = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveTimeoutMs / 1000)}\r\n`;
  }

  lines(closes: boolean): string {
    const second = Math.floor(Date.now() / 1000);
    if (second !== this.#second) {
      this.#second = second;
      this.#date = `Date: ${new Date(second * 1000).toUTCString()}\r\n`;
      this.#staying = this.#date + this.#keepAlive;
    }
    return closes ? `${this.#date}Connection: close\r\n` : this.#staying;
  }
}
