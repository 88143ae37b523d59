/* Simulator of macOS: the accessibility interface and the run loop. */
#include "world.h"

enum { SUCCESS = 0, INVALID = -25202, CANNOT = -25204, UNSUPPORTED = -25205, NO_ACTION = -25206, DISABLED = -25211, NO_VALUE = -25212 };

static float patience = 6;
static bool has_patience;

Obj *ax_of(int pid, int node, const char *origin) {
  Obj *element = make(K_AX, origin);
  element->pid = pid;
  element->node = node;
  return element;
}
/* -1 is the app itself, -2 the whole system. */
enum { APP_NODE = -1, SYSTEM_NODE = -2 };

EXPORT uint64_t AXUIElementGetTypeID(void) { return K_AX; }
EXPORT uint64_t AXValueGetTypeID(void) { return K_AXVALUE; }
EXPORT uint8_t AXIsProcessTrusted(void) { return is_trusted; }
EXPORT const void *AXUIElementCreateApplication(int32_t pid) { lock_world(); Obj *app = ax_of(pid, APP_NODE, "AXUIElementCreateApplication"); unlock_world(); return app; }
EXPORT const void *AXUIElementCreateSystemWide(void) { lock_world(); Obj *all = ax_of(0, SYSTEM_NODE, "AXUIElementCreateSystemWide"); unlock_world(); return all; }
EXPORT int32_t AXUIElementGetPid(const void *cf, int32_t *pid) {
  Obj *element = check(cf, K_AX, "AXUIElementGetPid");
  if (!element) return INVALID;
  *pid = element->pid;
  return SUCCESS;
}
EXPORT int32_t AXUIElementSetMessagingTimeout(const void *cf, float seconds) {
  Obj *element = check(cf, K_AX, "AXUIElementSetMessagingTimeout");
  if (!element) return INVALID;
  if (seconds < 0 || seconds > 100) violation("AXUIElementSetMessagingTimeout: %g s", seconds);
  has_patience = true;
  if (element->node == SYSTEM_NODE) patience = seconds ? seconds : 6;
  else element->timeout = seconds;
  return SUCCESS;
}

/* One message to the app. A frozen one answers nothing until the time is up. */
static int32_t ask(Obj *element, int pid) {
  if (!is_trusted) return DISABLED;
  round_trips++;
  App *app = app_by_pid(pid);
  if (!app) return pid ? INVALID : SUCCESS;
  if (app->isFrozen) {
    if (!has_patience) violation("asked an app that hangs without a deadline");
    float seconds = element->timeout > 0 ? element->timeout : has_patience ? patience : 1;
    unlock_world();
    usleep(seconds * 1e6);
    lock_world();
    return CANNOT;
  }
  if (element->node >= 0 && !nodes[element->node].isUsed) return INVALID;
  return SUCCESS;
}

static Obj *pair_value(int type, double a, double b) {
  Obj *value = make(K_AXVALUE, "an attribute");
  value->type = type;
  value->pair[0] = a;
  value->pair[1] = b;
  return value;
}
static Obj *boolean(bool value) { return value ? boolean_true : boolean_false; }
static Obj *text(const char *utf8) { return string_of(utf8, "an attribute"); }

static Obj *children_of(int pid, int parent, bool onlyWindows) {
  Obj *items[128];
  int count = 0;
  for (int i = 0; i < z_count && parent == NO_NODE; i++)
    for (int n = 0; n < 512; n++)
      if (nodes[n].isUsed && nodes[n].pid == pid && nodes[n].parent == NO_NODE && nodes[n].window == z[i]) items[count++] = ax_of(pid, n, "AXChildren");
  /* Minimised windows are at the end. */
  for (int n = 0; n < 512; n++) {
    if (!nodes[n].isUsed || nodes[n].pid != pid) continue;
    if (parent != NO_NODE ? nodes[n].parent == parent : !onlyWindows && !strcmp(nodes[n].role, "AXMenuBar")) items[count++] = ax_of(pid, n, "AXChildren");
  }
  return array_of(items, count, "AXChildren");
}
static int window_node(int window) {
  for (int n = 0; n < 512; n++) if (nodes[n].isUsed && nodes[n].window == window && nodes[n].parent == NO_NODE) return n;
  return NO_NODE;
}

