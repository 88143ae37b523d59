import type { ProtocolMapping } from "devtools-protocol/types/protocol-mapping.d.ts";
import {
  count,
  flag,
  list,
  number,
  object,
  optional,
  ratio,
  shallow,
  text,
  whatever,
  type Check,
  type Checked,
} from "./checks.ts";

/*
 * What we rely on in the words of a browser. Whatever listens on a port may say anything; an answer that is not so is refused,
 * and an event is not heard, before anybody takes it apart. What is not named here is not in the types either.
 */

const target = object({
  targetId: text,
  type: text,
  title: text,
  url: text,
  openerId: optional(text),
  openerFrameId: optional(text),
});
export type TargetInfo = Checked<typeof target>;
const placed = { id: text, url: text, unreachableUrl: optional(text) };
const frame = object({ ...placed, parentId: optional(text) });
/** The frames in it are looked at one by one: they are nested as deep as whoever sends them likes. */
const frameTree = object({ frame, childFrames: optional(list(whatever)) });
export const isFrameTree = (value: unknown): value is Checked<typeof frameTree> => frameTree(value) === undefined;
const remote = object({
  objectId: optional(text),
  value: shallow,
  unserializableValue: optional(text),
  description: optional(text),
  subtype: optional(text),
});
export type Remote = Checked<typeof remote>;
const thrown = object({ text, exception: optional(remote), executionContextId: optional(number) });
export type Thrown = Checked<typeof thrown>;
const evaluated = object({ result: remote, exceptionDetails: optional(thrown) });

export const replyShapes = {
  "Target.getTargets": object({ targetInfos: list(target) }),
  "Target.getTargetInfo": object({ targetInfo: target }),
  "Target.attachToTarget": object({ sessionId: text }),
  "Target.createTarget": object({ targetId: text }),
  "Page.getFrameTree": object({ frameTree }),
  "Page.createIsolatedWorld": object({ executionContextId: number }),
  "Page.addScriptToEvaluateOnNewDocument": object({ identifier: text }),
  "Page.captureScreenshot": object({ data: text }),
  "Page.getLayoutMetrics": object({ cssVisualViewport: optional(object({ zoom: optional(ratio) })) }),
  "Page.getNavigationHistory": object({ currentIndex: number, entries: list(object({ id: number, url: text })) }),
  "Page.navigate": object({ errorText: optional(text), loaderId: optional(text) }),
  "Runtime.evaluate": evaluated,
  "Runtime.callFunctionOn": evaluated,
  "Runtime.getProperties": object({
    result: list(object({ name: text, value: optional(object({ objectId: optional(text) })) })),
  }),
  "Accessibility.getPartialAXTree": object({
    nodes: list(object({ ignored: flag, name: optional(object({ value: shallow })) })),
  }),
  "DOM.describeNode": object({
    node: object({
      backendNodeId: number,
      nodeType: number,
      nodeName: text,
      frameId: optional(text),
      shadowRoots: optional(list(object({ backendNodeId: number, shadowRootType: optional(text) }))),
    }),
  }),
  "DOM.resolveNode": object({ object: object({ objectId: optional(text) }) }),
  "DOMDebugger.getEventListeners": object({
    listeners: list(object({ type: text, backendNodeId: optional(number) })),
  }),
  "DOM.getNodeForLocation": object({ backendNodeId: number, frameId: text }),
  "DOM.getFrameOwner": object({ backendNodeId: number }),
  "DOM.getBoxModel": object({ model: object({ content: list(number) }) }),
} satisfies { [M in keyof ProtocolMapping.Commands]?: Check<unknown> };

export const eventShapes = {
  "Target.targetCreated": object({ targetInfo: target }),
  "Target.targetInfoChanged": object({ targetInfo: target }),
  "Target.targetDestroyed": object({ targetId: text }),
  "Target.targetCrashed": object({ targetId: text }),
  "Target.attachedToTarget": object({
    sessionId: text,
    targetInfo: object({ targetId: text, type: text, parentFrameId: optional(text) }),
  }),
  "Target.detachedFromTarget": object({ sessionId: text, targetId: optional(text) }),
  "Inspector.targetCrashed": whatever,
  "Browser.downloadWillBegin": object({ frameId: text, suggestedFilename: text }),
  "Fetch.requestPaused": object({ requestId: text, request: object({ url: text }) }),
  "Page.javascriptDialogOpening": object({
    type: text,
    message: text,
    defaultPrompt: optional(text),
    url: optional(text),
    frameId: optional(text),
  }),
  "Page.javascriptDialogClosed": whatever,
  "Page.domContentEventFired": whatever,
  "Page.frameRequestedNavigation": object({ frameId: text, disposition: text }),
  "Page.frameStartedLoading": object({ frameId: text }),
  "Page.frameStoppedLoading": object({ frameId: text }),
  "Page.frameAttached": object({ frameId: text, parentFrameId: text }),
  "Page.frameNavigated": object({
    frame: object({ ...placed, parentId: optional(text), loaderId: text, urlFragment: optional(text) }),
  }),
  "Page.frameDetached": object({ frameId: text, reason: optional(text) }),
  "Page.navigatedWithinDocument": object({ frameId: text, url: text }),
  "Runtime.executionContextCreated": object({
    context: object({
      id: number,
      name: text,
      origin: optional(text),
      auxData: optional(object({ frameId: optional(text), isDefault: optional(flag) })),
    }),
  }),
  "Runtime.executionContextsCleared": whatever,
  "Runtime.bindingCalled": object({ name: text, payload: text, executionContextId: count }),
  "Runtime.consoleAPICalled": object({ type: text, args: list(remote), executionContextId: optional(number) }),
  "Runtime.exceptionThrown": object({ exceptionDetails: thrown }),
  "Network.requestWillBeSent": object({
    requestId: text,
    request: object({ url: text }),
    frameId: optional(text),
    type: optional(text),
  }),
  "Network.loadingFinished": object({ requestId: text }),
  "Network.loadingFailed": object({ requestId: text, errorText: text, canceled: optional(flag) }),
  "Network.responseReceived": object({ requestId: text, response: object({ status: number, url: text }) }),
} satisfies { [E in keyof ProtocolMapping.Events]?: Check<unknown> };

export type Shaped<Shapes, Name> = Name extends keyof Shapes ? Checked<Shapes[Name]> : void;
