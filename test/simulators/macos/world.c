/* Simulator of macOS: the apps, their windows and controls, and what input does to them. */
#include "world.h"
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>

Node nodes[512];
Window windows[32];
int z[32], z_count;
App apps[8];
Screen screens[4];
int screen_count, front_pid;
CGPoint pointer_at;
bool is_trusted = true, may_capture = true, is_locked, has_window_call = true;
double scroll_offset;
long round_trips, clipboard_changes;
char *clipboard_text;
bool clipboard_is_picture;

static char *said;
static size_t said_length, said_room;
static bool is_swapped;
static int pressed_node = NO_NODE, dragged_node = NO_NODE;
static uint32_t buttons_down;
static bool keys_down[128];

enum { ROW_HEIGHT = 20, BAR_HEIGHT = 25, TITLE_HEIGHT = 28, ROWS = 40 };

/* --- what the app reports ---------------------------------------------------------------------------------------- */

void say(const char *format, ...) {
  char line[TEXT_ROOM];
  va_list args;
  va_start(args, format);
  int length = vsnprintf(line, sizeof line, format, args);
  va_end(args);
  while (said_length + length + 3 > said_room) said = realloc(said, said_room = said_room ? said_room * 2 : 65536);
  if (said_length) said[said_length++] = ',';
  memcpy(said + said_length, line, length + 1);
  said_length += length;
}
const char *what_was_said(void) { return said_length ? said : ""; }

/* --- finding ----------------------------------------------------------------------------------------------------- */

Window *window_by_id(int id) {
  for (int i = 0; i < 32; i++) if (windows[i].isUsed && windows[i].id == id) return &windows[i];
  return NULL;
}
App *app_by_pid(int pid) {
  for (int i = 0; i < 8; i++) if (apps[i].pid == pid && apps[i].isRunning) return &apps[i];
  return NULL;
}
int node_named(const char *name) {
  int found = NO_NODE;
  for (int i = 0; i < 512; i++)
    if (nodes[i].isUsed && !strcmp(nodes[i].name, name) && (found == NO_NODE || !strcmp(nodes[found].role, "AXStaticText"))) found = i;
  return found;
}
CGRect node_rect(const Node *node) {
  CGRect rect = node->at;
  Window *window = window_by_id(node->window);
  if (window) { rect.origin.x += window->at.origin.x; rect.origin.y += window->at.origin.y; }
  if (node->scroller) rect.origin.y -= scroll_offset;
  return rect;
}
static bool holds(CGRect rect, CGPoint point) {
  return point.x >= rect.origin.x && point.y >= rect.origin.y && point.x < rect.origin.x + rect.size.width &&
         point.y < rect.origin.y + rect.size.height;
}
int window_at(CGPoint point) {
  for (int i = 0; i < z_count; i++) {
    Window *window = window_by_id(z[i]);
    if (window && window->isOnScreen && window->layer == 0 && holds(window->at, point)) return window->id;
  }
  return 0;
}
/* The innermost control of the topmost window there. Rows outside of their list are not there. */
int node_at(CGPoint point, int pid) {
  int window = 0, found = NO_NODE;
  if (!pid) window = window_at(point);
  else for (int i = 0; i < z_count && !window; i++) {
    Window *one = window_by_id(z[i]);
    if (one && one->isOnScreen && one->pid == pid && holds(one->at, point)) window = one->id;
  }
  for (int i = 0; window && i < 512; i++) {
    if (!nodes[i].isUsed || nodes[i].window != window || !holds(node_rect(&nodes[i]), point)) continue;
    bool isCut = nodes[i].scroller && !holds(node_rect(&nodes[nodes[i].scroller]), point);
    if (!isCut) found = i;
  }
  return found;
}
int focused_window(int pid) {
  for (int i = 0; i < z_count; i++) {
    Window *window = window_by_id(z[i]);
    if (window && window->pid == pid && window->isOnScreen && window->layer == 0) return window->id;
  }
  return 0;
}

/* --- windows and apps -------------------------------------------------------------------------------------------- */

