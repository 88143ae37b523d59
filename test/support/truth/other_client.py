"""What another accessibility client than handsight sees of one program, printed as JSON.

    other_client.py tree PID           roles, names, states, texts, values and selections of what shows
    other_client.py box PID NAME ROLE  where an element is: x y width height, and in what: screen or window
    other_client.py checks PID         the entries of its menu bars that are checked, in closed menus too
    other_client.py cell PID ROW COL   whether this cell of a sheet, counted from 0, shows
"""

import json
import sys

import pyatspi

# A sheet claims a thousand million cells; other programs show far fewer elements.
MOST_CHILDREN = 120
MOST_ELEMENTS = 3000
STATES = {
    pyatspi.STATE_CHECKED: "checked",
    pyatspi.STATE_EXPANDED: "expanded",
    pyatspi.STATE_PRESSED: "pressed",
    pyatspi.STATE_SELECTED: "selected",
}


def programs(pid):
    for program in pyatspi.Registry.getDesktop(0):
        try:
            if program is not None and program.get_process_id() == pid:
                yield program
        except Exception:
            continue


def text_of(element):
    """The text, and which part of it is selected."""
    if "Text" not in element.get_interfaces():
        return None, None
    try:
        text = element.queryText()
        selection = list(text.getSelection(0)) if text.getNSelections() > 0 else None
        return text.getText(0, min(text.characterCount, 2000)), selection
    except Exception:
        return None, None


def value_of(element):
    if "Value" not in element.get_interfaces():
        return None
    try:
        return element.queryValue().currentValue
    except Exception:
        return None


def is_gtk4(program):
    return program.toolkitName == "GTK" and program.toolkitVersion.startswith("4.")


def is_hidden(element, states, gtk4):
    # GTK 4 says of windows only that they show.
    if not gtk4 or states.contains(pyatspi.STATE_SHOWING):
        return not states.contains(pyatspi.STATE_SHOWING)
    try:
        box = element.queryComponent().getExtents(pyatspi.WINDOW_COORDS)
    except Exception:
        return False
    return box.width <= 0 or box.height <= 0


def walk(element, gtk4, depth=0):
    try:
        states = element.getState()
        if depth > 0 and is_hidden(element, states, gtk4):
            return
        # Tips follow the pointer and mean nothing.
        if element.name == "GtkTooltipWindow" or element.getRole() == pyatspi.ROLE_TOOL_TIP:
            return
        yield element, states, depth
        count = element.childCount
    except Exception:
        return
    if count > MOST_CHILDREN:
        return
    for index in range(count):
        try:
            child = element.getChildAtIndex(index)
        except Exception:
            continue
        if child is not None:
            yield from walk(child, gtk4, depth + 1)


def tree(pid):
    lines = []
    for program in programs(pid):
        for element, states, depth in walk(program, is_gtk4(program)):
            if len(lines) >= MOST_ELEMENTS:
                break
            own = [word for state, word in STATES.items() if states.contains(state)]
            text, selection = text_of(element)
            line = [depth, element.getRoleName(), element.name, own, text, value_of(element)]
            if selection is not None:
                line.append(selection)
            lines.append(json.dumps(line, ensure_ascii=False))
    return lines


def box(pid, name, role):
    for program in programs(pid):
        gtk4 = is_gtk4(program)
        for element, _, _ in walk(program, gtk4):
            if element.name == name and role in ("", element.getRoleName()):
                # GTK 4 knows no place on the screen.
                kind = pyatspi.WINDOW_COORDS if gtk4 else pyatspi.DESKTOP_COORDS
                found = element.queryComponent().getExtents(kind)
                if found.width > 0 and found.height > 0:
                    space = "window" if gtk4 else "screen"
                    return [found.x, found.y, found.width, found.height, space]
    return None


def entries(element, path=()):
    for index in range(min(element.childCount, MOST_CHILDREN)):
        child = element.getChildAtIndex(index)
        if child is not None:
            yield child, (*path, child.name)
            yield from entries(child, (*path, child.name))


def checks(pid):
    found = []
    for program in programs(pid):
        bars = [each for each, _, _ in walk(program, is_gtk4(program)) if each.getRole() == pyatspi.ROLE_MENU_BAR]
        for bar in bars:
            found += [path for entry, path in entries(bar) if entry.getState().contains(pyatspi.STATE_CHECKED)]
    return [" > ".join(path) for path in found]


def cell(pid, row, column):
    for program in programs(pid):
        for element, _, _ in walk(program, is_gtk4(program)):
            if element.getRole() == pyatspi.ROLE_TABLE:
                found = element.queryTable().getAccessibleAt(int(row), int(column))
                return found.getState().contains(pyatspi.STATE_SHOWING)
    return False


question, pid, *words = sys.argv[1:]
print(json.dumps({"tree": tree, "box": box, "checks": checks, "cell": cell}[question](int(pid), *words)))
