import type { Session, Wire } from "../../src/platform/cdp/wire.ts";

/** The browser's only page, over a connection that handsight does not share. */
export async function attach(wire: Wire): Promise<Session> {
  const { targetInfos } = await wire.root.send("Target.getTargets", {});
  const targetId = targetInfos.find(({ type }) => type === "page")?.targetId ?? "";
  const { sessionId } = await wire.root.send("Target.attachToTarget", { targetId, flatten: true });
  return wire.session(sessionId);
}