void raise_window(int id) {
  int at = 0;
  while (at < z_count && z[at] != id) at++;
  if (at == z_count) { z_count++; }
  memmove(z + 1, z, at * sizeof *z);
  z[0] = id;
}
/* Of an app's windows only the order among themselves changes until the app is in front. */
void activate_app(int pid) {
  front_pid = pid;
  int own[32], count = 0;
  for (int i = 0; i < z_count; i++) { Window *w = window_by_id(z[i]); if (w && w->pid == pid) own[count++] = z[i]; }
  for (int i = count - 1; i >= 0; i--) raise_window(own[i]);
}
static Window *open_window(int id, int pid, const char *title, CGRect at) {
  Window *window = NULL;
  for (int i = 0; i < 32 && !window; i++) if (!windows[i].isUsed) window = &windows[i];
  *window = (Window){ .isUsed = true, .isOnScreen = true, .id = id, .pid = pid, .at = at };
  snprintf(window->title, sizeof window->title, "%s", title);
  raise_window(id);
  return window;
}
void close_window(int id) {
  Window *window = window_by_id(id);
  if (!window) return;
  int pid = window->pid;
  for (int i = 0; i < 512; i++) if (nodes[i].isUsed && nodes[i].window == id) nodes[i].isUsed = false;
  window->isUsed = false;
  int kept = 0;
  for (int i = 0; i < z_count; i++) if (z[i] != id) z[kept++] = z[i];
  z_count = kept;
  App *app = app_by_pid(pid);
  if (app && pid != PID_APP && !focused_window(pid)) app->isRunning = false;
  if (front_pid == pid && !focused_window(pid)) for (int i = 0; i < z_count; i++) {
    Window *next = window_by_id(z[i]);
    if (next && next->layer == 0 && next->isOnScreen) { front_pid = next->pid; break; }
  }
}
static App *start_app(int pid, const char *name) {
  App *app = NULL;
  for (int i = 0; i < 8 && !app; i++) if (apps[i].pid == pid || !apps[i].pid) app = &apps[i];
  *app = (App){ .pid = pid, .isRunning = true, .isRegular = true, .name = name, .focus = NO_NODE };
  return app;
}
/* A process of its own, because its process id is looked at; it only waits to be ended. */
static int launched_pid;
static void build_launched(int pid);
int launch_app(const char *path) {
  if (!strstr(path, "Simulated App.app")) return 0;
  if (!app_by_pid(launched_pid)) {
    launched_pid = fork();
    if (!launched_pid) { execlp("sleep", "sleep", "600", NULL); _exit(1); }
    start_app(launched_pid, "Simulated App");
    build_launched(launched_pid);
  }
  activate_app(launched_pid);
  return launched_pid;
}
void end_launched(void) {
  if (!launched_pid) return;
  kill(launched_pid, SIGKILL);
  waitpid(launched_pid, NULL, 0);
  launched_pid = 0;
}
void quit_app(int pid, bool force) {
  App *app = app_by_pid(pid);
  if (!app || (app->isFrozen && !force)) return;
  if (pid == launched_pid) end_launched();
  app->isRunning = false;
  for (int i = 0; i < 32; i++) if (windows[i].isUsed && windows[i].pid == pid) close_window(windows[i].id);
}

/* --- controls ---------------------------------------------------------------------------------------------------- */

static int add(int pid, int window, int parent, const char *role, const char *name, CGRect at, const char *actions) {
  /* Slot 0 stays free: it means "no scroller". */
  int i = 1;
  while (nodes[i].isUsed) i++;
  nodes[i] = (Node){ .isUsed = true, .isEnabled = true, .pid = pid, .window = window, .parent = parent, .role = role,
                     .subrole = "", .identifier = "", .label = NO_NODE, .at = at, .actions = actions };
  snprintf(nodes[i].name, sizeof nodes[i].name, "%s", name);
  return i;
}
static void write_text(int node, const char *utf8) {
  Obj *string = string_of(utf8, "the app");
  string->immortal = true;
  memcpy(nodes[node].text, string->units, string->length * 2);
  nodes[node].caret = nodes[node].anchor = nodes[node].textLength = string->length;
}
static CGRect rect(double x, double y, double width, double height) { return (CGRect){ { x, y }, { width, height } }; }

static void window_buttons(int pid, int window, int parent) {
  const char *names[] = { "AXCloseButton", "AXMinimizeButton", "AXZoomButton" };
  for (int i = 0; i < 3; i++) {
    int button = add(pid, window, parent, "AXButton", "", rect(8 + 20 * i, 8, 12, 12), "AXPress");
    nodes[button].subrole = names[i];
  }
}

