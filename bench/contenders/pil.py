"""PIL's ImageGrab, taking the orders of worker.ts as JSON lines and answering in the same words."""

import io
import json
import sys
import time

from PIL import ImageGrab, features

FORMATS = {"jpeg": ("JPEG", {"quality": 80}), "png": ("PNG", {}), "webp": ("WEBP", {"quality": 80})}


def tell(**answer):
    print(json.dumps(answer), flush=True)


def picture(task, save_to):
    name, options = FORMATS[task]
    started = time.monotonic()
    out = io.BytesIO()
    ImageGrab.grab().save(out, name, **options)
    ms = (time.monotonic() - started) * 1000
    if save_to:
        with open(save_to, "wb") as file:
            file.write(out.getvalue())
    tell(kind="done", startedAt=started * 1000, ms=ms, bytes=out.tell())


def raw(count):
    started = time.monotonic()
    for _ in range(count):
        image = ImageGrab.grab()
        image.load()
    ms = (time.monotonic() - started) * 1000
    tell(kind="done", startedAt=started * 1000, ms=ms, width=image.width, height=image.height)


tell(kind="ready", tasks=["raw", "jpeg", "png"] + (["webp"] if features.check("webp") else []))
for line in sys.stdin:
    order = json.loads(line)
    try:
        if order["task"] == "raw":
            raw(order["argument"].get("count", 1))
        else:
            picture(order["task"], order["argument"].get("saveTo"))
    except Exception as error:
        tell(kind="failed", message=str(error))
