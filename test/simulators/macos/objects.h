/* Simulator of macOS: objects with true retain counts. A freed object is poisoned and never reused, so that every use of it is
   seen; what is alive knows which function made it. */
#pragma once
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

typedef struct { double x, y; } CGPoint;
typedef struct { double width, height; } CGSize;
typedef struct { CGPoint origin; CGSize size; } CGRect;
typedef struct { int64_t location, length; } CFRange;

enum Kind {
  K_NONE, K_STRING, K_ARRAY, K_DICT, K_NUMBER, K_BOOL, K_DATA, K_URL, K_AX, K_AXVALUE, K_OBSERVER, K_SOURCE, K_RUNLOOP,
  K_EVENT, K_EVENTSOURCE, K_IMAGE, K_PROVIDER, K_MODE, K_INPUTSOURCE, K_CLASS, K_WORKSPACE, K_CONFIG, K_RUNNING,
  K_PASTEBOARD, K_ERROR, K_COUNT
};

typedef struct Obj {
  uint64_t isa; /* The class a message goes to; koffi never looks at it. */
  uint32_t magic;
  int kind;
  int64_t count;
  bool immortal;
  const char *origin;
  /* strings, data */
  uint16_t *units;
  int64_t length;
  uint8_t *bytes;
  /* arrays, dictionaries */
  struct Obj **items, **keys;
  /* numbers, values, elements, events, images */
  double number;
  bool isFloat;
  int type, pid, node, error;
  double pair[4];
  float timeout;
  CGPoint at;
  uint32_t eventType, button, flags32, clicks, code;
  uint64_t flags;
  bool down;
  uint16_t text[64];
  int textLength;
  int wheel[2];
  int width, height, stride;
  void *callback;
  struct Obj *owner;
  const char *name;
} Obj;

#define ALIVE 0x5afe0b1eu
#define DEAD 0xdeadbeefu

extern pthread_mutex_t world_lock;
void lock_world(void);
void unlock_world(void);

void violation(const char *format, ...) __attribute__((format(printf, 1, 2)));
Obj *make(enum Kind kind, const char *origin);
Obj *make_immortal(enum Kind kind);
/* Reports a null, freed or wrong object, and returns NULL for it. */
Obj *check(const void *pointer, enum Kind kind, const char *where);
void retain(Obj *object);
void release(Obj *object, const char *where);
Obj *autorelease(Obj *object);
Obj *string_of(const char *utf8, const char *origin);
Obj *number_of(double value, bool isFloat, const char *origin);
Obj *array_of(Obj **items, int64_t count, const char *origin);
Obj *ax_of(int pid, int node, const char *origin);
char *utf8_of(const Obj *string);
char *utf8_of_units(const uint16_t *units, int64_t length);
bool equals(const Obj *a, const Obj *b);
bool is_string(const Obj *string, const char *utf8);
int live_objects(char *out, size_t room);
int violation_count(void);
const char *violation_text(int index);
extern Obj *boolean_true, *boolean_false;
