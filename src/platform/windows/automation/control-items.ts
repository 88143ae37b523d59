import { intersect, type Rect } from "../../../base/geometry.ts";
import type { Role } from "../../../base/roles.ts";
import { message, type ControlKind } from "./control-kinds.ts";
import type { Deadline } from "./deadline.ts";
import { ForeignMemory } from "./foreign-memory.ts";
import type { WindowFacts } from "./window.ts";

/** A row, node or page inside a control: it has no window of its own. */
export interface ControlItem {
  /** Its place in the list, or the handle of a tree's node. */
  readonly key: string;
  readonly parent: string | undefined;
  readonly role: Role;
  readonly name: string;
  readonly bounds: Rect | undefined;
  readonly isSelected: boolean;
  /** Missing for what cannot be expanded. */
  readonly isExpanded?: boolean;
}

/** A list of a million rows is not read to its end. */
const most = 500;

export function readItems(
  facts: WindowFacts,
  hwnd: number,
  kind: ControlKind,
  deadline: Deadline,
): { readonly items: readonly ControlItem[]; readonly omitted: number } {
  switch (kind) {
    case "listBox":
      return readListBox(facts, hwnd, deadline);
    case "listView":
      return readListView(facts, hwnd, deadline);
    case "treeView":
      return readTreeView(facts, hwnd, deadline);
    case "tabs":
      return readTabs(facts, hwnd, deadline);
    default:
      return { items: [], omitted: 0 };
  }
}

/** Only what lies in the control can be seen. */
function visiblePart(facts: WindowFacts, hwnd: number, edges: Int32Array): Rect | undefined {
  const [bounds, place] = [facts.boundsOf(hwnd), facts.toScreen(hwnd, edges)];
  return bounds && place && intersect(place, bounds);
}

/** The text of an item, which the system copies between the processes. */
export function itemText(
  facts: WindowFacts,
  hwnd: number,
  { text, length }: { readonly text: number; readonly length: number },
  index: number,
  deadline: Deadline,
): string {
  const size = facts.send(hwnd, length, { w: index, deadline });
  if (size <= 0 || size > 1 << 16) return "";
  const copied = Buffer.alloc((size + 1) * 2);
  const count = facts.send(hwnd, text, { w: index, l: copied, deadline });
  return copied.toString("utf16le", 0, Math.min(count, size) * 2);
}

function readListBox(facts: WindowFacts, hwnd: number, deadline: Deadline) {
  const { listBox } = message;
  const count = facts.send(hwnd, listBox.count, { deadline });
  const items: ControlItem[] = [];
  for (let index = 0; index < Math.min(count, most); index++) {
    const edges = Buffer.alloc(16);
    facts.send(hwnd, listBox.rect, { w: index, l: edges, deadline });
    items.push({
      key: String(index),
      parent: undefined,
      role: "listitem",
      name: itemText(facts, hwnd, listBox, index, deadline),
      bounds: visiblePart(facts, hwnd, edgesOf(edges)),
      isSelected: facts.send(hwnd, listBox.isSelected, { w: index, deadline }) === 1,
    });
  }
  return { items, omitted: Math.max(0, count - most) };
}

const edgesOf = (bytes: Buffer): Int32Array =>
  Int32Array.of(bytes.readInt32LE(0), bytes.readInt32LE(4), bytes.readInt32LE(8), bytes.readInt32LE(12));

const textSize = 520;
/** Where the text goes, behind the structure that asks for it. */
const textPlace = 128;
const bufferSize = 1024;

const readWide = (bytes: Buffer): string => {
  const text = bytes.toString("utf16le");
  const end = text.indexOf("\0");
  return end < 0 ? text : text.slice(0, end);
};

const isSelectedBit = 2;

function readListView(facts: WindowFacts, hwnd: number, deadline: Deadline) {
  const { listView } = message;
  const count = facts.send(hwnd, listView.count, { deadline });
  const items = ForeignMemory.lend(facts, hwnd, bufferSize, (memory) => {
    const found: ControlItem[] = [];
    for (let index = 0; index < Math.min(count, most); index++) {
      // LVITEMW: commctrl.h.
      const ask = Buffer.alloc(textPlace);
      ask.writeBigUInt64LE(memory.place + BigInt(textPlace), 24);
      ask.writeInt32LE(textSize / 2, 32);
      memory.write(ask);
      const length = facts.send(hwnd, listView.text, { w: index, l: memory.place, deadline });
      const name = memory.read(length * 2, textPlace).toString("utf16le");
      memory.write(Buffer.alloc(16));
      const hasRect = facts.send(hwnd, listView.rect, { w: index, l: memory.place, deadline }) !== 0;
      const edges = edgesOf(memory.read(16));
      const state = facts.send(hwnd, listView.getState, { w: index, l: BigInt(isSelectedBit), deadline });
      found.push({
        key: String(index),
        parent: undefined,
        role: "listitem",
        name,
        bounds: hasRect ? visiblePart(facts, hwnd, edges) : undefined,
        isSelected: (state & isSelectedBit) !== 0,
      });
    }
    return found;
  });
  return { items: items ?? [], omitted: Math.max(0, count - (items?.length ?? 0)) };
}

