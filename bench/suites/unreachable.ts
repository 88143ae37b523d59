import type { Session } from "../../src/platform/cdp/wire.ts";
import type { Server } from "../mcp-client.ts";

const controls = "controlsByHandsightBench";
const listed = "listedByHandsightBench";
const presses = /^(?:click|dblclick|mousedown|mouseup|pointerdown|pointerup|touchstart|input|change)$/;

/**
 * Controls of the task that have no element in the snapshot, by their tags: fields, buttons, links, whatever a script listens on,
 * and the shapes of a drawing in which presses are heard.
 */
export async function unreachableOn(server: Server, session: Session, surface: string): Promise<readonly string[]> {
  const evaluate = (expression: string) => session.send("Runtime.evaluate", { expression, returnByValue: true });
  const { result } = await session.send("Runtime.evaluate", { expression: "document.getElementById('wrap')" });
  const heard = await session.send("DOMDebugger.getEventListeners", { objectId: result.objectId as string, depth: -1 });
  const nodes = new Set(heard.listeners.flatMap((each) => (presses.test(each.type) ? [each.backendNodeId ?? 0] : [])));
  await evaluate(`void (window.${controls} = [...document.querySelectorAll("a[href],button,input,select,textarea")])`);
  for (const backendNodeId of nodes) {
    const { object } = await session.send("DOM.resolveNode", { backendNodeId });
    await session.send("Runtime.callFunctionOn", {
      objectId: object.objectId as string,
      functionDeclaration: `function() { window.${controls}.push(this); }`,
    });
  }
  const { data } = await server.ask("take_ax_snapshot", { surface, format: "json", max_nodes: 20_000 });
  const uids = (data["elements"] as readonly { readonly runtime_id: string }[])
    .map(({ runtime_id: id }) => id)
    .filter((id) => /^d\d+$/.test(id));
  await evaluate(`void (window.${listed} = [])`);
  // A script takes only so many elements at once.
  for (let first = 0; first < uids.length; first += 20) {
    await server.ask("cdp_evaluate_script", {
      function: `(...elements) => void window.${listed}.push(...elements)`,
      args: uids.slice(first, first + 20).map((uid) => ({ uid })),
      settle_ms: 0,
    });
  }
  return (await evaluate(missing)).result.value as readonly string[];
}

/** What is not drawn, or only surrounds the task, is no control. A click on what is in a control reaches it. */
const missing = `(() => {
  const around = "html,body,#wrap,#query,#area,#sync-task-cover";
  const isTask = (element) => element instanceof Element && !element.matches(around) && wrap.contains(element) && !element.closest("#query");
  const isDrawn = (element) => element.checkVisibility({ visibilityProperty: true }) &&
    element.getBoundingClientRect().width > 0 && element.getBoundingClientRect().height > 0;
  const isReached = (control) => window.${listed}.some((each) => control.contains(each)) ||
    (control.labels && [...control.labels].some((label) => window.${listed}.includes(label)));
  const wrap = document.getElementById("wrap");
  const own = [...new Set(window.${controls})].filter(isTask);
  const drawn = own.filter((each) => each instanceof SVGElement && !each.closest("a,button"));
  const shapes = drawn.flatMap((each) => [...(each.closest("svg") || each).querySelectorAll("circle,ellipse,rect,line,polyline,polygon,path,text")]);
  return [...new Set([...own, ...shapes])].filter((each) => isDrawn(each) && !isReached(each)).map((each) => each.outerHTML.slice(0, 100));
})()`;