static Obj *app_attribute(int pid, const Obj *name) {
  if (is_string(name, "AXRole")) return text("AXApplication");
  if (is_string(name, "AXWindows")) return children_of(pid, NO_NODE, true);
  if (is_string(name, "AXChildren")) return children_of(pid, NO_NODE, false);
  if (is_string(name, "AXFrontmost")) return boolean(front_pid == pid);
  if (is_string(name, "AXFocusedWindow") && focused_window(pid)) return ax_of(pid, window_node(focused_window(pid)), "AXFocusedWindow");
  if (is_string(name, "AXMenuBar")) for (int n = 0; n < 512; n++)
    if (nodes[n].isUsed && nodes[n].pid == pid && !strcmp(nodes[n].role, "AXMenuBar")) return ax_of(pid, n, "AXMenuBar");
  return NULL;
}
static Obj *system_attribute(const Obj *name) {
  App *app = app_by_pid(front_pid);
  if (!app) return NULL;
  if (is_string(name, "AXFocusedApplication")) return ax_of(front_pid, APP_NODE, "AXFocusedApplication");
  if (is_string(name, "AXFocusedUIElement") && app->focus != NO_NODE && nodes[app->focus].isUsed) return ax_of(front_pid, app->focus, "AXFocusedUIElement");
  return NULL;
}
static bool is_role(const Node *node, const char *role) { return !strcmp(node->role, role); }

static Obj *button_of(int parent, const char *subrole) {
  for (int n = 0; n < 512; n++) if (nodes[n].isUsed && nodes[n].parent == parent && !strcmp(nodes[n].subrole, subrole)) return ax_of(nodes[n].pid, n, "a button of a window");
  return NULL;
}

static Obj *node_attribute(int index, const Obj *name) {
  Node *node = &nodes[index];
  Window *window = window_by_id(node->window);
  bool isText = is_role(node, "AXStaticText"), isWindow = is_role(node, "AXWindow");
  bool isField = is_role(node, "AXTextField") || is_role(node, "AXTextArea");
  CGRect at = node_rect(node);
  if (isWindow && window) at = window->at;
  if (is_string(name, "AXRole")) return text(node->role);
  if (is_string(name, "AXSubrole")) return *node->subrole ? text(node->subrole) : NULL;
  if (is_string(name, "AXTitle")) return isWindow && window ? text(window->title) : *node->name && !isText && !node->isDescription && node->label == NO_NODE ? text(node->name) : NULL;
  if (is_string(name, "AXDescription")) return node->isDescription ? text(node->name) : NULL;
  if (is_string(name, "AXIdentifier")) return *node->identifier ? text(node->identifier) : NULL;
  if (is_string(name, "AXValue")) {
    if (isText) return text(node->name);
    if (isField) { char *utf8 = utf8_of_units(node->text, node->textLength); Obj *value = text(utf8); free(utf8); return value; }
    return node->hasValue ? number_of(node->value, node->hasRange, "AXValue") : NULL;
  }
  if (is_string(name, "AXPosition")) return pair_value(1, at.origin.x, at.origin.y);
  if (is_string(name, "AXSize")) return pair_value(2, at.size.width, at.size.height);
  if (is_string(name, "AXEnabled")) return boolean(node->isEnabled);
  if (is_string(name, "AXFocused")) { App *app = app_by_pid(node->pid); return isField || is_role(node, "AXButton") ? boolean(app && app->focus == index) : NULL; }
  if (is_string(name, "AXSelected")) return is_role(node, "AXRow") ? boolean(node->isSelected) : NULL;
  if (is_string(name, "AXMinValue")) return node->hasRange ? number_of(node->min, true, "AXMinValue") : NULL;
  if (is_string(name, "AXMaxValue")) return node->hasRange ? number_of(node->max, true, "AXMaxValue") : NULL;
  if (is_string(name, "AXTitleUIElement")) return node->label == NO_NODE ? NULL : ax_of(node->pid, node->label, "AXTitleUIElement");
  if (is_string(name, "AXChildren")) return children_of(node->pid, index, false);
  if (is_string(name, "AXParent")) return ax_of(node->pid, node->parent == NO_NODE ? APP_NODE : node->parent, "AXParent");
  if (is_string(name, "AXWindow")) { int at_ = window_node(node->window); return isWindow || at_ == NO_NODE ? NULL : ax_of(node->pid, at_, "AXWindow"); }
  if (isWindow && window) {
    if (is_string(name, "AXMinimized")) return boolean(window->isMinimized);
    if (is_string(name, "AXModal")) return boolean(window->isDialog);
    if (is_string(name, "AXFullScreen")) return boolean(false);
    if (is_string(name, "AXCloseButton") || is_string(name, "AXMinimizeButton") || is_string(name, "AXZoomButton")) {
      char *which = utf8_of(name);
      Obj *button = button_of(index, which);
      free(which);
      return button;
    }
  }
  return NULL;
}
static Obj *attribute(const Obj *element, const Obj *name) {
  if (element->node == SYSTEM_NODE) return system_attribute(name);
  return element->node == APP_NODE ? app_attribute(element->pid, name) : node_attribute(element->node, name);
}
static int pid_asked(const Obj *element) { return element->node == SYSTEM_NODE ? front_pid : element->pid; }