function readTabs(facts: WindowFacts, hwnd: number, deadline: Deadline) {
  const { tabs } = message;
  const count = facts.send(hwnd, tabs.count, { deadline });
  const selected = facts.send(hwnd, tabs.selected, { deadline });
  const items = ForeignMemory.lend(facts, hwnd, bufferSize, (memory) => {
    const found: ControlItem[] = [];
    for (let index = 0; index < Math.min(count, most); index++) {
      // TCITEMW: commctrl.h.
      const ask = Buffer.alloc(textPlace);
      const wantsText = 1;
      ask.writeUInt32LE(wantsText, 0);
      ask.writeBigUInt64LE(memory.place + BigInt(textPlace), 16);
      ask.writeInt32LE(textSize / 2, 24);
      memory.write(ask);
      facts.send(hwnd, tabs.item, { w: index, l: memory.place, deadline });
      const name = readWide(memory.read(textSize, textPlace));
      facts.send(hwnd, tabs.rect, { w: index, l: memory.place, deadline });
      found.push({
        key: String(index),
        parent: undefined,
        role: "tab",
        name,
        bounds: visiblePart(facts, hwnd, edgesOf(memory.read(16))),
        isSelected: index === selected,
      });
    }
    return found;
  });
  return { items: items ?? [], omitted: Math.max(0, count - (items?.length ?? 0)) };
}

const next = { root: 0, sibling: 1, child: 4 } as const;
const treeState = { selected: 2, expanded: 0x20 } as const;

function readTreeView(facts: WindowFacts, hwnd: number, deadline: Deadline) {
  const { treeView } = message;
  const found: ControlItem[] = [];
  ForeignMemory.lend(facts, hwnd, bufferSize, (memory) => {
    const follow = (way: number, from: number): number =>
      facts.send(hwnd, treeView.next, { w: way, l: BigInt(from), deadline });
    const visit = (first: number, parent: string | undefined): void => {
      for (let item = first; item !== 0 && found.length < most; item = follow(next.sibling, item)) {
        const [name, state, children] = readTreeItem(facts, hwnd, item, memory, deadline);
        const isExpanded = (state & treeState.expanded) !== 0;
        const place = Buffer.alloc(16);
        place.writeBigUInt64LE(BigInt(item), 0);
        memory.write(place);
        const hasRect = facts.send(hwnd, treeView.rect, { w: 1, l: memory.place, deadline }) !== 0;
        found.push({
          key: String(item),
          parent,
          role: "treeitem",
          name,
          bounds: hasRect ? visiblePart(facts, hwnd, edgesOf(memory.read(16))) : undefined,
          isSelected: (state & treeState.selected) !== 0,
          ...(children === 0 ? {} : { isExpanded }),
        });
        if (isExpanded) visit(follow(next.child, item), String(item));
      }
    };
    visit(follow(next.root, 0), undefined);
  });
  return { items: found, omitted: 0 };
}

/** TVITEMW: commctrl.h. */
function readTreeItem(
  facts: WindowFacts,
  hwnd: number,
  item: number,
  memory: ForeignMemory,
  deadline: Deadline,
): readonly [name: string, state: number, children: number] {
  const [wantsText, wantsState, wantsChildren] = [1, 8, 0x40];
  const ask = Buffer.alloc(textPlace);
  ask.writeUInt32LE(wantsText | wantsState | wantsChildren, 0);
  ask.writeBigUInt64LE(BigInt(item), 8);
  ask.writeUInt32LE(treeState.selected | treeState.expanded, 20);
  ask.writeBigUInt64LE(memory.place + BigInt(textPlace), 24);
  ask.writeInt32LE(textSize / 2, 32);
  memory.write(ask);
  facts.send(hwnd, message.treeView.item, { l: memory.place, deadline });
  const answer = memory.read(56);
  return [readWide(memory.read(textSize, textPlace)), answer.readUInt32LE(16), answer.readInt32LE(44)];
}
