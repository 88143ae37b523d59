/* Simulator of macOS: CoreGraphics, HIToolbox and the keyboard layout. */
#include "world.h"

EXPORT uint32_t CGMainDisplayID(void) { return 1; }
EXPORT int32_t CGGetActiveDisplayList(uint32_t most, uint32_t *ids, uint32_t *count) {
  lock_world();
  *count = 0;
  for (int i = 0; i < screen_count && *count < most; i++) ids[(*count)++] = screens[i].id;
  unlock_world();
  return 0;
}
static Screen *screen_by_id(uint32_t id) {
  for (int i = 0; i < screen_count; i++) if (screens[i].id == id) return &screens[i];
  return NULL;
}
EXPORT CGRect CGDisplayBounds(uint32_t id) {
  Screen *screen = screen_by_id(id);
  return screen ? screen->at : (CGRect){ { 0, 0 }, { 0, 0 } };
}
EXPORT const void *CGDisplayCopyDisplayMode(uint32_t id) {
  lock_world();
  Screen *screen = screen_by_id(id);
  Obj *mode = screen ? make(K_MODE, "CGDisplayCopyDisplayMode") : NULL;
  if (mode) { mode->width = screen->at.size.width; mode->number = screen->scale; }
  unlock_world();
  return mode;
}
EXPORT uint64_t CGDisplayModeGetWidth(const void *cf) { Obj *mode = check(cf, K_MODE, "CGDisplayModeGetWidth"); return mode ? mode->width : 0; }
EXPORT uint64_t CGDisplayModeGetPixelWidth(const void *cf) {
  Obj *mode = check(cf, K_MODE, "CGDisplayModeGetPixelWidth");
  return mode ? mode->width * mode->number + .5 : 0;
}
EXPORT void CGDisplayModeRelease(const void *cf) { lock_world(); if (cf) release(check(cf, K_MODE, "CGDisplayModeRelease"), "CGDisplayModeRelease"); unlock_world(); }

/* --- windows ----------------------------------------------------------------------------------------------------- */

static Obj *dictionary(const char **keys, Obj **values, int count, const char *origin) {
  Obj *made = make(K_DICT, origin);
  made->keys = malloc(count * sizeof *made->keys);
  made->items = malloc(count * sizeof *made->items);
  for (int i = 0; i < count; i++) if (values[i]) {
    made->keys[made->length] = string_of(keys[i], origin);
    made->items[made->length++] = values[i];
  }
  return made;
}
static Obj *describe(const Window *window) {
  const char *from = "CGWindowListCopyWindowInfo";
  const char *sides[] = { "X", "Y", "Width", "Height" };
  CGRect at = window->at;
  Obj *numbers[] = { number_of(at.origin.x, true, from), number_of(at.origin.y, true, from), number_of(at.size.width, true, from), number_of(at.size.height, true, from) };
  App *app = app_by_pid(window->pid);
  const char *keys[] = { "kCGWindowNumber", "kCGWindowOwnerPID", "kCGWindowOwnerName", "kCGWindowName", "kCGWindowLayer", "kCGWindowBounds", "kCGWindowIsOnscreen" };
  Obj *values[] = { number_of(window->id, false, from), number_of(window->pid, false, from), string_of(app ? app->name : "", from),
    may_capture ? string_of(window->title, from) : NULL, number_of(window->layer, false, from), dictionary(sides, numbers, 4, from),
    window->isOnScreen ? boolean_true : NULL };
  return dictionary(keys, values, 7, from);
}
EXPORT const void *CGWindowListCopyWindowInfo(uint32_t option, uint32_t relative) {
  (void)relative;
  lock_world();
  Obj *items[32];
  int count = 0;
  for (int i = 0; i < z_count; i++) {
    Window *window = window_by_id(z[i]);
    if (window && (!(option & 1) || window->isOnScreen)) items[count++] = describe(window);
  }
  Obj *list = array_of(items, count, "CGWindowListCopyWindowInfo");
  unlock_world();
  return list;
}
EXPORT bool CGRectMakeWithDictionaryRepresentation(const void *cf, CGRect *out) {
  lock_world();
  Obj *source = check(cf, K_DICT, "CGRectMakeWithDictionaryRepresentation");
  double *sides = (double *)out;
  for (int i = 0; source && i < 4; i++) sides[i] = source->items[i]->number;
  unlock_world();
  return source != NULL;
}

/* --- pictures ---------------------------------------------------------------------------------------------------- */

