import sharp from "sharp";
import type { WebSocket } from "ws";
import type { AgentReply, CalledMethod } from "../../../src/platform/cdp/agent-shapes.ts";
import type { Row } from "../../../src/platform/cdp/inject/rows.ts";
import { bomb } from "../../support/bomb.ts";
import type { BrowserRequest } from "./hostile-browser.ts";

const place = { url: "http://a.test/", title: "a" };
const row: Row = [
  2,
  -1,
  "textbox",
  "Save",
  [1, 1, 20, 10],
  "enabled focusable editable",
  "v",
  { description: "d", range: { min: 0, max: 9 }, id: "save", level: 1 },
];
const seen = {
  lines: [["~ a", 2, ""] as [string, number, string]],
  cut: 0,
  focus: ["a", "b"] as [string, string],
  scrolled: true,
  copied: true,
  mayRun: "texts" as const,
  isQuiet: true,
};
const about = {
  total: 2,
  inventory: { textbox: 1, iframe: 1 },
  suspects: 1,
  unsure: 0,
  freshRoots: 0,
  isPartial: false,
  ...place,
};
const places = { boxes: [[1, 1, 2, 2]] as [number, number, number, number][], count: 1, isStill: true };

/** What a page reports without being asked. */
export const events: Readonly<Record<string, unknown>> = {
  "Page.javascriptDialogClosed": {},
  "Page.frameRequestedNavigation": { frameId: "inner", disposition: "currentTab" },
  "Page.frameAttached": { frameId: "inner", parentFrameId: "f" },
  "Page.frameNavigated": { frame: { id: "inner", parentId: "f", url: "", loaderId: "m" } },
  "Page.navigatedWithinDocument": { frameId: "f", url: "http://a.test/#a" },
  "Page.frameDetached": { frameId: "other", reason: "remove" },
  "Fetch.requestPaused": { requestId: "r", request: { url: "http://a.test/" } },
  "Network.requestWillBeSent": { requestId: "r", request: { url: "http://a.test/" } },
  "Network.loadingFailed": { requestId: "r", errorText: "failed" },
  "Network.responseReceived": { requestId: "r", response: { status: 500, url: "http://a.test/" } },
  "Runtime.bindingCalled": { name: "handsightNotice", payload: '["text","input",2]', executionContextId: 1 },
  "Runtime.consoleAPICalled": { type: "error", args: [{ type: "object", value: {}, description: "Object" }] },
  "Runtime.exceptionThrown": { exceptionDetails: { text: "a", exception: { description: "Error: a" } } },
  "Runtime.executionContextCreated": { context: { id: 6, name: "handsight", auxData: { frameId: "f" } } },
  "Target.attachedToTarget": { sessionId: "w", targetInfo: { targetId: "w", type: "worker", title: "", url: "" } },
  "Target.detachedFromTarget": { sessionId: "w", targetId: "w" },
};

/** What the agent in a page answers when nothing is a lie. */
export const answers: { readonly [M in CalledMethod]: AgentReply<M> } = {
  collect: {
    words: ["textbox", "enabled focusable editable", "iframe"],
    rows: [
      [2, -1, 0, "Save", 1, row[4], "v", row[7]],
      [3, 0, 2, "Frame", 1, [1, 20, 20, 10]],
    ],
    ...about,
  },
  search: { rows: [row], scores: [100], ...about },
  learn: undefined,
  read: row,
  activeId: 2,
  hideFrames: undefined,
  isActive: true,
  at: [2, 3],
  textOf: "Save",
  contentBox: [0, 20, 20, 10],
  aim: { at: [5, 5], isMoving: false },
  frame: undefined,
  coverOf: undefined,
  guard: undefined,
  unguard: { arrived: 1 },
  begin: { row, draws: true, ...place },
  settle: { ...seen, row, ...place },
  notice: undefined,
  place,
  end: undefined,
  waitText: "Save",
  taken: [1, 1],
  fill: { plan: { how: "done", holds: "v" }, seen: { ...seen, row, ...place } },
  pick: { isDone: true, seen: { ...seen, row, ...place } },
  isListOpen: false,
  takesText: true,
  holds: "v",
  focus: true,
  scrollTo: undefined,
  scrollBox: true,
  setDisclosure: true,
  drawn: [1, 1, 20, 10],
  measure: {
    screenX: 0,
    screenY: 0,
    outerWidth: 64,
    outerHeight: 48,
    innerWidth: 64,
    innerHeight: 48,
    ratio: 1,
    heard: [4, 4, 4, 4],
  },
  scrolled: [0, 0],
  hearMove: [4, 4, 4, 4],
  followSecrets: { ...places, hasScrolled: false, suspects: 1 },
  secretsSince: { ...places, hasScrolled: false, suspects: 0 },
};

