import { text as readAll } from "node:stream/consumers";
import { SelectionOwner } from "./serve.ts";
import { openConnection } from "../x11/open.ts";

/**
 * A separate program: offers the text from stdin as the clipboard until another app copies something or the X server
 * exits. Prints "ready" once it owns the clipboard.
 */
const text = await readAll(process.stdin);
const connection = await openConnection(process.env["DISPLAY"], { env: process.env });
connection.onClose(() => process.exit(0));
const owner = await SelectionOwner.own(connection, await connection.atom("CLIPBOARD"), text);
if (!owner) process.exit(1);
owner.onLost(() => process.exit(0));
// The connection alone does not keep a process alive.
setInterval(() => {}, 2 ** 30);
process.stdout.write("ready\n");
