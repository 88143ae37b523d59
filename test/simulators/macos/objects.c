/* Simulator of macOS: CoreFoundation. */
#include "objects.h"
#include <stdarg.h>

pthread_mutex_t world_lock;
static Obj **all;
static int all_count, all_room;
static char *violations[200];
static int violations_count;

__attribute__((constructor(101))) static void begin_lock(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&world_lock, &attributes);
}

void lock_world(void) { pthread_mutex_lock(&world_lock); }
void unlock_world(void) { pthread_mutex_unlock(&world_lock); }

void violation(const char *format, ...) {
  char text[300];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof text, format, args);
  va_end(args);
  if (violations_count < 200) violations[violations_count++] = strdup(text);
}
int violation_count(void) { return violations_count; }
const char *violation_text(int index) { return violations[index]; }

static const char *kind_names[K_COUNT] = {
  "nothing", "CFString", "CFArray", "CFDictionary", "CFNumber", "CFBoolean", "CFData", "CFURL", "AXUIElement", "AXValue",
  "AXObserver", "CFRunLoopSource", "CFRunLoop", "CGEvent", "CGEventSource", "CGImage", "CGDataProvider", "CGDisplayMode",
  "TISInputSource", "Class", "NSWorkspace", "NSWorkspaceOpenConfiguration", "NSRunningApplication", "NSPasteboard", "NSError"
};

Obj *make(enum Kind kind, const char *origin) {
  Obj *object = calloc(1, sizeof *object);
  object->magic = ALIVE;
  object->kind = kind;
  object->count = 1;
  object->origin = origin;
  if (all_count == all_room) all = realloc(all, (all_room = all_room ? all_room * 2 : 1024) * sizeof *all);
  all[all_count++] = object;
  return object;
}

Obj *make_immortal(enum Kind kind) {
  Obj *object = make(kind, "the system");
  object->immortal = true;
  return object;
}

Obj *check(const void *pointer, enum Kind kind, const char *where) {
  Obj *object = (Obj *)pointer;
  if (!object) { violation("%s: NULL", where); return NULL; }
  if (object->magic == DEAD) {
    violation("%s: used a %s from %s after it was freed", where, kind_names[object->kind], object->origin);
    return NULL;
  }
  if (object->magic != ALIVE) { violation("%s: not an object", where); return NULL; }
  if (kind != K_NONE && object->kind != (int)kind) {
    violation("%s: a %s where a %s belongs", where, kind_names[object->kind], kind_names[kind]);
    return NULL;
  }
  return object;
}

void retain(Obj *object) { if (object && !object->immortal) object->count++; }

void release(Obj *object, const char *where) {
  if (!object || object->immortal) return;
  if (object->magic == DEAD) {
    violation("%s: released a %s from %s once too often", where, kind_names[object->kind], object->origin);
    return;
  }
  if (--object->count > 0) return;
  object->magic = DEAD;
  for (int64_t i = 0; i < object->length && object->items; i++) release(object->items[i], "an array's end");
  if (object->keys) for (int64_t i = 0; i < object->length; i++) release(object->keys[i], "a dictionary's end");
  if (object->owner) release(object->owner, "its owner's end");
}

int live_objects(char *out, size_t room) {
  int live = 0;
  size_t used = 0;
  out[0] = 0;
  for (int i = 0; i < all_count; i++) {
    Obj *object = all[i];
    if (object->magic != ALIVE || object->immortal) continue;
    live++;
    if (used + 120 < room)
      used += snprintf(out + used, room - used, "%s\"%s rc=%lld from %s\"", live > 1 ? "," : "", kind_names[object->kind],
                       (long long)object->count, object->origin);
  }
  return live;
}

/* --- text ------------------------------------------------------------------------------------------------------ */

char *utf8_of_units(const uint16_t *units, int64_t length) {
  char *out = malloc(length * 3 + 1), *at = out;
  for (int64_t i = 0; i < length; i++) {
    uint32_t c = units[i];
    if (c >= 0xd800 && c < 0xdc00 && i + 1 < length) c = 0x10000 + ((c - 0xd800) << 10) + (units[++i] - 0xdc00);
    if (c < 0x80) *at++ = c;
    else if (c < 0x800) { *at++ = 0xc0 | c >> 6; *at++ = 0x80 | (c & 63); }
    else if (c < 0x10000) { *at++ = 0xe0 | c >> 12; *at++ = 0x80 | (c >> 6 & 63); *at++ = 0x80 | (c & 63); }
    else { *at++ = 0xf0 | c >> 18; *at++ = 0x80 | (c >> 12 & 63); *at++ = 0x80 | (c >> 6 & 63); *at++ = 0x80 | (c & 63); }
  }
  *at = 0;
  return out;
}
char *utf8_of(const Obj *string) { return utf8_of_units(string->units, string->length); }