static void build_app(void) {
  open_window(11, PID_APP, "Conformance", rect(50, 60, 601, 501));
  int window = add(PID_APP, 11, NO_NODE, "AXWindow", "Conformance", rect(0, 0, 601, 501), "AXRaise");
  nodes[window].subrole = "AXStandardWindow";
  window_buttons(PID_APP, 11, window);
  add(PID_APP, 11, window, "AXLayoutArea", "Pad", rect(10, 40, 200, 150), "");
  double x = 240, y = 40;
  add(PID_APP, 11, window, "AXButton", "Press me", rect(x, y, 120, 24), "AXPress");
  int off = add(PID_APP, 11, window, "AXButton", "Disabled", rect(x, y += 30, 120, 24), "AXPress");
  nodes[off].isEnabled = false;
  int box = add(PID_APP, 11, window, "AXCheckBox", "Check me", rect(x, y += 30, 120, 24), "AXPress");
  nodes[box].hasValue = true;
  int label = add(PID_APP, 11, window, "AXStaticText", "Notes", rect(x, y += 30, 60, 24), "");
  int field = add(PID_APP, 11, window, "AXTextArea", "Notes", rect(x + 65, y, 240, 48), "AXShowMenu");
  nodes[field].label = label;
  nodes[field].identifier = "notes";
  int secret = add(PID_APP, 11, window, "AXTextField", "Secret", rect(x, y += 55, 240, 24), "");
  nodes[secret].subrole = "AXSecureTextField";
  nodes[secret].isDescription = true;
  write_text(secret, "hunter2");
  int slider = add(PID_APP, 11, window, "AXSlider", "Volume", rect(x, y += 30, 240, 24), "AXIncrement AXDecrement");
  nodes[slider].isDescription = true;
  nodes[slider].hasValue = nodes[slider].hasRange = true;
  nodes[slider].value = 30;
  nodes[slider].max = 100;
  int more = add(PID_APP, 11, window, "AXDisclosureTriangle", "More", rect(x, y += 30, 120, 24), "AXPress");
  nodes[more].hasValue = true;
  add(PID_APP, 11, window, "AXImage", "Drag me", rect(10, 220, 80, 40), "");
  add(PID_APP, 11, window, "AXGroup", "Drop here", rect(110, 220, 100, 40), "");
  int state = add(PID_APP, 11, window, "AXStaticText", "Zone: empty", rect(10, 270, 200, 20), "");
  nodes[state].identifier = "zone";
  add(PID_APP, 11, window, "AXButton", "Inert", rect(10, 330, 120, 24), "AXPress");
  int status = add(PID_APP, 11, window, "AXStaticText", "Pressed 0 times", rect(10, 300, 200, 20), "");
  nodes[status].identifier = "status";
  int area = add(PID_APP, 11, window, "AXScrollArea", "", rect(x, y += 34, 240, 5 * ROW_HEIGHT), "");
  int table = add(PID_APP, 11, area, "AXTable", "Fruits", rect(x, y, 240, ROWS * ROW_HEIGHT), "");
  nodes[table].isDescription = nodes[table].isTable = true;
  nodes[table].scroller = area;
  for (int i = 0; i < ROWS; i++) {
    char name[32];
    snprintf(name, sizeof name, "Fruit %d", i + 1);
    int row = add(PID_APP, 11, table, "AXRow", "", rect(x, y + i * ROW_HEIGHT, 240, ROW_HEIGHT), "AXScrollToVisible");
    nodes[row].subrole = "AXTableRow";
    int cell = add(PID_APP, 11, row, "AXCell", "", nodes[row].at, "");
    int text = add(PID_APP, 11, cell, "AXStaticText", name, nodes[row].at, "");
    nodes[row].scroller = nodes[cell].scroller = nodes[text].scroller = area;
  }
  int bar = add(PID_APP, 0, NO_NODE, "AXMenuBar", "", rect(0, 0, 1280, BAR_HEIGHT), "");
  int file = add(PID_APP, 0, bar, "AXMenuBarItem", "File", rect(60, 0, 40, BAR_HEIGHT), "AXPress");
  add(PID_APP, 0, file, "AXMenu", "", rect(60, BAR_HEIGHT, 0, 0), "");
}

static void build_settings(void) {
  open_window(13, PID_SETTINGS, "System Settings", rect(700, 100, 481, 401));
  int window = add(PID_SETTINGS, 13, NO_NODE, "AXWindow", "System Settings", rect(0, 0, 481, 401), "AXRaise");
  nodes[window].subrole = "AXStandardWindow";
  window_buttons(PID_SETTINGS, 13, window);
  int search = add(PID_SETTINGS, 13, window, "AXTextField", "Search", rect(10, 40, 160, 24), "AXConfirm");
  nodes[search].subrole = "AXSearchField";
  nodes[search].isDescription = true;
  int outline = add(PID_SETTINGS, 13, window, "AXOutline", "Sidebar", rect(10, 75, 160, 300), "");
  nodes[outline].isDescription = nodes[outline].isTable = true;
  const char *panes[] = { "Wi-Fi", "Bluetooth", "Network" };
  for (int i = 0; i < 3; i++) {
    int row = add(PID_SETTINGS, 13, outline, "AXRow", "", rect(10, 75 + 30 * i, 160, 30), "");
    nodes[row].subrole = "AXOutlineRow";
    int cell = add(PID_SETTINGS, 13, row, "AXCell", "", nodes[row].at, "");
    add(PID_SETTINGS, 13, cell, "AXStaticText", panes[i], nodes[row].at, "");
  }
  int heading = add(PID_SETTINGS, 13, window, "AXStaticText", "General", rect(190, 40, 200, 24), "");
  nodes[heading].identifier = "pane";
}

static void build_launched(int pid) {
  open_window(14, pid, "Launched", rect(300, 300, 301, 261));
  int window = add(pid, 14, NO_NODE, "AXWindow", "Launched", rect(0, 0, 301, 261), "AXRaise");
  nodes[window].subrole = "AXStandardWindow";
  window_buttons(pid, 14, window);
  add(pid, 14, window, "AXButton", "Play", rect(10, 40, 120, 24), "AXPress");
  int toggle = add(pid, 14, window, "AXCheckBox", "Repeat", rect(140, 40, 120, 24), "AXPress");
  nodes[toggle].hasValue = true;
  int slider = add(pid, 14, window, "AXSlider", "Level", rect(10, 75, 200, 24), "AXIncrement AXDecrement");
  nodes[slider].isDescription = nodes[slider].hasValue = nodes[slider].hasRange = true;
  nodes[slider].max = 10;
  int field = add(pid, 14, window, "AXTextField", "Name", rect(10, 110, 200, 24), "");
  nodes[field].isDescription = true;
  add(pid, 14, window, "AXImage", "Drag me", rect(10, 150, 80, 40), "");
  add(pid, 14, window, "AXGroup", "Drop here", rect(110, 150, 100, 40), "");
  int zone = add(pid, 14, window, "AXStaticText", "Zone: empty", rect(10, 200, 200, 20), "");
  nodes[zone].identifier = "zone";
}

