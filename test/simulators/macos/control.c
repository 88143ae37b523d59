/* Simulator of macOS: what a test asks and orders from outside, over a socket. */
#include "world.h"
#include <sys/socket.h>
#include <sys/un.h>

const char *what_was_said(void);
void reset_world(void);
void open_other(void);
bool act(const char *command);
bool is_anything_held(void);
void end_launched(void);

static char report_path[400];

static void write_all(int to, const void *from, size_t count) {
  for (size_t done = 0; done < count;) {
    ssize_t now = write(to, (const char *)from + done, count - done);
    if (now <= 0) return;
    done += now;
  }
}
static char *report(void) {
  static char live[65536];
  char *out = malloc(sizeof live + 65536);
  int count = live_objects(live, sizeof live);
  size_t used = sprintf(out, "{\"live\":%d,\"objects\":[%s],\"held\":%s,\"trips\":%ld,\"violations\":[", count, live, is_anything_held() ? "true" : "false", round_trips);
  for (int i = 0; i < violation_count(); i++) used += sprintf(out + used, "%s\"%s\"", i ? "," : "", violation_text(i));
  sprintf(out + used, "]}");
  return out;
}
static void *picture(const char *order, size_t *bytes) {
  int window = 0, cursor = 0;
  CGRect part = { { 0, 0 }, { 0, 0 } };
  if (sscanf(order, "window %d", &window) == 1) { Window *found = window_by_id(window); if (!found || !found->isOnScreen) return NULL; part = found->at; }
  else if (sscanf(order, "region %lf %lf %lf %lf %d", &part.origin.x, &part.origin.y, &part.size.width, &part.size.height, &cursor) < 4) return NULL;
  double scale = scale_at(part);
  int width = part.size.width * scale + .5, height = part.size.height * scale + .5, head;
  char *out = malloc(64 + (size_t)width * height * 4);
  head = sprintf(out, "%d %d\n", width, height);
  paint((uint8_t *)out + head, width * 4, part, scale, window, cursor);
  *bytes = head + (size_t)width * height * 4;
  return out;
}
static char *text(const char *value) { return strdup(value); }
static char *shown(CGRect r) {
  char out[120];
  snprintf(out, sizeof out, "{\"x\":%g,\"y\":%g,\"width\":%g,\"height\":%g}", r.origin.x, r.origin.y, r.size.width, r.size.height);
  return strdup(out);
}
static char *answer(char *order) {
  char *rest = strchr(order, ' ');
  if (rest) *rest++ = 0; else rest = order + strlen(order);
  if (!strcmp(order, "log")) { char *out = malloc(strlen(what_was_said()) + 3); sprintf(out, "[%s]", what_was_said()); return out; }
  if (!strcmp(order, "reset")) { reset_world(); return text("true"); }
  if (!strcmp(order, "act")) return text(act(rest) ? "true" : "false");
  if (!strcmp(order, "place")) { int node = node_named(rest); return node == NO_NODE ? text("null") : shown(node_rect(&nodes[node])); }
  if (!strcmp(order, "window")) return shown(window_by_id(11)->at);
  if (!strcmp(order, "text")) return utf8_of_units(nodes[node_named("Notes")].text, nodes[node_named("Notes")].textLength);
  if (!strcmp(order, "open")) { open_other(); return text("true"); }
  if (!strcmp(order, "close")) { close_window(12); return text("true"); }
  if (!strcmp(order, "isopen")) return text(window_by_id(12) ? "true" : "false");
  if (!strcmp(order, "freeze") || !strcmp(order, "thaw")) { App *app = app_by_pid(atoi(rest)); if (app) app->isFrozen = *order == 'f'; return text("true"); }
  if (!strcmp(order, "running")) return text(app_by_pid(atoi(rest)) ? "true" : "false");
  if (!strcmp(order, "accessibility")) { is_trusted = !strcmp(rest, "on"); return text("true"); }
  if (!strcmp(order, "recording")) { may_capture = !strcmp(rest, "on"); return text("true"); }
  if (!strcmp(order, "locked")) { is_locked = !strcmp(rest, "on"); return text("true"); }
  if (!strcmp(order, "trips")) { char out[32]; snprintf(out, sizeof out, "%ld", round_trips); return strdup(out); }
  if (!strcmp(order, "report")) return report();
  if (!strcmp(order, "paste")) return text(clipboard_text ? clipboard_text : "");
  if (!strcmp(order, "copy")) { free(clipboard_text); clipboard_text = strdup(rest); clipboard_changes++; return text("true"); }
  if (!strcmp(order, "picture")) { free(clipboard_text); clipboard_text = NULL; clipboard_is_picture = true; clipboard_changes++; return text("true"); }
  return text("null");
}

/* One order per connection: everything until the other side has finished writing. */
static void serve(int client) {
  size_t length = 0, room = 65536;
  char *order = malloc(room);
  for (ssize_t now; (now = read(client, order + length, room - length - 1)) > 0;) {
    length += now;
    if (room - length < 65536) order = realloc(order, room *= 2);
  }
  order[length] = 0;
  lock_world();
  if (!strncmp(order, "capture ", 8)) {
    size_t bytes = 0;
    char *pixels = picture(order + 8, &bytes);
    unlock_world();
    if (pixels) write_all(client, pixels, bytes);
    free(pixels);
  } else {
    char *said = answer(order);
    unlock_world();
    write_all(client, said, strlen(said));
    free(said);
  }
  free(order);
  close(client);
}
static void *listen_for_tests(void *from) {
  int server = (int)(intptr_t)from;
  for (int client; (client = accept(server, NULL, NULL)) >= 0;) serve(client);
  return NULL;
}

/* HANDSIGHT_MACOS_SIMULATOR: the socket, the file of the last report, and the displays as x,y,width,height,scale. */
__attribute__((constructor(110))) static void begin(void) {
  const char *settings = getenv("HANDSIGHT_MACOS_SIMULATOR");
  char path[108] = "", displays[400] = "0,0,1280,900,1";
  if (settings) sscanf(settings, "%107[^;];%399[^;];%399s", path, report_path, displays);
  for (char *one, *rest = displays; (one = strsep(&rest, "|")) && screen_count < 4;) {
    Screen *screen = &screens[screen_count++];
    screen->id = screen_count;
    sscanf(one, "%lf,%lf,%lf,%lf,%lf", &screen->at.origin.x, &screen->at.origin.y, &screen->at.size.width, &screen->at.size.height, &screen->scale);
  }
  reset_world();
  if (!*path) return;
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int server = socket(AF_UNIX, SOCK_STREAM, 0);
  unlink(path);
  pthread_t thread;
  if (bind(server, (struct sockaddr *)&address, sizeof address) == 0 && listen(server, 16) == 0) pthread_create(&thread, NULL, listen_for_tests, (void *)(intptr_t)server);
}
__attribute__((destructor)) static void end(void) {
  end_launched();
  if (!*report_path) return;
  lock_world();
  char *last = report();
  FILE *file = fopen(report_path, "w");
  if (file) { fputs(last, file); fclose(file); }
  unlock_world();
}