Obj *string_of(const char *utf8, const char *origin) {
  Obj *string = make(K_STRING, origin);
  size_t bytes = strlen(utf8);
  string->units = malloc(bytes * 2 + 2);
  for (const unsigned char *p = (const unsigned char *)utf8; *p;) {
    uint32_t c = *p++;
    int more = c >= 0xf0 ? 3 : c >= 0xe0 ? 2 : c >= 0xc0 ? 1 : 0;
    c = more == 3 ? c & 7 : more == 2 ? c & 15 : more == 1 ? c & 31 : c;
    while (more-- && *p) c = c << 6 | (*p++ & 63);
    if (c >= 0x10000) {
      string->units[string->length++] = 0xd800 + ((c - 0x10000) >> 10);
      c = 0xdc00 + ((c - 0x10000) & 0x3ff);
    }
    string->units[string->length++] = c;
  }
  return string;
}

bool is_string(const Obj *string, const char *utf8) {
  if (!string || string->kind != K_STRING) return false;
  char *text = utf8_of(string);
  bool same = !strcmp(text, utf8);
  free(text);
  return same;
}

bool equals(const Obj *a, const Obj *b) {
  if (a == b) return true;
  if (a->kind != b->kind) return false;
  if (a->kind == K_STRING) return a->length == b->length && !memcmp(a->units, b->units, a->length * 2);
  if (a->kind == K_NUMBER) return a->number == b->number;
  if (a->kind == K_AX) return a->pid == b->pid && a->node == b->node;
  return false;
}

Obj *number_of(double value, bool isFloat, const char *origin) {
  Obj *number = make(K_NUMBER, origin);
  number->number = value;
  number->isFloat = isFloat;
  return number;
}

/* Takes over one reference to each item. */
Obj *array_of(Obj **items, int64_t count, const char *origin) {
  Obj *array = make(K_ARRAY, origin);
  array->items = malloc((count ? count : 1) * sizeof *items);
  memcpy(array->items, items, count * sizeof *items);
  array->length = count;
  return array;
}

/* --- exported -------------------------------------------------------------------------------------------------- */

Obj *boolean_true, *boolean_false;
EXPORT const void *kCFBooleanTrue, *kCFBooleanFalse, *kCFRunLoopDefaultMode;
EXPORT uint64_t kCFTypeArrayCallBacks[5];

__attribute__((constructor(102))) static void begin_constants(void) {
  kCFBooleanTrue = boolean_true = make_immortal(K_BOOL);
  kCFBooleanFalse = boolean_false = make_immortal(K_BOOL);
  Obj *mode = string_of("kCFRunLoopDefaultMode", "the system");
  mode->immortal = true;
  kCFRunLoopDefaultMode = mode;
}

#define LOCKED(type, work) type result_; lock_world(); result_ = (work); unlock_world(); return result_
#define LOCKED_VOID(work) lock_world(); work; unlock_world()

EXPORT const void *CFRetain(const void *cf) {
  lock_world();
  Obj *object = check(cf, K_NONE, "CFRetain");
  retain(object);
  unlock_world();
  return cf;
}
EXPORT void CFRelease(const void *cf) {
  lock_world();
  if (!cf) violation("CFRelease: NULL");
  else release((Obj *)cf, "CFRelease");
  unlock_world();
}
EXPORT uint64_t CFGetTypeID(const void *cf) {
  lock_world();
  Obj *object = check(cf, K_NONE, "CFGetTypeID");
  unlock_world();
  return object ? object->kind : 0;
}
EXPORT uint8_t CFEqual(const void *a, const void *b) {
  lock_world();
  Obj *one = check(a, K_NONE, "CFEqual"), *other = check(b, K_NONE, "CFEqual");
  bool same = one && other && equals(one, other);
  unlock_world();
  return same;
}
EXPORT uint64_t CFStringGetTypeID(void) { return K_STRING; }
EXPORT uint64_t CFArrayGetTypeID(void) { return K_ARRAY; }
EXPORT uint64_t CFNumberGetTypeID(void) { return K_NUMBER; }
EXPORT uint64_t CFBooleanGetTypeID(void) { return K_BOOL; }
EXPORT uint64_t CFURLGetTypeID(void) { return K_URL; }
EXPORT uint64_t CFAttributedStringGetTypeID(void) { return 1000; }
EXPORT const void *CFAttributedStringGetString(const void *string) { (void)string; return NULL; }