void open_other(void) {
  start_app(PID_OTHER, "Other");
  if (!window_by_id(12)) open_window(12, PID_OTHER, "Other", rect(40, 50, 701, 521));
  int window = add(PID_OTHER, 12, NO_NODE, "AXWindow", "Other", rect(0, 0, 701, 521), "AXRaise");
  nodes[window].subrole = "AXStandardWindow";
  window_buttons(PID_OTHER, 12, window);
  activate_app(PID_OTHER);
}

static void bar_window(int id, const char *title, int layer, CGRect at) {
  Window *window = open_window(id, 99, title, at);
  window->layer = layer;
}

/* The state that every test begins with. */
void reset_world(void) {
  end_launched();
  memset(nodes, 0, sizeof nodes);
  memset(windows, 0, sizeof windows);
  memset(apps, 0, sizeof apps);
  z_count = 0;
  said_length = 0;
  is_swapped = false;
  scroll_offset = 0;
  buttons_down = 0;
  memset(keys_down, 0, sizeof keys_down);
  pressed_node = dragged_node = NO_NODE;
  App *server = start_app(99, "Window Server");
  server->isRegular = false;
  bar_window(1, "Dock", 20, rect(300, 860, 680, 40));
  bar_window(2, "Menubar", 24, rect(0, 0, 1280, BAR_HEIGHT));
  start_app(PID_SETTINGS, "System Settings");
  build_settings();
  start_app(PID_APP, "Conformance");
  build_app();
  front_pid = PID_APP;
}

static int screen_number(void) {
  for (int i = 0; i < screen_count; i++) if (screens[i].id == 1) return i;
  return 0;
}
CGRect main_screen(void) { return screens[screen_number()].at; }

void focus_node(int node) {
  App *app = app_by_pid(nodes[node].pid);
  if (!app || app->focus == node) return;
  app->focus = node;
  notify(nodes[node].pid, node, "AXFocusedUIElementChanged");
}

void select_row(int node) {
  int table = nodes[node].parent;
  for (int i = 0; i < 512; i++) if (nodes[i].isUsed && nodes[i].parent == table) nodes[i].isSelected = i == node;
  int cell = NO_NODE, text = NO_NODE;
  for (int i = 0; i < 512; i++) if (nodes[i].isUsed && nodes[i].parent == node) cell = i;
  for (int i = 0; i < 512; i++) if (nodes[i].isUsed && nodes[i].parent == cell) text = i;
  say("{\"event\":\"selected\",\"name\":\"%s\"}", nodes[text].name);
  notify(nodes[table].pid, table, "AXSelectedRowsChanged");
  for (int i = 0; i < 512; i++) if (nodes[i].isUsed && nodes[i].pid == PID_SETTINGS && !strcmp(nodes[i].identifier, "pane") && nodes[node].pid == PID_SETTINGS) {
    snprintf(nodes[i].name, sizeof nodes[i].name, "%s", nodes[text].name);
    notify(PID_SETTINGS, i, "AXValueChanged");
  }
}

static void press_window_button(int node) {
  Window *window = window_by_id(nodes[node].window);
  const char *which = nodes[node].subrole;
  if (!window) return;
  if (!strcmp(which, "AXCloseButton")) close_window(window->id);
  else if (!strcmp(which, "AXMinimizeButton")) { window->isMinimized = true; window->isOnScreen = false; }
  else if (window->isZoomed) { window->at = window->before; window->isZoomed = false; }
  else {
    CGRect all = main_screen();
    window->before = window->at;
    window->at = rect(all.origin.x, all.origin.y + BAR_HEIGHT, all.size.width, all.size.height - BAR_HEIGHT - 60);
    window->isZoomed = true;
  }
}

/* The app shows how often its button was pressed. */
static void count_press(void) {
  static int presses;
  for (int i = 0; i < 512; i++) if (nodes[i].isUsed && !strcmp(nodes[i].identifier, "status")) {
    snprintf(nodes[i].name, sizeof nodes[i].name, "Pressed %d times", ++presses);
    notify(PID_APP, i, "AXValueChanged");
  }
}

/* What a press does, whoever presses. */
void press_node(int node) {
  Node *it = &nodes[node];
  if (!it->isEnabled) return;
  if (*it->subrole && !strcmp(it->role, "AXButton")) return press_window_button(node);
  if (!strcmp(it->role, "AXCheckBox") || !strcmp(it->role, "AXDisclosureTriangle")) {
    it->value = !it->value;
    const char *event = !strcmp(it->role, "AXCheckBox") ? "toggled" : "expanded";
    say("{\"event\":\"%s\",\"name\":\"%s\",\"on\":%s}", event, it->name, it->value ? "true" : "false");
    notify(it->pid, node, "AXValueChanged");
  } else if (!strcmp(it->name, "Press me")) count_press();
  if (!strcmp(it->role, "AXButton") && strcmp(it->name, "Inert")) say("{\"event\":\"pressed\",\"name\":\"%s\"}", it->name);
}

void set_number(int node, double value) {
  Node *it = &nodes[node];
  it->value = value < it->min ? it->min : value > it->max ? it->max : value;
  say("{\"event\":\"value\",\"name\":\"%s\",\"value\":%g}", it->name, it->value);
  notify(it->pid, node, "AXValueChanged");
}

