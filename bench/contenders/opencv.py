"""OpenCV's matchTemplate over scales and rotations, taking the orders of worker.ts as JSON lines."""

import itertools
import json
import sys
import time

import cv2
import numpy

TURNS = {90: cv2.ROTATE_90_CLOCKWISE, 180: cv2.ROTATE_180, 270: cv2.ROTATE_90_COUNTERCLOCKWISE}
loaded = {}


def tell(**answer):
    print(json.dumps(answer), flush=True)


def load(argument):
    loaded["screen"] = cv2.cvtColor(cv2.imread(argument["screen"]), cv2.COLOR_BGR2GRAY)
    template = cv2.imread(argument["template"], cv2.IMREAD_UNCHANGED)
    if template.shape[2] == 3:
        template = cv2.cvtColor(template, cv2.COLOR_BGR2BGRA)
    grey = cv2.cvtColor(template[:, :, :3], cv2.COLOR_BGR2GRAY)
    alpha = template[:, :, 3] / 255
    # A glyph of one colour shows only against what is behind it, so it is tried on a light and on a dark ground.
    for ground in (255, 0):
        loaded[ground] = numpy.round(grey * alpha + ground * (1 - alpha)).astype(numpy.uint8)
    loaded["mask"] = numpy.where(template[:, :, 3] > 247, 255, 0).astype(numpy.uint8)


def find(argument):
    screen, best = loaded["screen"], (-2.0,)
    for rotation, ground in itertools.product(argument["rotations"], argument["grounds"]):
        template, mask = (
            cv2.rotate(each, TURNS[rotation]) if rotation else each for each in (loaded[ground], loaded["mask"])
        )
        for scale in argument["scales"]:
            size = (round(template.shape[1] * scale), round(template.shape[0] * scale))
            if size[0] > screen.shape[1] or size[1] > screen.shape[0]:
                continue
            small = cv2.resize(template, size, interpolation=cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC)
            if argument["masked"]:
                cover = cv2.resize(mask, size, interpolation=cv2.INTER_NEAREST)
                scores = cv2.matchTemplate(screen, small, cv2.TM_CCOEFF_NORMED, mask=cover)
                scores[~numpy.isfinite(scores)] = -1
            else:
                scores = cv2.matchTemplate(screen, small, cv2.TM_CCOEFF_NORMED)
            _, score, _, (x, y) = cv2.minMaxLoc(scores)
            if score > best[0] and score <= 1.01:
                best = (score, x, y, size[0], size[1], rotation)
    return best


tell(kind="ready", tasks=["load", "find"])
for line in sys.stdin:
    order = json.loads(line)
    try:
        started = time.monotonic()
        if order["task"] == "load":
            load(order["argument"])
            facts = {}
        else:
            score, x, y, width, height, rotation = find(order["argument"])
            facts = {"score": score, "x": x, "y": y, "width": width, "height": height, "rotation": rotation}
        ms = (time.monotonic() - started) * 1000
        tell(kind="done", startedAt=started * 1000, ms=ms, **facts)
    except Exception as error:
        tell(kind="failed", message=str(error))
