import type { Finding, Overlay } from "../backend.ts";
import { failed, probeLeaks } from "../findings.ts";
import type { XDisplay } from "./display.ts";
import { listDisplays } from "./capture/monitors.ts";
import { shmPool, type ShmTier } from "./capture/transfer.ts";
import { onlyX11, wayOut } from "./wayland.ts";
import { findWindowManager } from "./windows/manager.ts";
import type { Connection } from "./x11/connection.ts";
import { findExtension } from "./x11/extensions.ts";

/** What the display supports, probed live. Never throws. */
export async function diagnose(display: XDisplay, overlay: Pick<Overlay, "probe">): Promise<readonly Finding[]> {
  let c: Connection;
  try {
    c = await display.connect();
  } catch (error) {
    return [failed("connection", error)];
  }
  const { vendor, release, width, height } = c.setup;
  const isPartial = await display.isPartial().catch(() => false);
  const detail = `Connected to display ${c.displayName}: ${vendor}, release ${release}, ${width}×${height}.`;
  const connected: Finding = isPartial
    ? { ability: "connection", status: "limited", detail: `${detail} ${onlyX11}`, fix: wayOut }
    : { ability: "connection", status: "ok", detail };
  const probes: readonly [Finding["ability"], (c: Connection) => Promise<Finding>][] = [
    ["screen", probePixels],
    ["screen", probeMonitors],
    ["screen", probeWindowPictures],
    ["screen", probeCursor],
    ["pointer", probeInput],
    ["windows", probeWindowManager],
  ];
  const findings = await Promise.all(
    probes.map(([ability, probe]) => probe(c).catch((error: unknown) => failed(ability, error))),
  );
  return [connected, ...(isPartial ? [noScreenPictures] : []), ...findings, await probeLeaks(overlay)];
}

const noScreenPictures: Finding = {
  ability: "screen",
  status: "limited",
  detail:
    "Windows of X11 programs can be captured; the screen as a whole and points on it without a window are refused.",
};

async function probePixels(c: Connection): Promise<Finding> {
  const { tier } = await shmPool(c);
  const how: Readonly<Record<ShmTier, string>> = {
    sysv: "Pixels come through SysV shared memory (MIT-SHM), without a copy.",
    fd: "Pixels come through shared memory passed by descriptor (MIT-SHM), without a copy.",
    socket: "Pixels are copied over the X connection, about five times slower than through shared memory.",
  };
  if (tier !== "socket") return { ability: "screen", status: "ok", detail: how[tier] };
  return {
    ability: "screen",
    status: "limited",
    detail: how.socket,
    fix: c.isLocal
      ? "Install koffi (an npm package), and an X server with the MIT-SHM extension."
      : "Run handsight on the same machine as the X server.",
  };
}

async function probeMonitors(c: Connection): Promise<Finding> {
  const [randr, displays] = await Promise.all([findExtension(c, "RANDR"), listDisplays(c)]);
  const list = displays.map(({ id, name }) => `${id} ${name}`).join(", ");
  if (randr) return { ability: "screen", status: "ok", detail: `Displays by RANDR: ${list}.` };
  return {
    ability: "screen",
    status: "limited",
    detail: "The X server has no RANDR extension: several monitors look like one.",
  };
}

async function probeWindowPictures(c: Connection): Promise<Finding> {
  const [composite, damage] = await Promise.all([findExtension(c, "Composite"), findExtension(c, "DAMAGE")]);
  if (composite && damage) {
    return { ability: "screen", status: "ok", detail: "Covered windows can be captured (Composite, DAMAGE)." };
  }
  if (composite) {
    return {
      ability: "screen",
      status: "limited",
      detail: "The X server has no DAMAGE extension: the first capture of a covered window takes longer.",
    };
  }
  return {
    ability: "screen",
    status: "limited",
    detail: "The X server has no Composite extension: a window can be captured only while no other covers it.",
    fix: "Start the X server with +extension Composite.",
  };
}

async function probeCursor(c: Connection): Promise<Finding> {
  if (await findExtension(c, "XFIXES")) {
    return { ability: "screen", status: "ok", detail: "The pointer can be drawn into captures (XFIXES)." };
  }
  return {
    ability: "screen",
    status: "limited",
    detail: "The X server has no XFIXES extension: captures lack the pointer.",
  };
}

async function probeInput(c: Connection): Promise<Finding> {
  if (await findExtension(c, "XTEST")) {
    return { ability: "pointer", status: "ok", detail: "Pointer and keyboard input can be sent (XTEST)." };
  }
  return {
    ability: "pointer",
    status: "missing",
    detail: "The X server has no XTEST extension: neither pointer nor keyboard input can be sent.",
    fix: "Start the X server with +extension XTEST.",
  };
}

async function probeWindowManager(c: Connection): Promise<Finding> {
  const manager = await findWindowManager(c);
  if (manager) return { ability: "windows", status: "ok", detail: `The window manager is ${manager.name}.` };
  return {
    ability: "windows",
    status: "limited",
    detail: "No window manager runs: windows cannot be minimised or maximised, and have no title bars.",
    fix: "Start one, for example openbox.",
  };
}