void set_text(int node, const uint16_t *units, int length) {
  Node *it = &nodes[node];
  if (length > TEXT_ROOM) length = TEXT_ROOM;
  memcpy(it->text, units, length * 2);
  it->caret = it->anchor = it->textLength = length;
  notify(it->pid, node, "AXValueChanged");
}

void scroll_to_row(int node) {
  Node *area = &nodes[nodes[node].scroller];
  double top = nodes[node].at.origin.y - area->at.origin.y;
  if (top < scroll_offset) scroll_offset = top;
  if (top + ROW_HEIGHT > scroll_offset + area->at.size.height) scroll_offset = top + ROW_HEIGHT - area->at.size.height;
}

/* What a test tells the app to do. */
bool act(const char *command) {
  if (!strcmp(command, "swap colours")) is_swapped = !is_swapped;
  else if (!strcmp(command, "focus field")) focus_node(node_named("Notes"));
  else if (!strcmp(command, "check")) press_node(node_named("Check me"));
  else if (!strcmp(command, "remove button")) {
    int button = node_named("Press me");
    nodes[button].isUsed = false;
    notify(PID_APP, button, "AXUIElementDestroyed");
  } else if (!strcmp(command, "retitle")) {
    Window *window = window_by_id(11);
    snprintf(window->title, sizeof window->title, "Renamed");
  } else if (!strcmp(command, "open dialog")) {
    Window *dialog = open_window(15, PID_APP, "Question", rect(200, 200, 301, 151));
    dialog->isDialog = true;
    int node = add(PID_APP, 15, NO_NODE, "AXWindow", "Question", rect(0, 0, 301, 151), "AXRaise");
    nodes[node].subrole = "AXDialog";
  } else return false;
  return true;
}

/* --- input ------------------------------------------------------------------------------------------------------- */

static const char *button_name(uint32_t button) {
  const char *names[] = { "left", "right", "middle", "back", "forward" };
  return names[button < 5 ? button : 2];
}

static bool is_named(int node, const char *name) { return node != NO_NODE && !strcmp(nodes[node].name, name); }

static void click_node(int node, CGPoint at) {
  if (node == NO_NODE || !nodes[node].isEnabled) return;
  for (int up = node; up != NO_NODE; up = nodes[up].parent) if (!strcmp(nodes[up].role, "AXRow")) return select_row(up);
  if (!strcmp(nodes[node].role, "AXSlider")) {
    CGRect place = node_rect(&nodes[node]);
    return set_number(node, floor((at.x - place.origin.x) / place.size.width * nodes[node].max + .5));
  }
  press_node(node);
}

void handle_mouse(uint32_t type, CGPoint at, uint32_t button, uint32_t clicks) {
  (void)clicks;
  pointer_at = at;
  int window = window_at(at), node = node_at(at, 0);
  Window *hit = window_by_id(window);
  App *app = hit ? app_by_pid(hit->pid) : NULL;
  bool isDown = type == 1 || type == 3 || type == 25, isUp = type == 2 || type == 4 || type == 26;
  if (isDown) buttons_down |= 1u << button;
  if (isUp) buttons_down &= ~(1u << button);
  if (app && app->isFrozen) return;
  bool isPad = is_named(node, "Pad");
  if (isPad && (isDown || isUp))
    say("{\"event\":\"%s\",\"button\":\"%s\",\"x\":%g,\"y\":%g}", isDown ? "press" : "release", button_name(button), at.x, at.y);
  else if (isPad) say("{\"event\":\"move\",\"x\":%g,\"y\":%g,\"isHeld\":%s}", at.x, at.y, buttons_down ? "true" : "false");
  if (isDown && button == 0) {
    pressed_node = dragged_node = node;
    if (hit) { raise_window(hit->id); activate_app(hit->pid); }
    if (node != NO_NODE && (!strcmp(nodes[node].role, "AXTextField") || !strcmp(nodes[node].role, "AXTextArea"))) focus_node(node);
  }
  if (isUp && button == 0) {
    if (is_named(dragged_node, "Drag me") && is_named(node, "Drop here")) {
      int zone = NO_NODE;
      for (int i = 0; i < 512; i++) if (nodes[i].isUsed && nodes[i].window == window && !strcmp(nodes[i].identifier, "zone")) zone = i;
      snprintf(nodes[zone].name, sizeof nodes[zone].name, "Zone: dropped");
      say("{\"event\":\"dropped\",\"name\":\"Drop here\"}");
      notify(nodes[zone].pid, zone, "AXValueChanged");
    } else if (node == pressed_node) click_node(node, at);
    pressed_node = dragged_node = NO_NODE;
  }
}

void handle_wheel(int down, int across) {
  int node = node_at(pointer_at, 0);
  /* macOS counts up and left as positive; the app counts notches of 40 points, down and right. */
  if (is_named(node, "Pad")) say("{\"event\":\"wheel\",\"x\":%g,\"y\":%g}", -across / 40., -down / 40.);
  if (node != NO_NODE && nodes[node].scroller) {
    double most = (ROWS - 5) * ROW_HEIGHT, to = scroll_offset - down;
    scroll_offset = to < 0 ? 0 : to > most ? most : to;
  }
}

