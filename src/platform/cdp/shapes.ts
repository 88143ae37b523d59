/**
 * What we rely on in the words of a browser. Whatever listens on a port may say anything; an answer that is not so is refused,
 * and an event is not heard, before anybody takes it apart.
 */
export type Shape =
  | "string"
  | "number"
  | "object"
  | `${"string" | "number" | "object"}?`
  | readonly [Shape]
  | { readonly [key: string]: Shape };

const target = {
  targetId: "string",
  type: "string",
  title: "string",
  url: "string",
  openerId: "string?",
} as const satisfies Shape;
export const frameShape = { id: "string", url: "string", parentId: "string?" } as const satisfies Shape;
const evaluated = { result: "object", exceptionDetails: "object?" } as const satisfies Shape;

export const replyShapes: Readonly<Record<string, Shape>> = {
  "Target.getTargets": { targetInfos: [target] },
  "Target.getTargetInfo": { targetInfo: target },
  "Target.attachToTarget": { sessionId: "string" },
  "Target.createTarget": { targetId: "string" },
  "Page.getFrameTree": { frameTree: { frame: frameShape } },
  "Page.createIsolatedWorld": { executionContextId: "number" },
  "Page.captureScreenshot": { data: "string" },
  "Page.getNavigationHistory": { currentIndex: "number", entries: [{ id: "number", url: "string" }] },
  "Page.navigate": { errorText: "string?" },
  "Runtime.evaluate": evaluated,
  "Runtime.callFunctionOn": evaluated,
  "Runtime.getProperties": { result: ["object"] },
  "DOM.describeNode": { node: { backendNodeId: "number", nodeName: "string", frameId: "string?" } },
  "DOM.resolveNode": { object: { objectId: "string?" } },
  "DOM.getNodeForLocation": { backendNodeId: "number", frameId: "string" },
  "DOM.getFrameOwner": { backendNodeId: "number" },
};

export const eventShapes: Readonly<Record<string, Shape>> = {
  "Target.targetCreated": { targetInfo: target },
  "Target.targetInfoChanged": { targetInfo: target },
  "Target.targetDestroyed": { targetId: "string" },
  "Target.targetCrashed": { targetId: "string" },
  "Target.attachedToTarget": { sessionId: "string", targetInfo: target },
  "Target.detachedFromTarget": { sessionId: "string", targetId: "string?" },
  "Browser.downloadWillBegin": { frameId: "string", suggestedFilename: "string" },
  "Page.javascriptDialogOpening": { type: "string", message: "string", defaultPrompt: "string?" },
  "Page.frameRequestedNavigation": { frameId: "string", disposition: "string" },
  "Page.frameStartedLoading": { frameId: "string" },
  "Page.frameStoppedLoading": { frameId: "string" },
  "Page.frameAttached": { frameId: "string", parentFrameId: "string" },
  "Page.frameNavigated": { frame: { ...frameShape, loaderId: "string", urlFragment: "string?" } },
  "Page.frameDetached": { frameId: "string" },
  "Page.navigatedWithinDocument": { frameId: "string", url: "string" },
  "Runtime.executionContextCreated": { context: { id: "number", name: "string", auxData: "object?" } },
  "Runtime.bindingCalled": { name: "string", payload: "string", executionContextId: "number" },
  "Runtime.consoleAPICalled": { type: "string", args: ["object"] },
  "Runtime.exceptionThrown": { exceptionDetails: { text: "string", exception: "object?" } },
  "Network.requestWillBeSent": { requestId: "string", request: { url: "string" } },
  "Network.loadingFinished": { requestId: "string" },
  "Network.loadingFailed": { requestId: "string", errorText: "string" },
  "Network.responseReceived": { requestId: "string", response: { status: "number", url: "string" } },
};

/** Where the value differs from the shape ("targetInfos.0.url"); undefined when it does not. */
export function differs(value: unknown, shape: Shape, at = ""): string | undefined {
  if (typeof shape === "string") {
    const isOptional = shape.endsWith("?");
    if (isOptional && (value === undefined || value === null)) return undefined;
    const isFitting = value !== null && typeof value === shape.replace("?", "");
    return isFitting ? undefined : at || "the answer";
  }
  if (isList(shape)) {
    if (!Array.isArray(value)) return at || "the answer";
    for (const [index, each] of value.entries()) {
      const where = differs(each, shape[0], `${at}.${index}`);
      if (where !== undefined) return where;
    }
    return undefined;
  }
  if (typeof value !== "object" || value === null) return at || "the answer";
  for (const [key, inner] of Object.entries(shape)) {
    const where = differs((value as Record<string, unknown>)[key], inner, at === "" ? key : `${at}.${key}`);
    if (where !== undefined) return where;
  }
  return undefined;
}

const isList = (shape: Shape): shape is readonly [Shape] => Array.isArray(shape);
