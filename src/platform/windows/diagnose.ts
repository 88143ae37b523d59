import { wineVersion } from "../native/wine.ts";
import type { Finding, Overlay } from "../backend.ts";
import { failed, probeLeaks } from "../findings.ts";
import { integrityOf } from "./apps/elevation.ts";
import { listMonitors, screenBounds } from "./capture/monitors.ts";
import { captureScreen } from "./capture/window-picture.ts";
import { win32 } from "./win32.ts";

const highIntegrity = 0x3000;
const readObjects = 0x1;

/** What this Windows supports, probed live. Never throws. */
export async function diagnose(overlay: Pick<Overlay, "probe">): Promise<readonly Finding[]> {
  const probes: readonly [Finding["ability"], () => Finding][] = [
    ["connection", probeSession],
    ["screen", probePixels],
    ["screen", probeMonitors],
    ["screen", probeWindowPictures],
    ["pointer", probeInput],
  ];
  const findings = probes.map(([ability, probe]) => {
    try {
      return probe();
    } catch (error) {
      return failed(ability, error);
    }
  });
  return [...findings, await probeLeaks(overlay)];
}

function probeSession(): Finding {
  const api = win32();
  const wine = wineVersion();
  const { width, height } = screenBounds();
  const session = Buffer.alloc(4);
  api.sessionOf(process.pid, session);
  const desktop = api.inputDesktop(0, 0, readObjects);
  if (desktop !== 0) api.closeDesktop(desktop);
  const detail = `${wine === undefined ? "Windows" : `Wine ${wine} instead of Windows`}, session ${session.readUInt32LE()}, ${width}×${height}.`;
  if (wine === undefined && session.readUInt32LE() === 0) {
    return {
      ability: "connection",
      status: "missing",
      detail: `${detail} Session 0 is for services and has no desktop.`,
      fix: "Start handsight in the session of a person who has logged in.",
    };
  }
  if (wine === undefined && desktop === 0) {
    return {
      ability: "connection",
      status: "limited",
      detail: `${detail} The session is locked or showing a permission prompt (UAC).`,
      fix: "Unlock the session.",
    };
  }
  return { ability: "connection", status: "ok", detail };
}

function probePixels(): Finding {
  const { canvas } = captureScreen({ x: 0, y: 0, width: 1, height: 1 });
  canvas[Symbol.dispose]();
  return { ability: "screen", status: "ok", detail: "The screen can be captured (BitBlt)." };
}

function probeMonitors(): Finding {
  const list = listMonitors().map(
    ({ display }) => `${display.id} ${display.name} (${Math.round(display.scale * 100)} %)`,
  );
  return { ability: "screen", status: "ok", detail: `Displays: ${list.join(", ")}.` };
}

function probeWindowPictures(): Finding {
  const enabled = Buffer.alloc(4);
  const hasDwm = win32().hasDwm?.(enabled) === 0 && enabled.readUInt32LE() !== 0;
  if (hasDwm && wineVersion() === undefined) {
    return { ability: "screen", status: "ok", detail: "Covered windows can be captured (PrintWindow, DWM)." };
  }
  return {
    ability: "screen",
    status: "limited",
    detail:
      "Windows of other programs do not draw themselves here: a window can be captured only while no other covers it.",
    fix: "Bring the window to the front first.",
  };
}

function probeInput(): Finding {
  const level = integrityOf(process.pid);
  if (level !== undefined && level >= highIntegrity) {
    return {
      ability: "pointer",
      status: "ok",
      detail: "Input reaches every program: handsight runs as administrator.",
    };
  }
  return {
    ability: "pointer",
    status: "ok",
    detail:
      "Input is sent with SendInput. Programs running as administrator ignore it, because handsight is not running as administrator.",
  };
}
