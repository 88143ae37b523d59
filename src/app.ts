import { tmpdir } from "node:os";
import { join } from "node:path";
import { AllTurns } from "./base/all-turns.ts";
import { callerFolder } from "./base/caller-folder.ts";
import { Lock } from "./base/async.ts";
import { ToolError } from "./base/errors.ts";
import { anthropicStandard } from "./base/picture-prices/anthropic-2026-11.ts";
import { openLog, type Log } from "./base/log.ts";
import { claimPlace } from "./base/own-places.ts";
import { PrivatePorts } from "./base/private-ports.ts";
import { sharedPlace } from "./base/runtime.ts";
import type { Turns } from "./base/turns.ts";
import { agentSettings } from "./config/agent.ts";
import type { Config } from "./config/options.ts";
import { findPlaces } from "./config/places.ts";
import { openJournal } from "./journal/open.ts";
import { loadSecrets, Secrets } from "./journal/secrets.ts";
import type { Backend } from "./platform/backend.ts";
import type { Page } from "./platform/browser.ts";
import type { Device, Devices } from "./platform/devices.ts";
import { displayOf, openBackend, openBrowsers, openDevices, systemName } from "./platform/open.ts";
import { loadRules } from "./policy/rule-file.ts";
import type { Rules } from "./policy/rules.ts";
import { findBlocked } from "./policy/windows.ts";
import { WrittenFiles } from "./policy/written-files.ts";
import { guardDevice } from "./surface/guard/device.ts";
import { guardBackend, guardPage, type Privacy } from "./surface/guard/guard.ts";
import { PixelPool } from "./surface/pixel-pool.ts";
import type { RefStyle } from "./surface/snapshot.ts";
import { Surface, type Senses } from "./surface/surface.ts";
import { Surfaces } from "./surface/surfaces.ts";
import { Gate } from "./tools/permission/gate.ts";
import { ruleAgainstFrame } from "./surface/guard/addresses.ts";
import { guardBrowsers, type GuardedBrowsers } from "./surface/guard/browsers.ts";
import { blockedApps, permitApps } from "./surface/guard/apps.ts";
import { Demonstrations } from "./tools/flows/demonstrations.ts";
import { HoverTracker } from "./tools/observe/hover-session.ts";
import { OverlayKeeper } from "./tools/observe/overlay-session.ts";
import { Watches } from "./tools/observe/watch-session.ts";
import { Recorder } from "./tools/observe/recorder.ts";
import { selectTools, showingOf } from "./tools/registry.ts";
import type { Describer, Session } from "./tools/session.ts";
import type { AnyTool } from "./tools/tool.ts";
import { decodePicture, enlarge } from "./vision/decode.ts";
import { Encoder } from "./vision/encode.ts";
import { ImageFinder } from "./vision/find-image/finder.ts";
import { ImageStore } from "./vision/image-store.ts";
import type { TextReader, TextReaderOptions } from "./vision/ocr/reader.ts";

export interface SessionOverrides {
  /** Use this backend instead of the machine's. */
  readonly backend?: Backend;
  /** The environment that names the display and that apps and browsers start in; default: the process's own. */
  readonly env?: NodeJS.ProcessEnv;
  readonly tools?: readonly AnyTool[];
  /**
   * Another process continues where this one ends, such as the next command: clipboard contents and started browsers
   * stay, and devices stay connected.
   */
  readonly handsOver?: boolean;
  /** What was put on the clipboard of a person's desktop stays when the session ends; default: if another takes over. */
  readonly keepsClipboard?: boolean;
}