const handles: Readonly<Record<string, unknown>> = {
  elementOf: { type: "object", objectId: "element" },
  takeSuspects: { type: "object", objectId: "suspects" },
  takeUnsure: { type: "object", objectId: "unsure" },
  ownDocument: { type: "object", objectId: "document" },
  takeRoots: { type: "object", objectId: "roots" },
  hear: { type: "boolean", value: false },
  adopt: { type: "undefined" },
  numberOf: { type: "number", value: 3 },
  knownNumber: { type: "number", value: 2 },
  knownParent: { type: "number", value: 2 },
};

const target = { targetId: "t", type: "page", attached: false, ...place };
const root = { backendNodeId: 8, nodeType: 11, nodeName: "#document-fragment", shadowRootType: "closed" };

const replies: Readonly<Record<string, unknown>> = {
  "Target.getTargets": { targetInfos: [target] },
  "Target.attachToTarget": { sessionId: "s" },
  "Target.getTargetInfo": { targetInfo: target },
  "Page.getFrameTree": {
    frameTree: {
      frame: { id: "f", url: place.url, loaderId: "l" },
      childFrames: [{ frame: { id: "inner", parentId: "f", url: "", loaderId: "m" } }],
    },
  },
  "Page.createIsolatedWorld": { executionContextId: 1 },
  "Page.addScriptToEvaluateOnNewDocument": { identifier: "1" },
  "Page.getLayoutMetrics": { cssVisualViewport: { zoom: 1 } },
  "Page.getNavigationHistory": { currentIndex: 0, entries: [{ id: 1, url: place.url }] },
  "Page.navigate": { frameId: "f" },
  "Runtime.evaluate": { result: { type: "object", objectId: "agent" } },
  "Runtime.getProperties": { result: [{ name: "0", value: { type: "object", objectId: "host" } }] },
  "DOM.describeNode": { node: { backendNodeId: 7, nodeType: 1, nodeName: "DIV", shadowRoots: [root] } },
  "DOM.resolveNode": { object: { objectId: "node" } },
  "DOMDebugger.getEventListeners": { listeners: [{ type: "click", backendNodeId: 7 }] },
  "DOM.getFrameOwner": { backendNodeId: 7 },
  "DOM.getNodeForLocation": { backendNodeId: 7, frameId: "f" },
};

const nothing = {};
const isAnswer = (method: string): method is CalledMethod => Object.hasOwn(answers, method);

/** A lie that is inserted into the text unchanged: JSON.stringify would turn it into null. */
class Raw {
  readonly words: string;

  constructor(words: string) {
    this.words = words;
  }
}

const wrongKinds: readonly unknown[] = [
  null,
  7,
  "x",
  [],
  {},
  [[null]],
  { toString: 7, valueOf: 7, length: -1 },
  -1e308,
  new Raw("1e999"),
  new Raw("[".repeat(50_000) + "]".repeat(50_000)),
  new Raw('{"a":'.repeat(50_000) + "1" + "}".repeat(50_000)),
];

/** Replaces raw words by placeholders until everything else is text. */
const written = (value: unknown): string => {
  const raws: string[] = [];
  const text = JSON.stringify(value, (_key, each: unknown) =>
    each instanceof Raw ? `raw:${raws.push(each.words) - 1}` : each,
  );
  return (text ?? "null").replaceAll(/"raw:(\d+)"/g, (_match, index: string) => raws[Number(index)] ?? "");
};

