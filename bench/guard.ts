import { spawn } from "node:child_process";
import { join } from "node:path";
import { poll } from "../src/base/async.ts";
import { openBackend } from "../src/platform/open.ts";
import { toRules } from "../src/policy/rules.ts";
import { findBlocked } from "../src/policy/windows.ts";
import { guardBackend } from "../src/surface/guard/guard.ts";
import type { GuardedBackend } from "../src/surface/guard/guarded.ts";
import type { Group } from "./group.ts";
import { figure, now, race, type Row, type Runner } from "./measure.ts";
import { root } from "./paths.ts";
import { atMost, type Table } from "./report.ts";
import { dress, openDesktop, screenSize } from "./scene.ts";

const freeMs = 1;
const maskedMs = 30;

/** What it costs that a picture of the screen shows no password field and no blocked window. */
export const guard: Group = async ({ rounds, tell }) => {
  await using desktop = await openDesktop();
  await dress(desktop);
  await using bare = await openBackend({ env: desktop.env });
  const rules = toRules({}, { roots: [] });
  await using guarded = guardBackend(await openBackend({ env: desktop.env }), {
    findBlocked: (windows) => findBlocked(windows, rules),
    masksFields: true,
    holdsSecret: undefined,
  });
  const measure = async (what: string, limitMs: number): Promise<Table> => {
    tell(what);
    const rows = await race(
      [runner("the picture alone", () => take(bare)), runner("with the guard", () => take(guarded))],
      rounds * 4,
    );
    const [alone, both] = rows.map(({ p50 }) => p50 ?? 0);
    const added: Row = figure("what the guard adds", Math.max(0, (both ?? 0) - (alone ?? 0)), "ms");
    return {
      title: `Privacy of a picture ${screenSize.width}×${screenSize.height}, ${what}`,
      rows: [...rows, added],
      verdicts: [atMost(added, limitMs)],
    };
  };
  const free = await measure("three apps, nothing to hide", freeMs);
  const login = spawn("/usr/bin/python3", [join(root, "test", "fixtures", "gtk3_login.py")], {
    env: { ...desktop.env, PYTHONDONTWRITEBYTECODE: "1" },
    stdio: "ignore",
  });
  try {
    const isMasked = async () => ((await take(guarded)) > 0 ? true : undefined);
    if (!(await poll(isMasked, { timeoutMs: 20_000, everyMs: 100 }))) throw new Error("no password field was found");
    return [free, await measure("and a password field", maskedMs)];
  } finally {
    login.kill("SIGKILL");
  }
};

async function take(backend: GuardedBackend): Promise<number> {
  using capture = await backend.screen?.capture({ kind: "screen" });
  return capture?.masked ?? 0;
}

function runner(name: string, work: () => Promise<unknown>): Runner {
  return {
    name,
    kind: "ours",
    async run() {
      const started = now();
      await work();
      return { ms: now() - started };
    },
  };
}