/** The only wiring. Opens nothing: the display, the desktop and the run folder wait for the first call. */
export function openSession(config: Config, overrides: SessionOverrides = {}): Session {
  const isDevtools = config.tools.some((name) => name.trim().toLowerCase() === "devtools");
  const secrets = config.secrets === undefined ? new Secrets() : loadSecrets(config.secrets);
  const gate = new Gate(openRules(config, overrides.env));
  if (config.desktop === "real") gate.personsDisplay = displayOf(overrides.env ?? process.env);
  for (const place of [config.runsDir, config.browserDir, config.secrets, config.logFile, config.rules, ownConfig()]) {
    if (place !== undefined) claimPlace(place);
  }
  const scrub = (line: string) => secrets.conceal(line);
  const log = openLog({ level: config.logLevel, file: config.logFile, scrub });
  const journal = openJournal({
    folder: config.runsDir,
    enabled: config.journal && gate.rules.logAllActions,
    keepDays: config.runsKeepDays,
    keepBytes: config.runsKeepMb * 1_000_000,
    log,
  });
  const turns = overrides.backend ? undefined : openTurns(config, overrides.env ?? process.env);
  const finder = new ImageFinder(enlarge);
  const recorder = new Recorder(log);
  const hover = new HoverTracker(log);
  const overlay = new OverlayKeeper(log, config.overlay);
  const demonstrations = new Demonstrations();
  const watches = new Watches(log);
  const text = new LazyReader({ log, weights: config.ocrWeights });
  const senses = {
    encoder: new Encoder({ jpeg: fastJpeg, deflate: fastDeflate }),
    reader: () => text.get(),
    pool: new PixelPool(),
  };
  const privacy = privacyOf(gate, secrets);
  const desktop = new DesktopSlot(
    () =>
      openDesktop(config, overrides, { senses, log, privacy, stopKeys: gate.rules.stopKeys, refs: refsOf(isDevtools) }),
    log,
  );
  const privatePorts = new PrivatePorts();
  const pages = new Surfaces<GuardedBrowsers, Page>({
    senses,
    refs: { prefix: "d", areLasting: true },
    guard: (backend) => guardPage(backend, privacy),
    open: async () =>
      guardBrowsers(
        await openBrowsers({
          decode: decodePicture,
          profiles: config.browserDir,
          env: async () =>
            config.desktop === "virtual" && !overrides.backend ? desktop.env() : (overrides.env ?? process.env),
          keepRunning: overrides.handsOver ?? false,
          ports: privatePorts,
          ruleAgainstFrame: ruleAgainstFrame({ ...gate.rules, ports: privatePorts }),
        }),
        gate.rules,
        privatePorts,
      ),
    find: (browsers, id) => browsers.page(id, {}),
    has: (browsers, id) => browsers.target({ id }) !== undefined,
  });
  const phones = new Surfaces<Devices, Device>({
    senses,
    refs: { prefix: "n" },
    guard: (backend) => guardDevice(backend, { ...privacy, findBlocked: blockedApps(gate.rules) }),
    open: () =>
      openDevices({
        decode: decodePicture,
        env: overrides.env ?? process.env,
        memory: overrides.handsOver ? join(sharedPlace(), "android") : undefined,
        permit: permitApps(gate.rules),
      }),
    find: async (devices, id) => devices.device(id.slice("android:".length)),
    has: (devices, id) => devices.find(id.slice("android:".length)) !== undefined,
  });
  const opened = () => [...desktop.opened(), ...pages.opened(), ...phones.opened()];
  const session: Session = {
    tools: overrides.tools ?? selectTools(config.tools),
    showing: showingOf(config.tools),
    gate,
    secrets,
    limits: limitsOf(config),
    answers: config.answers,
    isDevtools,
    system: systemName(),
    isPrivateDesktop: config.desktop === "virtual" && !overrides.backend,
    privatePorts,
    lock: new Lock(),
    turns: turns && ((surface) => turns.of(surface)),
    journal,
    log,
    images: new ImageStore(),
    written: new WrittenFiles(gate.rules.files.overwrite),
    finder,
    recorder,
    hover,
    overlay,
    demonstrations,
    watches,
    async surface(id) {
      if (id === "desktop") return desktop.get();
      if (id.startsWith("page:")) return pages.get(id);
      if (id.startsWith("android:")) return phones.get(id);
      throw new ToolError("not_found", `There is no surface "${id}".`, {
        hint: 'Use "desktop", a page of cdp_list_pages such as "page:1", or a connected device such as "android:emulator-5554".',
      });
    },
    browsers: () => pages.owner(),
    devices: () => phones.owner(),
    describer: () => openDescriber(config),
    async pursue(request) {
      const { pursue } = await import("./agent/pursue.ts");
      return pursue(session, agentSettings(config), request);
    },
    async runSteps(request) {
      const { runSteps } = await import("./flows/run-steps.ts");
      return runSteps(session, request);
    },
    async demonstrate(request) {
      const { demonstrate } = await import("./flows/record/demonstrate.ts");
      return demonstrate(request);
    },
    async saveFlow(name) {
      const { saveEntries } = await import("./flows/save/save-run.ts");
      const isPrivate = session.isPrivateDesktop === true;
      return saveEntries(journal.entries(), (artifact) => journal.readArtifact(artifact), { name, isPrivate });
    },
    async runFlow(request) {
      const { runFlow } = await import("./flows/flow-calls.ts");
      return runFlow(session, request);
    },
    async checkFlow(file, vars, needRead) {
      const { checkFlow } = await import("./flows/flow-calls.ts");
      return checkFlow(file, vars, needRead);
    },
    openSurfaces: opened,
    async readFrame(id) {
      return opened()
        .find(({ frames }) => frames.has(id))
        ?.encodeFull(id);
    },
    async [Symbol.asyncDispose]() {
      gate.questions[Symbol.dispose]();
      await recorder[Symbol.asyncDispose]();
      await hover[Symbol.asyncDispose]();
      await overlay[Symbol.asyncDispose]();
      await demonstrations[Symbol.asyncDispose]();
      await watches[Symbol.asyncDispose]();
      await finder[Symbol.asyncDispose]();
      await pages[Symbol.asyncDispose]();
      await phones[Symbol.asyncDispose]();
      await desktop[Symbol.asyncDispose]();
      await text[Symbol.asyncDispose]();
      await journal[Symbol.asyncDispose]();
      turns?.[Symbol.dispose]();
    },
  };
  return session;
}

