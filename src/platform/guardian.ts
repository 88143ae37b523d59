import { spawn, type ChildProcess } from "node:child_process";
import { extname } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * A small companion process. It knows when something is being pressed, and releases everything if this process dies
 * meanwhile: a desktop keeps a key down after whoever pressed it was killed. It also watches for the keys of the emergency
 * stop, so they work even while this process is busy. Started by the first press.
 */
export class Guardian implements Disposable {
  readonly #program: URL;
  readonly #env: NodeJS.ProcessEnv;
  readonly #stopKeys: string;
  readonly #held = new Set<string>();
  #child: ChildProcess | undefined;

  /** The program reads "held" and "free" from its standard input until that ends, and gets the stop keys as its argument. */
  constructor(program: URL, env: NodeJS.ProcessEnv, stopKeys: string) {
    this.#program = program;
    this.#env = env;
    this.#stopKeys = stopKeys;
  }

  /** Call before something is pressed. */
  begin(what: string): void {
    this.#child ??= this.#start();
    this.#held.add(what);
    if (this.#held.size === 1) this.#tell("held\n");
  }

  end(what: string): void {
    if (this.#held.delete(what) && this.#held.size === 0) this.#tell("free\n");
  }

  #tell(line: string): void {
    this.#child?.stdin?.write(line);
  }

  #start(): ChildProcess | undefined {
    const own = fileURLToPath(import.meta.url);
    // Node 20 cannot run TypeScript, so there is no guardian when running from source.
    if (extname(own) !== ".js") return undefined;
    // In its own process group, so that killing the group of this process leaves it alive.
    const child = spawn(process.execPath, [fileURLToPath(this.#program), this.#stopKeys], {
      env: this.#env,
      cwd: "/",
      detached: true,
      windowsHide: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.on("error", () => {});
    child.once("exit", () => {
      this.#child = undefined;
      this.#held.clear();
    });
    child.stdin?.on("error", () => {});
    child.unref();
    (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
    return child;
  }

  [Symbol.dispose](): void {
    this.#child?.stdin?.end();
  }
}