EXPORT int32_t AXUIElementCopyAttributeValue(const void *cf, const void *key, const void **out) {
  lock_world();
  Obj *element = check(cf, K_AX, "AXUIElementCopyAttributeValue"), *name = check(key, K_STRING, "AXUIElementCopyAttributeValue");
  /* Who is in front is known to the system itself. */
  bool isKnown = element && element->node == SYSTEM_NODE && is_string(name, "AXFocusedApplication");
  int32_t code = !element || !name ? INVALID : isKnown ? (is_trusted ? SUCCESS : DISABLED) : ask(element, pid_asked(element));
  *out = code == SUCCESS ? attribute(element, name) : NULL;
  if (code == SUCCESS && !*out) code = NO_VALUE;
  unlock_world();
  return code;
}
EXPORT int32_t AXUIElementCopyMultipleAttributeValues(const void *cf, const void *keys, uint32_t options, const void **out) {
  lock_world();
  Obj *element = check(cf, K_AX, "AXUIElementCopyMultipleAttributeValues"), *names = check(keys, K_ARRAY, "AXUIElementCopyMultipleAttributeValues");
  *out = NULL;
  if (options) violation("AXUIElementCopyMultipleAttributeValues: stops at the first missing one");
  int32_t code = !element || !names ? INVALID : ask(element, pid_asked(element));
  if (code == SUCCESS) {
    Obj *values[64];
    for (int64_t i = 0; i < names->length && i < 64; i++) {
      values[i] = attribute(element, names->items[i]);
      if (!values[i]) { values[i] = pair_value(5, 0, 0); values[i]->error = NO_VALUE; }
    }
    *out = array_of(values, names->length, "AXUIElementCopyMultipleAttributeValues");
  }
  unlock_world();
  return code;
}
EXPORT int32_t AXUIElementCopyActionNames(const void *cf, const void **out) {
  lock_world();
  Obj *element = check(cf, K_AX, "AXUIElementCopyActionNames");
  *out = NULL;
  int32_t code = element ? ask(element, pid_asked(element)) : INVALID;
  if (code == SUCCESS) {
    Obj *names[8];
    int count = 0;
    char *all = strdup(element->node >= 0 ? nodes[element->node].actions : ""), *rest = all;
    for (char *one; (one = strsep(&rest, " "));) if (*one) names[count++] = string_of(one, "AXUIElementCopyActionNames");
    free(all);
    *out = array_of(names, count, "AXUIElementCopyActionNames");
  }
  unlock_world();
  return code;
}
EXPORT int32_t AXUIElementPerformAction(const void *cf, const void *action) {
  lock_world();
  Obj *element = check(cf, K_AX, "AXUIElementPerformAction"), *name = check(action, K_STRING, "AXUIElementPerformAction");
  int32_t code = element && name ? ask(element, pid_asked(element)) : INVALID;
  if (code == SUCCESS) {
    char *word = utf8_of(name);
    Node *node = element->node >= 0 ? &nodes[element->node] : NULL;
    if (!node || !strstr(node->actions, word)) code = NO_ACTION;
    else if (!strcmp(word, "AXRaise")) { raise_window(node->window); if (front_pid == node->pid) activate_app(node->pid); }
    else if (!strcmp(word, "AXPress")) press_node(element->node);
    else if (!strcmp(word, "AXScrollToVisible")) scroll_to_row(element->node);
    free(word);
  }
  unlock_world();
  return code;
}