EXPORT const void *CGWindowListCreateImage(CGRect bounds, uint32_t option, uint32_t id, uint32_t how) {
  (void)how;
  lock_world();
  Window *window = option & 8 ? window_by_id(id) : NULL;
  Obj *image = NULL;
  if (may_capture && (window || !(option & 8))) {
    CGRect part = window ? window->at : bounds;
    double scale = scale_at(part);
    image = make(K_IMAGE, "CGWindowListCreateImage");
    image->width = part.size.width * scale + .5;
    image->height = part.size.height * scale + .5;
    /* Rows are padded, as on a real Mac. */
    image->stride = (image->width * 4 + 63) / 64 * 64 + 64;
    image->bytes = malloc((size_t)image->stride * image->height);
    memset(image->bytes, 0xee, (size_t)image->stride * image->height);
    paint(image->bytes, image->stride, part, scale, window ? window->id : 0, false);
    image->owner = make(K_PROVIDER, "CGImageGetDataProvider");
    image->owner->bytes = image->bytes;
    image->owner->length = 0;
    image->owner->width = image->stride * image->height;
  }
  unlock_world();
  return image;
}
#define IMAGE(name, type, value) EXPORT type name(const void *cf) { Obj *image = check(cf, K_IMAGE, #name); return image ? (value) : 0; }
IMAGE(CGImageGetWidth, uint64_t, image->width)
IMAGE(CGImageGetHeight, uint64_t, image->height)
IMAGE(CGImageGetBytesPerRow, uint64_t, image->stride)
IMAGE(CGImageGetBitsPerPixel, uint64_t, 32)
IMAGE(CGImageGetBitmapInfo, uint32_t, 0x2002)
EXPORT const void *CGImageGetDataProvider(const void *cf) { Obj *image = check(cf, K_IMAGE, "CGImageGetDataProvider"); return image ? image->owner : NULL; }
EXPORT void CGImageRelease(const void *cf) { lock_world(); if (cf) release(check(cf, K_IMAGE, "CGImageRelease"), "CGImageRelease"); unlock_world(); }
EXPORT const void *CGDataProviderCopyData(const void *cf) {
  lock_world();
  Obj *provider = check(cf, K_PROVIDER, "CGDataProviderCopyData"), *data = NULL;
  if (provider) {
    data = make(K_DATA, "CGDataProviderCopyData");
    data->length = provider->width;
    data->bytes = malloc(data->length);
    memcpy(data->bytes, provider->bytes, data->length);
  }
  unlock_world();
  return data;
}

/* --- events ------------------------------------------------------------------------------------------------------ */

EXPORT const void *CGEventSourceCreate(int32_t state) { (void)state; lock_world(); Obj *source = make(K_EVENTSOURCE, "CGEventSourceCreate"); unlock_world(); return source; }
EXPORT uint64_t CGEventSourceFlagsState(int32_t state) { (void)state; return held_flags(); }
EXPORT const void *CGEventCreate(const void *source) {
  (void)source;
  lock_world();
  Obj *event = make(K_EVENT, "CGEventCreate");
  event->at = pointer_at;
  unlock_world();
  return event;
}
EXPORT CGPoint CGEventGetLocation(const void *cf) { Obj *event = check(cf, K_EVENT, "CGEventGetLocation"); return event ? event->at : (CGPoint){ 0, 0 }; }
EXPORT const void *CGEventCreateMouseEvent(const void *source, uint32_t type, CGPoint at, uint32_t button) {
  lock_world();
  if (source) check(source, K_EVENTSOURCE, "CGEventCreateMouseEvent");
  Obj *event = make(K_EVENT, "CGEventCreateMouseEvent");
  event->eventType = type;
  event->at = at;
  event->button = button;
  unlock_world();
  return event;
}
EXPORT const void *CGEventCreateKeyboardEvent(const void *source, uint16_t code, bool down) {
  lock_world();
  if (source) check(source, K_EVENTSOURCE, "CGEventCreateKeyboardEvent");
  Obj *event = make(K_EVENT, "CGEventCreateKeyboardEvent");
  event->eventType = down ? 10 : 11;
  event->code = code;
  event->down = down;
  event->flags = held_flags();
  unlock_world();
  return event;
}
EXPORT const void *CGEventCreateScrollWheelEvent2(const void *source, uint32_t units, uint32_t count, int32_t one, int32_t two, int32_t three) {
  (void)source; (void)three;
  lock_world();
  if (units != 0 || count != 2) violation("CGEventCreateScrollWheelEvent2: units %u, %u wheels", units, count);
  Obj *event = make(K_EVENT, "CGEventCreateScrollWheelEvent2");
  event->eventType = 22;
  event->wheel[0] = one;
  event->wheel[1] = two;
  unlock_world();
  return event;
}
EXPORT void CGEventSetFlags(const void *cf, uint64_t flags) { Obj *event = check(cf, K_EVENT, "CGEventSetFlags"); if (event) event->flags = flags; }
EXPORT void CGEventSetIntegerValueField(const void *cf, uint32_t field, int64_t value) {
  Obj *event = check(cf, K_EVENT, "CGEventSetIntegerValueField");
  if (!event) return;
  if (field == 1) event->clicks = value;
  else if (field == 3) event->button = value;
  else violation("CGEventSetIntegerValueField: field %u is not simulated", field);
}
EXPORT void CGEventKeyboardSetUnicodeString(const void *cf, uint64_t length, const uint16_t *units) {
  Obj *event = check(cf, K_EVENT, "CGEventKeyboardSetUnicodeString");
  if (!event) return;
  if (length > 20) violation("CGEventKeyboardSetUnicodeString: %llu units, of which 20 arrive", (unsigned long long)length);
  if (length && units[length - 1] >= 0xd800 && units[length - 1] < 0xdc00) violation("CGEventKeyboardSetUnicodeString: half a character");
  event->textLength = length > 20 ? 20 : length;
  memcpy(event->text, units, event->textLength * 2);
}
EXPORT void CGEventPost(uint32_t tap, const void *cf) {
  (void)tap;
  lock_world();
  Obj *event = check(cf, K_EVENT, "CGEventPost");
  /* Without permission macOS drops events and says nothing. */
  if (event && is_trusted && !is_locked) {
    if (event->eventType == 22) handle_wheel(event->wheel[0], event->wheel[1]);
    else if (event->eventType == 10 || event->eventType == 11) handle_key(event->code, event->down, event->flags, event->text, event->textLength);
    else handle_mouse(event->eventType, event->at, event->button, event->clicks);
  }
  unlock_world();
}
EXPORT bool CGPreflightScreenCaptureAccess(void) { return may_capture; }
EXPORT bool CGPreflightPostEventAccess(void) { return is_trusted; }
EXPORT const void *CGSessionCopyCurrentDictionary(void) {
  lock_world();
  const char *keys[] = { "CGSSessionScreenIsLocked" };
  Obj *values[] = { is_locked ? boolean_true : NULL };
  Obj *session = dictionary(keys, values, 1, "CGSessionCopyCurrentDictionary");
  unlock_world();
  return session;
}