/** Every value of the wrong kind in every place. */
export const liesFor = (truth: unknown): readonly unknown[] => wrongKinds.flatMap((lie) => [...variants(truth, lie)]);

/** The value with one of its leaves, or all of it, replaced. */
function* variants(value: unknown, lie: unknown): Generator {
  yield lie;
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    for (const changed of variants(inner, lie)) {
      yield Array.isArray(value)
        ? value.map((each: unknown, index) => (String(index) === key ? changed : each))
        : { ...value, [key]: changed };
    }
  }
}

export const blankPng = (width: number, height: number): Promise<Uint8Array> =>
  sharp({ create: { width, height, channels: 3, background: "white" } })
    .png()
    .toBuffer();

const pictures = (): readonly unknown[] =>
  [
    Buffer.alloc(0),
    Buffer.from("no picture"),
    Buffer.from("<svg xmlns='http://www.w3.org/2000/svg' width='64' height='48'/>"),
    bomb(60_000, 60_000),
    bomb(64, 48).subarray(0, 40),
    bomb(1, 1),
  ].map((bytes) => ({ data: bytes.toString("base64") }));

/**
 * Claims to be a browser with one page that contains a frame and a closed shadow root, and answers every request as a
 * browser would, except for the one thing it lies about.
 */
export class LyingPage {
  readonly #picture: string;
  #socket: WebSocket | undefined;
  /** The methods that were called since this was cleared. */
  readonly asked = new Set<string>();
  readonly #lies = new Map<string, () => unknown>();

  constructor(picture: Uint8Array) {
    this.#picture = Buffer.from(picture).toString("base64");
  }

  /** Every way to be wrong about the method's answer. */
  liesAbout(method: string): readonly unknown[] {
    const truth = this.#truth(method);
    // Invalid JSON: as a separate message it could not be matched with a request.
    const more =
      method === "Page.captureScreenshot" ? pictures() : isAnswer(method) ? [new Raw("NaN"), new Raw("{")] : [];
    return [...more, ...liesFor(truth)];
  }

  /** From now on, each time it is asked. */
  lie(about: string, tell: () => unknown): void {
    this.#lies.set(about, tell);
  }

  speakTruth(): void {
    this.#lies.clear();
  }

  #truth(method: string): unknown {
    if (method === "Page.captureScreenshot") return { data: this.#picture };
    if (method === "evaluated") return { type: "number", value: 1 };
    return isAnswer(method) ? answers[method] : (handles[method] ?? replies[method] ?? nothing);
  }

  #told(method: string): unknown {
    // The answers to the others are ignored.
    if (this.#truth(method) !== nothing) this.asked.add(method);
    const lie = this.#lies.get(method);
    return lie ? lie() : this.#truth(method);
  }

  /** An event of the page. */
  tell(event: string, params: unknown): void {
    this.#socket?.send(`{"method":"${event}","sessionId":"s","params":${written(params)}}`);
  }

  readonly onMessage = ({ id, method, params = {} }: BrowserRequest, socket: WebSocket): string => {
    this.#socket = socket;
    if (method === "Runtime.enable") {
      const context = { id: 5, name: "", auxData: { frameId: "f", isDefault: true } };
      this.tell("Runtime.executionContextCreated", { context });
    }
    const isCall = method === "Runtime.callFunctionOn";
    const result = isCall ? this.#called(params) : written(this.#told(method));
    return `{"id":${id},"result":${result}}`;
  };

  #called(params: Readonly<Record<string, unknown>>): string {
    if (params["objectId"] !== "agent") return `{"result":${written(this.#told("evaluated"))}}`;
    const [named] = params["arguments"] as readonly { readonly value: string }[];
    const method = named?.value ?? "";
    const told = this.#told(method);
    if (params["returnByValue"] !== true) return `{"result":${written(told)}}`;
    return told === undefined ? `{"result":{}}` : `{"result":{"value":${JSON.stringify(written(told))}}}`;
  }
}