static int32_t set_node(int index, const Obj *name, const Obj *value) {
  Node *node = &nodes[index];
  Window *window = window_by_id(node->window);
  bool isField = is_role(node, "AXTextField") || is_role(node, "AXTextArea");
  if (is_string(name, "AXFocused") && isField) { focus_node(index); return SUCCESS; }
  if (is_string(name, "AXValue") && isField) {
    if (value->kind != K_STRING) { violation("AXValue of a field: not a string"); return -25201; }
    set_text(index, value->units, value->length);
    return SUCCESS;
  }
  if (is_string(name, "AXValue") && node->hasRange) {
    if (value->kind != K_NUMBER) { violation("AXValue of a slider: not a number"); return -25201; }
    set_number(index, value->number);
    return SUCCESS;
  }
  if (is_string(name, "AXSelectedRows") && node->isTable) {
    for (int64_t i = 0; i < value->length; i++) select_row(value->items[i]->node);
    return SUCCESS;
  }
  if (is_role(node, "AXWindow") && window) {
    if (is_string(name, "AXMinimized")) { window->isMinimized = value == boolean_true; window->isOnScreen = !window->isMinimized; return SUCCESS; }
    if (is_string(name, "AXPosition") && value->type == 1) { window->at.origin = (CGPoint){ value->pair[0], value->pair[1] }; return SUCCESS; }
    if (is_string(name, "AXSize") && value->type == 2) { window->at.size = (CGSize){ value->pair[0], value->pair[1] }; return SUCCESS; }
  }
  return UNSUPPORTED;
}
EXPORT int32_t AXUIElementSetAttributeValue(const void *cf, const void *key, const void *given) {
  lock_world();
  Obj *element = check(cf, K_AX, "AXUIElementSetAttributeValue"), *name = check(key, K_STRING, "AXUIElementSetAttributeValue");
  Obj *value = check(given, K_NONE, "AXUIElementSetAttributeValue");
  int32_t code = element && name && value ? ask(element, pid_asked(element)) : INVALID;
  if (code == SUCCESS) code = element->node < 0 ? UNSUPPORTED : set_node(element->node, name, value);
  unlock_world();
  return code;
}
EXPORT int32_t AXUIElementCopyElementAtPosition(const void *cf, float x, float y, const void **out) {
  lock_world();
  Obj *element = check(cf, K_AX, "AXUIElementCopyElementAtPosition");
  int scope = element && element->node == APP_NODE ? element->pid : 0;
  int node = node_at((CGPoint){ x, y }, scope);
  *out = NULL;
  int32_t code = !element ? INVALID : node == NO_NODE ? (is_trusted ? NO_VALUE : DISABLED) : ask(element, nodes[node].pid);
  /* Like many apps it answers with the container; the caller walks on. */
  if (code == SUCCESS) {
    int hit = nodes[node].scroller ? nodes[node].scroller : node;
    *out = ax_of(nodes[hit].pid, hit, "AXUIElementCopyElementAtPosition");
  }
  unlock_world();
  return code;
}
EXPORT int32_t _AXUIElementGetWindow(const void *cf, uint32_t *id) {
  lock_world();
  Obj *element = check(cf, K_AX, "_AXUIElementGetWindow");
  int32_t code = element && element->node >= 0 && nodes[element->node].isUsed && nodes[element->node].window ? SUCCESS : INVALID;
  if (code == SUCCESS) *id = nodes[element->node].window;
  unlock_world();
  return code;
}
EXPORT const void *AXValueCreate(uint32_t type, const void *from) {
  lock_world();
  Obj *value = make(K_AXVALUE, "AXValueCreate");
  value->type = type;
  memcpy(value->pair, from, 16);
  unlock_world();
  return value;
}
EXPORT uint32_t AXValueGetType(const void *cf) { Obj *value = check(cf, K_AXVALUE, "AXValueGetType"); return value ? value->type : 0; }
EXPORT uint8_t AXValueGetValue(const void *cf, uint32_t type, void *out) {
  Obj *value = check(cf, K_AXVALUE, "AXValueGetValue");
  if (!value || value->type != (int)type) return 0;
  memcpy(out, value->pair, 16);
  return 1;
}