/** The same session for a command that has limits and a model of its own; everything else is as it was opened. */
export function withSettings(session: Session, config: Config, env: NodeJS.ProcessEnv): Session {
  const own: Session = {
    ...session,
    limits: limitsOf(config),
    describer: () => openDescriber(config, env),
    async pursue(request) {
      const { pursue } = await import("./agent/pursue.ts");
      return pursue(own, { ...agentSettings(config), env }, request);
    },
    async runSteps(request) {
      const { runSteps } = await import("./flows/run-steps.ts");
      return runSteps(own, request);
    },
    async runFlow(request) {
      const { runFlow } = await import("./flows/flow-calls.ts");
      return runFlow(own, request);
    },
  };
  return own;
}

const limitsOf = ({ maxSide, maxImageBytes, settleMs, ocr }: Config): Session["limits"] => ({
  maxSide: maxSide ?? anthropicStandard.maxSide,
  isEconomic: maxSide === undefined,
  maxImageBytes,
  settleMs,
  includeOcr: ocr,
});

/** Loads the model when the first description is needed; a missing key is reported then. */
async function openDescriber(config: Config, env = process.env): Promise<Describer | undefined> {
  if (config.model === undefined || config.model === "rules") return undefined;
  const { openModel } = await import("./agent/models/open.ts");
  const model = openModel(config.model, {
    url: config.modelUrl,
    key: config.modelKey,
    sees: config.modelSees,
    coordinates: config.modelCoordinates,
    env,
  });
  const describe = model.describe?.bind(model);
  return describe && { name: model.name, limits: model.limits, describe };
}

/** Shared by everyone who uses the same desktop, device or page. */
function openTurns(
  { desktop }: Config,
  env: NodeJS.ProcessEnv,
): Disposable & { readonly of: (surface: string) => Turns } {
  const own = desktop === "virtual" ? `private-${process.pid}` : `display-${displayOf(env) ?? "none"}`;
  const all = new AllTurns(() => join(sharedPlace(), "turns"));
  return {
    of(surface) {
      const what = surface.startsWith("android:") ? "The device" : surface.startsWith("page:") ? "The page" : undefined;
      return all.of((what ? surface : own).replaceAll(/[^\w.-]/g, "_"), what);
    },
    [Symbol.dispose]: () => all[Symbol.dispose](),
  };
}

const ownConfig = (env: NodeJS.ProcessEnv = process.env): string => join(findPlaces(env).config, "handsight");

/** The rules this configuration names, with `--policy` on top. */
export function openRules({ rules, policy }: Config, env: NodeJS.ProcessEnv = process.env): Rules {
  const standard = join(ownConfig(env), "policy.json");
  const roots = [callerFolder(), tmpdir()];
  return loadRules({ file: rules ?? standard, isNamed: rules !== undefined, mode: policy, roots });
}

/** Loads the text reader only when text in a picture is first read. */
class LazyReader implements AsyncDisposable {
  readonly #options: TextReaderOptions;
  #reader: Promise<TextReader> | undefined;

  constructor(options: TextReaderOptions) {
    this.#options = options;
  }

  get(): Promise<TextReader> {
    return (this.#reader ??= import("./vision/ocr/reader.ts").then(({ openTextReader }) =>
      openTextReader(this.#options),
    ));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#reader)?.[Symbol.asyncDispose]();
  }
}