EXPORT const void *CFStringCreateWithCharacters(const void *allocator, const uint16_t *units, int64_t length) {
  (void)allocator;
  lock_world();
  Obj *string = make(K_STRING, "CFStringCreateWithCharacters");
  string->units = malloc(length * 2 + 2);
  memcpy(string->units, units, length * 2);
  string->length = length;
  unlock_world();
  return string;
}
EXPORT int64_t CFStringGetLength(const void *cf) {
  lock_world();
  Obj *string = check(cf, K_STRING, "CFStringGetLength");
  unlock_world();
  return string ? string->length : 0;
}
EXPORT void CFStringGetCharacters(const void *cf, CFRange range, uint16_t *out) {
  lock_world();
  Obj *string = check(cf, K_STRING, "CFStringGetCharacters");
  if (string && (range.location < 0 || range.length < 0 || range.location + range.length > string->length))
    violation("CFStringGetCharacters: range %lld+%lld of %lld", (long long)range.location, (long long)range.length,
              (long long)string->length);
  else if (string) memcpy(out, string->units + range.location, range.length * 2);
  unlock_world();
}
EXPORT const void *CFArrayCreate(const void *allocator, const void **values, int64_t count, const void *callbacks) {
  (void)allocator;
  lock_world();
  if (callbacks != kCFTypeArrayCallBacks) violation("CFArrayCreate: an array that does not retain its items");
  for (int64_t i = 0; i < count; i++) retain(check(values[i], K_NONE, "CFArrayCreate"));
  Obj *array = array_of((Obj **)values, count, "CFArrayCreate");
  unlock_world();
  return array;
}
EXPORT int64_t CFArrayGetCount(const void *cf) {
  lock_world();
  Obj *array = check(cf, K_ARRAY, "CFArrayGetCount");
  unlock_world();
  return array ? array->length : 0;
}
EXPORT const void *CFArrayGetValueAtIndex(const void *cf, int64_t index) {
  lock_world();
  Obj *array = check(cf, K_ARRAY, "CFArrayGetValueAtIndex"), *found = NULL;
  if (array && (index < 0 || index >= array->length)) violation("CFArrayGetValueAtIndex: %lld of %lld", (long long)index, (long long)array->length);
  else if (array) found = array->items[index];
  unlock_world();
  return found;
}
EXPORT const void *CFDictionaryGetValue(const void *cf, const void *key) {
  lock_world();
  Obj *dictionary = check(cf, K_DICT, "CFDictionaryGetValue"), *wanted = check(key, K_STRING, "CFDictionaryGetValue"), *found = NULL;
  for (int64_t i = 0; dictionary && wanted && i < dictionary->length; i++)
    if (equals(dictionary->keys[i], wanted)) found = dictionary->items[i];
  unlock_world();
  return found;
}
EXPORT const void *CFNumberCreate(const void *allocator, int64_t type, const void *value) {
  (void)allocator;
  lock_world();
  Obj *number = NULL;
  if (type == 4) number = number_of((double)*(const int64_t *)value, false, "CFNumberCreate");
  else if (type == 6) number = number_of(*(const double *)value, true, "CFNumberCreate");
  else violation("CFNumberCreate: type %lld is not simulated", (long long)type);
  unlock_world();
  return number;
}
EXPORT uint8_t CFNumberGetValue(const void *cf, int64_t type, void *out) {
  lock_world();
  Obj *number = check(cf, K_NUMBER, "CFNumberGetValue");
  if (number && type == 6) *(double *)out = number->number;
  else if (number && type == 4) *(int64_t *)out = (int64_t)number->number;
  else if (number) violation("CFNumberGetValue: type %lld is not simulated", (long long)type);
  unlock_world();
  return number != NULL;
}
EXPORT uint8_t CFBooleanGetValue(const void *cf) {
  lock_world();
  Obj *boolean = check(cf, K_BOOL, "CFBooleanGetValue");
  unlock_world();
  return boolean == boolean_true;
}
EXPORT int64_t CFDataGetLength(const void *cf) {
  lock_world();
  Obj *data = check(cf, K_DATA, "CFDataGetLength");
  unlock_world();
  return data ? data->length : 0;
}
EXPORT const uint8_t *CFDataGetBytePtr(const void *cf) {
  lock_world();
  Obj *data = check(cf, K_DATA, "CFDataGetBytePtr");
  unlock_world();
  return data ? data->bytes : NULL;
}
EXPORT const void *CFURLGetString(const void *cf) {
  lock_world();
  Obj *url = check(cf, K_URL, "CFURLGetString");
  unlock_world();
  return url ? url->owner : NULL;
}
