/* Simulator of macOS: a window server with a few apps. */
#pragma once
#include "objects.h"

#define TEXT_ROOM 8192
enum { NO_NODE = -1 };
enum { PID_APP = 501, PID_OTHER = 502, PID_SETTINGS = 503 };

typedef struct {
  bool isUsed, isFocused, isSelected, isEnabled, isTable;
  int pid, window, parent;
  const char *role, *subrole, *identifier;
  char name[64];
  /* Shown beside it instead of being its own title. */
  int label;
  bool isDescription;
  uint16_t text[TEXT_ROOM];
  int textLength, caret, anchor;
  double value, min, max;
  bool hasValue, hasRange;
  /* Relative to its window. */
  CGRect at;
  const char *actions;
  /* Rows of a list that can be scrolled. */
  int scroller;
} Node;

typedef struct {
  bool isUsed, isOnScreen, isMinimized, isZoomed, isDialog;
  int id, pid, layer;
  char title[64];
  CGRect at, before;
} Window;

typedef struct {
  int pid;
  bool isRunning, isFrozen, isRegular;
  const char *name;
  int focus;
} App;

typedef struct { CGRect at; double scale; uint32_t id; } Screen;

extern Node nodes[512];
extern Window windows[32]; /* By id order; z holds what is in front. */
extern int z[32], z_count;
extern App apps[8];
extern Screen screens[4];
extern int screen_count;
extern int front_pid;
extern CGPoint pointer_at;
extern bool is_trusted, may_capture, is_locked, has_window_call;
extern double scroll_offset;
extern long round_trips;
extern char *clipboard_text;
extern bool clipboard_is_picture;
extern long clipboard_changes;

void say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void notify(int pid, int node, const char *name);
Window *window_by_id(int id);
App *app_by_pid(int pid);
CGRect node_rect(const Node *node);
int node_named(const char *name);
int focused_window(int pid);
void raise_window(int id);
void activate_app(int pid);
void close_window(int id);
void focus_node(int node);
void press_node(int node);
void set_number(int node, double value);
void set_text(int node, const uint16_t *units, int length);
void select_row(int node);
void scroll_to_row(int node);
int node_at(CGPoint point, int pid);
int window_at(CGPoint point);
int launch_app(const char *path);
void quit_app(int pid, bool force);
void handle_mouse(uint32_t type, CGPoint at, uint32_t button, uint32_t clicks);
void handle_wheel(int down, int across);
void handle_key(uint32_t code, bool down, uint64_t flags, const uint16_t *text, int length);
uint64_t held_flags(void);
void paint(uint8_t *out, int stride, CGRect part, double scale, int window, bool with_cursor);
double scale_at(CGRect part);
void deliver_notifications(void);