interface OpenDesktop extends AsyncDisposable {
  readonly surface: Surface;
  /** The environment that names the display. */
  readonly env: NodeJS.ProcessEnv;
  /** Resolves with the reason when the desktop went away unexpectedly. */
  readonly lost: Promise<string> | undefined;
}

/** One desktop, opened on first use and reopened after it was lost. */
class DesktopSlot implements AsyncDisposable {
  readonly #open: () => Promise<OpenDesktop>;
  readonly #log: Log;
  #current: Promise<OpenDesktop> | undefined;
  #surface: Surface | undefined;

  constructor(open: () => Promise<OpenDesktop>, log: Log) {
    this.#open = open;
    this.#log = log;
  }

  async get(): Promise<Surface> {
    this.#current ??= this.#start();
    return (await this.#current).surface;
  }

  async env(): Promise<NodeJS.ProcessEnv> {
    await this.get();
    return (await this.#current)?.env ?? process.env;
  }

  opened(): readonly Surface[] {
    return this.#surface ? [this.#surface] : [];
  }

  async #start(): Promise<OpenDesktop> {
    try {
      const desktop = await this.#open();
      this.#surface = desktop.surface;
      void desktop.lost?.then((reason) => this.#drop(desktop, reason));
      return desktop;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  async #drop(desktop: OpenDesktop, reason: string): Promise<void> {
    if (this.#surface !== desktop.surface) return;
    this.#log.warn(`the private desktop was lost (${reason}); the next call opens a new one`);
    this.#current = undefined;
    this.#surface = undefined;
    await desktop[Symbol.asyncDispose]();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    this.#surface = undefined;
    const desktop = await current?.catch(() => undefined);
    await desktop?.[Symbol.asyncDispose]();
  }
}

interface DesktopParts {
  readonly senses: Senses;
  readonly log: Log;
  readonly privacy: Privacy;
  readonly stopKeys: string;
  readonly refs: RefStyle;
}

/** That surface promises that every snapshot makes the refs of the one before expire. */
const refsOf = (isDevtools: boolean): RefStyle => ({ prefix: "a", areKept: !isDevtools });

function privacyOf(gate: Gate, secrets: Secrets): Privacy {
  return {
    findBlocked: (windows) => findBlocked(windows, gate.rules),
    inputLimits: () => gate.inputLimits(),
    masksFields: gate.rules.maskPasswordFields,
    // A flow may bring secrets along after the session was opened.
    get holdsSecret() {
      return secrets.isEmpty ? undefined : (text: string) => secrets.holds(text);
    },
  };
}

async function openDesktop(
  config: Config,
  overrides: SessionOverrides,
  { senses, log, privacy, stopKeys, refs }: DesktopParts,
): Promise<OpenDesktop> {
  if (config.desktop === "real" || overrides.backend) {
    const { handsOver = false, keepsClipboard = handsOver, env = process.env } = overrides;
    const backend =
      overrides.backend ?? (await openBackend({ env, decode: decodePicture, keepClipboard: keepsClipboard, stopKeys }));
    const surface = new Surface("desktop", guardBackend(backend, privacy), senses, refs);
    return { surface, env, lost: undefined, [Symbol.asyncDispose]: () => quietly(surface, log) };
  }
  const { openVirtualDesktop } = await import("./platform/virtual/desktop.ts");
  const desktop = await openVirtualDesktop({ ...config.size, monitors: config.monitors, scale: config.scale });
  const backend = await openBackend({ env: desktop.env, decode: decodePicture, stopKeys });
  const surface = new Surface("desktop", guardBackend(backend, privacy), senses, refs);
  return {
    surface,
    env: desktop.env,
    lost: desktop.lost,
    async [Symbol.asyncDispose]() {
      await quietly(surface, log);
      await desktop[Symbol.asyncDispose]();
    },
  };
}

/** The display may already be gone; everything else must still be closed. */
async function quietly(surface: Surface, log: Log): Promise<void> {
  try {
    await surface[Symbol.asyncDispose]();
  } catch (error) {
    log.debug("the surface did not close cleanly", error);
  }
}

async function fastJpeg() {
  const { openJpegCodec } = await import("./platform/native/turbojpeg.ts");
  return openJpegCodec();
}

async function fastDeflate() {
  const { openDeflateCodec } = await import("./platform/native/isal.ts");
  return openDeflateCodec();
}
