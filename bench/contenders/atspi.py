"""pyatspi and dogtail, taking the orders of worker.ts as JSON lines and answering in the same words.

Both read every element of a program the way their users do: name, role, states, place and children, one after the
other. What they read is kept in a list until the clock has stopped.
"""

import json
import sys
import time

import pyatspi


def tell(**answer):
    print(json.dumps(answer), flush=True)


def app_of(pid):
    desktop = pyatspi.Registry.getDesktop(0)
    for app in desktop:
        if app is not None and app.get_process_id() == pid:
            return app
    raise LookupError(f"process {pid} is not on the accessibility bus")


def coordinates_of(app):
    # GTK 4 knows places relative to the window only, and prints a warning per question for others.
    is_gtk4 = app.toolkitName.lower() == "gtk" and app.get_toolkit_version().startswith("4")
    return pyatspi.WINDOW_COORDS if is_gtk4 else pyatspi.DESKTOP_COORDS


def place_of(node, coordinates):
    try:
        box = node.queryComponent().getExtents(coordinates)
    except NotImplementedError:
        return None
    return (box.x, box.y, box.width, box.height)


def plausible(place):
    return place is not None and place[2] > 0 and place[3] > 0 and abs(place[0]) <= 100_000


def pyatspi_snapshot(argument):
    app = app_of(argument["pid"])
    coordinates = coordinates_of(app)
    found = []
    stack = list(app)
    while stack:
        node = stack.pop()
        found.append((node.name, node.getRole(), node.getState().getStates(), place_of(node, coordinates)))
        stack.extend(child for child in node if child is not None)
    return found


def pyatspi_find(argument):
    wanted = argument["text"]
    node = pyatspi.findDescendant(app_of(argument["pid"]), lambda each: each.name == wanted)
    if node is None:
        raise LookupError(f"no {wanted}")
    return [(node.name, node.getRole(), None, place_of(node, coordinates_of(app_of(argument["pid"]))))]


def open_dogtail():
    # Imported late: it looks at the settings of the desktop, and where that fails only dogtail is missing.
    from dogtail.config import config

    # It refuses to start without a setting of GNOME, which says nothing about whether the elements are there.
    config.checkForA11y = False
    # It leaves out what comes after the first hundred children otherwise.
    config.childrenLimit = 100_000
    config.logDebugToStdOut = False
    config.logDebugToFile = False
    from dogtail.tree import root

    def snapshot(argument):
        app = next(each for each in root.children if each.get_process_id() == argument["pid"])
        coordinates = coordinates_of(app)
        found = []
        stack = list(app.children)
        while stack:
            node = stack.pop()
            found.append((node.name, node.roleName, node.getState().getStates(), place_of(node, coordinates)))
            stack.extend(node.children)
        return found

    def find(argument):
        app = next(each for each in root.children if each.get_process_id() == argument["pid"])
        node = app.child(name=argument["text"], retry=False)
        return [(node.name, node.roleName, None, (*node.position, *node.size))]

    return {"snapshot": snapshot, "find": find}


PEERS = {"pyatspi": lambda: {"snapshot": pyatspi_snapshot, "find": pyatspi_find}, "dogtail": open_dogtail}

try:
    tasks = PEERS[sys.argv[1]]()
except Exception as error:
    tell(kind="failed", message=f"{type(error).__name__}: {error}")
    sys.exit(1)

tell(kind="ready", tasks=list(tasks))
for line in sys.stdin:
    order = json.loads(line)
    try:
        started = time.monotonic()
        found = tasks[order["task"]](order["argument"])
        ms = (time.monotonic() - started) * 1000
        placed = sum(1 for each in found if plausible(each[3]))
        tell(kind="done", startedAt=started * 1000, ms=ms, nodes=len(found), placed=placed)
    except Exception as error:
        tell(kind="failed", message=f"{type(error).__name__}: {error}")