/* --- observers and the run loop ----------------------------------------------------------------------------------- */

typedef void (*Callback)(const void *observer, const void *element, const void *notification, void *info);
static Obj *sources[32];
static struct { int pid, node; const char *name; } waiting[1024];
static int waiting_count;

void notify(int pid, int node, const char *name) {
  if (waiting_count == 1024) return;
  waiting[waiting_count].pid = pid;
  waiting[waiting_count].node = node;
  waiting[waiting_count++].name = name;
}
EXPORT int32_t AXObserverCreate(int32_t pid, void *callback, const void **out) {
  lock_world();
  Obj *observer = make(K_OBSERVER, "AXObserverCreate");
  observer->pid = pid;
  observer->callback = callback;
  observer->owner = make(K_SOURCE, "AXObserverGetRunLoopSource");
  observer->owner->callback = observer;
  *out = observer;
  unlock_world();
  return is_trusted ? SUCCESS : DISABLED;
}
EXPORT int32_t AXObserverAddNotification(const void *cf, const void *element, const void *name, void *info) {
  (void)info;
  lock_world();
  Obj *observer = check(cf, K_OBSERVER, "AXObserverAddNotification");
  bool isRight = observer && check(element, K_AX, "AXObserverAddNotification") && check(name, K_STRING, "AXObserverAddNotification");
  unlock_world();
  return isRight ? SUCCESS : INVALID;
}
EXPORT const void *AXObserverGetRunLoopSource(const void *cf) { Obj *observer = check(cf, K_OBSERVER, "AXObserverGetRunLoopSource"); return observer ? observer->owner : NULL; }
EXPORT const void *CFRunLoopGetMain(void) { static Obj *loop; lock_world(); if (!loop) loop = make_immortal(K_RUNLOOP); unlock_world(); return loop; }
EXPORT void CFRunLoopAddSource(const void *loop, const void *cf, const void *mode) {
  (void)mode;
  lock_world();
  check(loop, K_RUNLOOP, "CFRunLoopAddSource");
  Obj *source = check(cf, K_SOURCE, "CFRunLoopAddSource");
  for (int i = 0; source && i < 32; i++) if (!sources[i]) { sources[i] = source; retain(source); break; }
  unlock_world();
}
EXPORT void CFRunLoopRemoveSource(const void *loop, const void *cf, const void *mode) {
  (void)loop; (void)mode;
  lock_world();
  Obj *source = check(cf, K_SOURCE, "CFRunLoopRemoveSource");
  for (int i = 0; source && i < 32; i++) if (sources[i] == source) { sources[i] = NULL; release(source, "CFRunLoopRemoveSource"); }
  unlock_world();
}
EXPORT int32_t CFRunLoopRunInMode(const void *mode, double seconds, uint8_t once) {
  (void)seconds; (void)once;
  lock_world();
  check(mode, K_STRING, "CFRunLoopRunInMode");
  int handled = 0;
  for (int n = 0; n < waiting_count; n++) {
    for (int i = 0; i < 32; i++) {
      if (!sources[i]) continue;
      Obj *observer = check(sources[i]->callback, K_OBSERVER, "CFRunLoopRunInMode");
      if (!observer || observer->pid != waiting[n].pid) continue;
      Obj *element = ax_of(waiting[n].pid, waiting[n].node, "a notification"), *name = string_of(waiting[n].name, "a notification");
      unlock_world();
      ((Callback)observer->callback)(observer, element, name, NULL);
      lock_world();
      release(element, "a notification");
      release(name, "a notification");
      handled++;
    }
  }
  waiting_count = 0;
  unlock_world();
  return handled ? 4 : 3;
}