static void delete_selection(Node *field) {
  int from = field->caret < field->anchor ? field->caret : field->anchor, to = field->caret + field->anchor - from;
  memmove(field->text + from, field->text + to, (field->textLength - to) * 2);
  field->textLength -= to - from;
  field->caret = field->anchor = from;
}
static void insert(int node, const uint16_t *units, int length) {
  Node *field = &nodes[node];
  delete_selection(field);
  if (field->textLength + length > TEXT_ROOM) return;
  memmove(field->text + field->caret + length, field->text + field->caret, (field->textLength - field->caret) * 2);
  memcpy(field->text + field->caret, units, length * 2);
  field->textLength += length;
  field->caret = field->anchor = field->caret + length;
  notify(field->pid, node, "AXValueChanged");
}

static const struct { uint32_t code; const char *name; } named_keys[] = {
  { 0x24, "enter" }, { 0x30, "tab" }, { 0x31, "space" }, { 0x33, "backspace" }, { 0x35, "escape" }, { 0x37, "meta" },
  { 0x38, "shift" }, { 0x3a, "alt" }, { 0x3b, "ctrl" }, { 0x3d, "altgr" }, { 0x73, "home" }, { 0x75, "delete" },
  { 0x77, "end" }, { 0x7b, "left" }, { 0x7c, "right" }, { 0x7d, "down" }, { 0x7e, "up" },
};
enum { SHIFT = 0x20000, CONTROL = 0x40000, OPTION = 0x80000, COMMAND = 0x100000 };

uint64_t held_flags(void) {
  return (keys_down[0x38] ? SHIFT : 0) | (keys_down[0x3b] ? CONTROL : 0) |
         (keys_down[0x3a] || keys_down[0x3d] ? OPTION : 0) | (keys_down[0x37] ? COMMAND : 0);
}

static void edit(int node, uint32_t code, uint64_t flags, const uint16_t *text, int length) {
  Node *field = &nodes[node];
  bool isSelecting = flags & SHIFT;
  bool isMulti = !strcmp(field->role, "AXTextArea");
  if (flags & COMMAND) {
    if (code == 0) { field->anchor = 0; field->caret = field->textLength; }
    return;
  }
  switch (code) {
    case 0x24: if (isMulti) insert(node, (uint16_t[]){ '\n' }, 1); return;
    case 0x30: if (isMulti) insert(node, (uint16_t[]){ '\t' }, 1); return;
    case 0x33: case 0x75: {
      bool isBack = code == 0x33;
      if (field->caret == field->anchor) {
        int to = field->caret + (isBack ? -1 : 1);
        if (to < 0 || to > field->textLength) return;
        field->anchor = to;
      }
      delete_selection(field);
      notify(field->pid, node, "AXValueChanged");
      return;
    }
    case 0x7b: case 0x7c: {
      int to = field->caret + (code == 0x7b ? -1 : 1);
      if (to >= 0 && to <= field->textLength) field->caret = to;
      if (!isSelecting) field->anchor = field->caret;
      return;
    }
    default: break;
  }
  /* As in every text field of a Mac, ctrl+a goes to the beginning, and Home and End only scroll. */
  if (flags & CONTROL) { if (code == 0) field->caret = field->anchor = 0; return; }
  if (length) insert(node, text, length);
}

void handle_key(uint32_t code, bool down, uint64_t flags, const uint16_t *text, int length) {
  App *app = app_by_pid(front_pid);
  keys_down[code & 127] = down && !length;
  if (!app || app->isFrozen) return;
  const char *name = NULL;
  for (size_t i = 0; i < sizeof named_keys / sizeof *named_keys; i++) if (named_keys[i].code == code && !length) name = named_keys[i].name;
  char *typed = name ? NULL : utf8_of_units(text, length);
  bool isQuoted = typed && (*typed == '"' || *typed == '\\');
  if (front_pid == PID_APP) say("{\"event\":\"key\",\"key\":\"%s%s\",\"isDown\":%s}", isQuoted ? "\\" : "", name ? name : typed, down ? "true" : "false");
  free(typed);
  if (down && app->focus != NO_NODE && nodes[app->focus].isUsed) edit(app->focus, code, flags, text, length);
}

bool is_anything_held(void) {
  bool held = buttons_down != 0;
  for (int i = 0; i < 128; i++) held |= keys_down[i];
  return held;
}

/* --- painting ---------------------------------------------------------------------------------------------------- */

