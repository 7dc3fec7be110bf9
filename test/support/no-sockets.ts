// Enforces the rule of the unit tier: no sockets.
import { Server, Socket } from "node:net";

function refuse(): never {
  throw new Error("a unit test opens no socket: move it to test/http (see CONTRIBUTING.md)");
}

Server.prototype.listen = refuse;
Socket.prototype.connect = refuse;