/* --- keyboard layout --------------------------------------------------------------------------------------------- */

static const char us_plain[] = "asdfhgzxcv\xa7" "bqweryt123465=97-80]ou[ip\rlj'k;\\,/nm.\t `";
static const char us_shift[] = "ASDFHGZXCV\xb1" "BQWERYT!@#$^%+(&_*)}OU{IP\rLJ\"K:|<?NM>\t ~";

EXPORT const void *kTISPropertyUnicodeKeyLayoutData;
static Obj *layout_data;
__attribute__((constructor(103))) static void begin_layout(void) {
  Obj *name = string_of("TISPropertyUnicodeKeyLayoutData", "the system");
  name->immortal = true;
  kTISPropertyUnicodeKeyLayoutData = name;
  layout_data = make_immortal(K_DATA);
  layout_data->bytes = (uint8_t *)"US layout";
  layout_data->length = 9;
}
EXPORT const void *TISCopyCurrentKeyboardLayoutInputSource(void) { lock_world(); Obj *source = make(K_INPUTSOURCE, "TISCopyCurrentKeyboardLayoutInputSource"); unlock_world(); return source; }
EXPORT const void *TISCopyCurrentASCIICapableKeyboardLayoutInputSource(void) { lock_world(); Obj *source = make(K_INPUTSOURCE, "TISCopyCurrentASCIICapableKeyboardLayoutInputSource"); unlock_world(); return source; }
EXPORT void *TISGetInputSourceProperty(const void *cf, const void *key) {
  Obj *source = check(cf, K_INPUTSOURCE, "TISGetInputSourceProperty");
  return source && key == kTISPropertyUnicodeKeyLayoutData ? layout_data : NULL;
}
EXPORT uint8_t LMGetKbdType(void) { return 40; }
EXPORT int32_t UCKeyTranslate(const void *layout, uint16_t code, uint16_t action, uint32_t modifiers, uint32_t type, uint32_t options,
                              uint32_t *dead, uint64_t most, uint64_t *length, uint16_t *out) {
  if (layout != layout_data->bytes || action != 0 || type != 40 || options != 1 || most < 1) violation("UCKeyTranslate: wrong arguments");
  *dead = 0;
  *length = 0;
  if (code >= sizeof us_plain - 1 || modifiers & ~2u) return 0;
  out[0] = (uint8_t)(modifiers & 2 ? us_shift : us_plain)[code];
  *length = 1;
  return 0;
}