/* Five columns per letter, the lowest bit on top. */
static const uint8_t font[96][5] = {
  {0,0,0,0,0},{0,0,0x5f,0,0},{0,7,0,7,0},{0x14,0x7f,0x14,0x7f,0x14},{0x24,0x2a,0x7f,0x2a,0x12},{0x23,0x13,8,0x64,0x62},
  {0x36,0x49,0x55,0x22,0x50},{0,5,3,0,0},{0,0x1c,0x22,0x41,0},{0,0x41,0x22,0x1c,0},{0x14,8,0x3e,8,0x14},{8,8,0x3e,8,8},
  {0,0x50,0x30,0,0},{8,8,8,8,8},{0,0x60,0x60,0,0},{0x20,0x10,8,4,2},{0x3e,0x51,0x49,0x45,0x3e},{0,0x42,0x7f,0x40,0},
  {0x42,0x61,0x51,0x49,0x46},{0x21,0x41,0x45,0x4b,0x31},{0x18,0x14,0x12,0x7f,0x10},{0x27,0x45,0x45,0x45,0x39},
  {0x3c,0x4a,0x49,0x49,0x30},{1,0x71,9,5,3},{0x36,0x49,0x49,0x49,0x36},{6,0x49,0x49,0x29,0x1e},{0,0x36,0x36,0,0},
  {0,0x56,0x36,0,0},{8,0x14,0x22,0x41,0},{0x14,0x14,0x14,0x14,0x14},{0,0x41,0x22,0x14,8},{2,1,0x51,9,6},
  {0x32,0x49,0x79,0x41,0x3e},{0x7e,0x11,0x11,0x11,0x7e},{0x7f,0x49,0x49,0x49,0x36},{0x3e,0x41,0x41,0x41,0x22},
  {0x7f,0x41,0x41,0x22,0x1c},{0x7f,0x49,0x49,0x49,0x41},{0x7f,9,9,9,1},{0x3e,0x41,0x49,0x49,0x7a},{0x7f,8,8,8,0x7f},
  {0,0x41,0x7f,0x41,0},{0x20,0x40,0x41,0x3f,1},{0x7f,8,0x14,0x22,0x41},{0x7f,0x40,0x40,0x40,0x40},{0x7f,2,0xc,2,0x7f},
  {0x7f,4,8,0x10,0x7f},{0x3e,0x41,0x41,0x41,0x3e},{0x7f,9,9,9,6},{0x3e,0x41,0x51,0x21,0x5e},{0x7f,9,0x19,0x29,0x46},
  {0x46,0x49,0x49,0x49,0x31},{1,1,0x7f,1,1},{0x3f,0x40,0x40,0x40,0x3f},{0x1f,0x20,0x40,0x20,0x1f},{0x3f,0x40,0x38,0x40,0x3f},
  {0x63,0x14,8,0x14,0x63},{7,8,0x70,8,7},{0x61,0x51,0x49,0x45,0x43},{0,0x7f,0x41,0x41,0},{2,4,8,0x10,0x20},{0,0x41,0x41,0x7f,0},
  {4,2,1,2,4},{0x40,0x40,0x40,0x40,0x40},{0,1,2,4,0},{0x20,0x54,0x54,0x54,0x78},{0x7f,0x48,0x44,0x44,0x38},
  {0x38,0x44,0x44,0x44,0x20},{0x38,0x44,0x44,0x48,0x7f},{0x38,0x54,0x54,0x54,0x18},{8,0x7e,9,1,2},{0xc,0x52,0x52,0x52,0x3e},
  {0x7f,8,4,4,0x78},{0,0x44,0x7d,0x40,0},{0x20,0x40,0x44,0x3d,0},{0x7f,0x10,0x28,0x44,0},{0,0x41,0x7f,0x40,0},
  {0x7c,4,0x18,4,0x78},{0x7c,8,4,4,0x78},{0x38,0x44,0x44,0x44,0x38},{0x7c,0x14,0x14,0x14,8},{8,0x14,0x14,0x18,0x7c},
  {0x7c,8,4,4,8},{0x48,0x54,0x54,0x54,0x20},{4,0x3f,0x44,0x40,0x20},{0x3c,0x40,0x40,0x20,0x7c},{0x1c,0x20,0x40,0x20,0x1c},
  {0x3c,0x40,0x30,0x40,0x3c},{0x44,0x28,0x10,0x28,0x44},{0xc,0x50,0x50,0x50,0x3c},{0x44,0x64,0x54,0x4c,0x44},
  {0,8,0x36,0x41,0},{0,0,0x7f,0,0},{0,0x41,0x36,8,0},{8,4,8,0x10,8},{0,0,0,0,0}
};

typedef struct { uint8_t *out; int stride; CGRect part; double scale; CGRect clip; } Canvas;

static CGRect cut(CGRect a, CGRect b) {
  double x = fmax(a.origin.x, b.origin.x), y = fmax(a.origin.y, b.origin.y);
  double right = fmin(a.origin.x + a.size.width, b.origin.x + b.size.width), bottom = fmin(a.origin.y + a.size.height, b.origin.y + b.size.height);
  return rect(x, y, right > x ? right - x : 0, bottom > y ? bottom - y : 0);
}
static void fill(Canvas *canvas, CGRect area, uint32_t colour) {
  CGRect part = cut(cut(area, canvas->clip), canvas->part);
  double s = canvas->scale;
  int left = lround((part.origin.x - canvas->part.origin.x) * s), top = lround((part.origin.y - canvas->part.origin.y) * s);
  int right = lround((part.origin.x + part.size.width - canvas->part.origin.x) * s), bottom = lround((part.origin.y + part.size.height - canvas->part.origin.y) * s);
  if (!part.size.width || !part.size.height) return;
  for (int y = top; y < bottom; y++) for (int x = left; x < right; x++) {
    uint8_t *pixel = canvas->out + y * (long)canvas->stride + x * 4;
    pixel[0] = colour; pixel[1] = colour >> 8; pixel[2] = colour >> 16; pixel[3] = 255;
  }
}
static void write_at(Canvas *canvas, double x, double y, const char *text, uint32_t colour) {
  for (; *text; text++, x += 9) {
    unsigned char c = *text;
    for (int column = 0; c >= 32 && c < 128 && column < 5; column++) for (int row = 0; row < 8; row++)
      if (font[c - 32][column] >> row & 1) fill(canvas, rect(x + column * 1.5, y + row * 1.5, 1.5, 1.5), colour);
  }
}
static void frame(Canvas *canvas, CGRect r, uint32_t edge, uint32_t inside) {
  fill(canvas, r, edge);
  fill(canvas, rect(r.origin.x + 1, r.origin.y + 1, r.size.width - 2, r.size.height - 2), inside);
}

