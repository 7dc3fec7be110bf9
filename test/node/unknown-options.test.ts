// A mistyped option must not be ignored: the node would do something else than it was told.
import { describe, expect, it } from "vitest";
import { createNode, type NodeOptions } from "../../src/node.ts";

/** Options as JavaScript may give them. */
const createWith = (options: object) => createNode(options as NodeOptions);

describe("an option that no node has", () => {
  it.each([
    [{ locaChain: {} }, "locaChain: there is no such option (did you mean localChain?)"],
    [{ upstreams: ["http://127.0.0.1:1"] }, "upstreams: there is no such option"],
    [{ localChain: { sed: "a" } }, "localChain.sed: there is no such option (did you mean localChain.seed?)"],
    [
      { follow: { upstreams: ["http://127.0.0.1:1"], verifingProcess: false } },
      "follow.verifingProcess: there is no such option (did you mean follow.verifyingProcess?)",
    ],
    [{ http: { prot: 0 } }, "http.prot: there is no such option (did you mean http.port?)"],
    [{ http: { limits: { depth: 1 } } }, "http.limits: there is no such option"],
    [{ fork: { link: "http://127.0.0.1:1" } }, "fork.link: there is no such option"],
    [
      { accounts: [{ adress: "0x1" }] },
      "accounts[0].adress: there is no such option (did you mean accounts[0].address?)",
    ],
    [{ store: { engine: "memory", path: "data" } }, "store.path: there is no such option"],
    [{ store: { engine: "lmdb", pth: "" } }, "store.pth: there is no such option (did you mean store.path?)"],
    [
      { store: { engine: "cassandra", url: "cassandra://127.0.0.1:1/k", tls: { ca: "ca.pem" } } },
      "store.tls.ca: there is no such option",
    ],
    [
      { store: { engine: "cassandra", url: "cassandra://127.0.0.1:1/k", tls: "ca.pem" } },
      "store.tls: expected an object, got a value of type string",
    ],
  ])("is refused by its name: %j", async (options, message) => {
    await expect(createWith(options)).rejects.toThrow(message);
  });

  it("does not count while it is undefined", async () => {
    const node = await createWith({ later: undefined, localChain: { later: undefined } });
    await node.close();
  });
});