static void paint_node(Canvas *canvas, int i) {
  Node *node = &nodes[i];
  CGRect r = node_rect(node);
  const char *role = node->role;
  uint32_t ink = node->isEnabled ? 0x202020 : 0xa0a0a0;
  CGRect before = canvas->clip;
  if (node->scroller) canvas->clip = cut(canvas->clip, node_rect(&nodes[node->scroller]));
  if (!strcmp(role, "AXLayoutArea")) {
    double half = r.size.width / 2;
    fill(canvas, rect(r.origin.x, r.origin.y, half, r.size.height), is_swapped ? 0x1e3cc8 : 0xc81e1e);
    fill(canvas, rect(r.origin.x + half, r.origin.y, half, r.size.height), is_swapped ? 0xc81e1e : 0x1e3cc8);
  } else if (!strcmp(role, "AXButton") && *node->subrole) {
    fill(canvas, r, !strcmp(node->subrole, "AXCloseButton") ? 0xff5f57 : !strcmp(node->subrole, "AXMinimizeButton") ? 0xfebc2e : 0x28c840);
  } else if (!strcmp(role, "AXButton") || !strcmp(role, "AXImage") || !strcmp(role, "AXGroup")) {
    frame(canvas, r, 0x909090, 0xffffff);
    write_at(canvas, r.origin.x + 8, r.origin.y + 7, node->name, ink);
  } else if (!strcmp(role, "AXCheckBox") || !strcmp(role, "AXDisclosureTriangle")) {
    frame(canvas, rect(r.origin.x, r.origin.y + 5, 14, 14), 0x606060, node->value ? 0x3070f0 : 0xffffff);
    write_at(canvas, r.origin.x + 22, r.origin.y + 7, node->name, ink);
  } else if (!strcmp(role, "AXTextField") || !strcmp(role, "AXTextArea")) {
    frame(canvas, r, 0x909090, 0xffffff);
    char *text = !strcmp(node->subrole, "AXSecureTextField") ? strdup("*******") : utf8_of_units(node->text, node->textLength);
    write_at(canvas, r.origin.x + 6, r.origin.y + 7, *text || strcmp(node->subrole, "AXSearchField") ? text : "Search", ink);
    free(text);
  } else if (!strcmp(role, "AXSlider")) {
    fill(canvas, rect(r.origin.x, r.origin.y + 10, r.size.width, 4), 0xb0b0b0);
    fill(canvas, rect(r.origin.x + node->value / node->max * (r.size.width - 12), r.origin.y + 4, 12, 16), 0x3070f0);
  } else if (!strcmp(role, "AXRow") && node->isSelected) fill(canvas, r, 0xb0d0ff);
  else if (!strcmp(role, "AXTable") || !strcmp(role, "AXOutline")) fill(canvas, r, 0xffffff);
  else if (!strcmp(role, "AXStaticText")) write_at(canvas, r.origin.x + 4, r.origin.y + 5, node->name, ink);
  canvas->clip = before;
}

static void paint_window(Canvas *canvas, const Window *window) {
  canvas->clip = window->at;
  CGRect at = window->at;
  fill(canvas, at, window->layer ? 0xd8d8e0 : 0xececec);
  if (window->layer == 0) {
    fill(canvas, rect(at.origin.x, at.origin.y, at.size.width, TITLE_HEIGHT), window->pid == front_pid ? 0xd4d4d4 : 0xe4e4e4);
    write_at(canvas, at.origin.x + at.size.width / 2 - 40, at.origin.y + 9, window->title, 0x404040);
  }
  for (int i = 0; i < 512; i++) if (nodes[i].isUsed && nodes[i].window == window->id) paint_node(canvas, i);
}

/* The screen, or one window alone. */
void paint(uint8_t *out, int stride, CGRect part, double scale, int window, bool with_cursor) {
  Canvas canvas = { out, stride, part, scale, part };
  if (window) return paint_window(&canvas, window_by_id(window));
  canvas.clip = part;
  fill(&canvas, part, 0x4a6fa5);
  for (int i = z_count - 1; i >= 0; i--) {
    Window *one = window_by_id(z[i]);
    if (one && one->isOnScreen) paint_window(&canvas, one);
  }
  canvas.clip = part;
  if (with_cursor) fill(&canvas, rect(pointer_at.x, pointer_at.y, 8, 12), 0x000000);
}

double scale_at(CGRect part) {
  double scale = 1;
  for (int i = 0; i < screen_count; i++) {
    CGRect common = cut(screens[i].at, part);
    if (common.size.width * common.size.height > 0 && screens[i].scale > scale) scale = screens[i].scale;
  }
  return scale;
}
