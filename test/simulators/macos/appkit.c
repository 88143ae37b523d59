/* Simulator of macOS: a small Objective-C runtime and the AppKit classes that are used. */
#include "world.h"

typedef void *(*Imp)(void);
typedef struct { const char *class, *selector; Imp imp; } Method;

/* --- pools ------------------------------------------------------------------------------------------------------- */

static Obj **pool[64];
static int pool_count[64], pool_room[64], depth;
EXPORT void *objc_autoreleasePoolPush(void) {
  lock_world();
  depth++;
  pool_count[depth] = 0;
  unlock_world();
  return (void *)(intptr_t)depth;
}
EXPORT void objc_autoreleasePoolPop(void *at) {
  lock_world();
  if (!depth || (intptr_t)at != depth) {
    violation("objc_autoreleasePoolPop: pool %ld, %d is on top", (long)(intptr_t)at, depth);
    unlock_world();
    return;
  }
  for (int i = 0; i < pool_count[depth]; i++) release(pool[depth][i], "a pool's end");
  depth--;
  unlock_world();
}
Obj *autorelease(Obj *object) {
  if (!depth) { violation("autoreleased %s without a pool", object->origin); return object; }
  if (pool_count[depth] == pool_room[depth]) pool[depth] = realloc(pool[depth], (pool_room[depth] = pool_room[depth] ? pool_room[depth] * 2 : 64) * sizeof(Obj *));
  pool[depth][pool_count[depth]++] = object;
  return object;
}

/* --- classes ----------------------------------------------------------------------------------------------------- */

EXPORT void *_NSConcreteGlobalBlock[32];
EXPORT const void *NSPasteboardTypeString;
static Obj *workspace, *board;
static const char *class_of_kind[K_COUNT] = { [K_WORKSPACE] = "NSWorkspace", [K_CONFIG] = "NSWorkspaceOpenConfiguration",
  [K_RUNNING] = "NSRunningApplication", [K_PASTEBOARD] = "NSPasteboard", [K_ERROR] = "NSError", [K_URL] = "NSURL" };
static Obj *classes[16];
static int class_count;

__attribute__((constructor(104))) static void begin_objects(void) {
  Obj *type = string_of("public.utf8-plain-text", "the system");
  type->immortal = true;
  NSPasteboardTypeString = type;
  workspace = make_immortal(K_WORKSPACE);
  board = make_immortal(K_PASTEBOARD);
}
EXPORT const void *objc_getClass(const char *name) {
  lock_world();
  Obj *found = NULL;
  for (int i = 0; i < class_count; i++) if (!strcmp(classes[i]->name, name)) found = classes[i];
  if (!found) { found = make_immortal(K_CLASS); found->name = strdup(name); classes[class_count++] = found; }
  unlock_world();
  return found;
}
static char *selectors[64];
EXPORT const void *sel_registerName(const char *name) {
  for (int i = 0; i < 64; i++) {
    if (!selectors[i]) selectors[i] = strdup(name);
    if (!strcmp(selectors[i], name)) return selectors[i];
  }
  return NULL;
}

/* --- methods ----------------------------------------------------------------------------------------------------- */

static void *nothing(void) { return NULL; }
static Obj *running(int pid, const char *origin) {
  Obj *app = make(K_RUNNING, origin);
  app->pid = pid;
  return autorelease(app);
}
#define METHOD(type, name, ...) static type name(Obj *self, const char *selector, ##__VA_ARGS__)
#define START lock_world(); (void)self; (void)selector;
#define END(value) unlock_world(); return value;

METHOD(void *, shared_workspace) { START END(workspace) }
METHOD(void *, running_applications) {
  START
  Obj *items[8];
  int count = 0;
  for (int i = 0; i < 8; i++) if (apps[i].isRunning) {
    items[count] = make(K_RUNNING, "runningApplications");
    items[count++]->pid = apps[i].pid;
  }
  Obj *all = autorelease(array_of(items, count, "runningApplications"));
  END(all)
}
typedef struct { void *isa; int flags, reserved; void (*invoke)(void *, void *, void *); struct { uint64_t reserved, size; const char *signature; } *descriptor; } Block;
typedef struct { Block *block; int pid; } Completion;
static void *complete(void *from) {
  Completion *completion = from;
  usleep(20000);
  lock_world();
  Obj *app = completion->pid ? make(K_RUNNING, "completionHandler") : NULL, *error = completion->pid ? NULL : make(K_ERROR, "completionHandler");
  if (app) app->pid = completion->pid;
  unlock_world();
  completion->block->invoke(completion->block, app, error);
  lock_world();
  if (app) release(app, "completionHandler");
  if (error) release(error, "completionHandler");
  unlock_world();
  free(completion);
  return NULL;
}
METHOD(void, open_application, Obj *url, Obj *configuration, Block *block) {
  START
  check(configuration, K_CONFIG, "openApplicationAtURL:");
  Obj *at = check(url, K_URL, "openApplicationAtURL:");
  if (block->isa != (void *)_NSConcreteGlobalBlock || !(block->flags & 1 << 28) || block->descriptor->size != 32) violation("a block of another shape");
  char *path = at ? utf8_of(at->owner) : strdup("");
  Completion *completion = malloc(sizeof *completion);
  *completion = (Completion){ block, launch_app(path) };
  free(path);
  pthread_t thread;
  pthread_create(&thread, NULL, complete, completion);
  pthread_detach(thread);
  unlock_world();
}
METHOD(void *, configuration) { START Obj *made = autorelease(make(K_CONFIG, "configuration")); END(made) }
METHOD(void, set_arguments, Obj *array) { START check(array, K_ARRAY, "setArguments:"); unlock_world(); }
METHOD(void *, running_with_pid, int pid) { START Obj *app = app_by_pid(pid) ? running(pid, "runningApplicationWithProcessIdentifier:") : NULL; END(app) }
METHOD(void *, current_application) { START Obj *app = running(99, "currentApplication"); END(app) }
METHOD(bool, activate, Obj *from, uint64_t options) {
  START
  check(from, K_RUNNING, "activateFromApplication:");
  if (options > 3) violation("activateFromApplication: options %llu", (unsigned long long)options);
  App *app = app_by_pid(self->pid);
  if (app && !app->isFrozen) activate_app(self->pid);
  END(app != NULL)
}
METHOD(bool, terminate) { START quit_app(self->pid, false); END(true) }
METHOD(bool, force_terminate) { START quit_app(self->pid, true); END(true) }
METHOD(int64_t, activation_policy) { START App *app = app_by_pid(self->pid); END(app && app->isRegular ? 0 : 2) }
METHOD(int, process_identifier) { START END(self->pid) }
METHOD(void *, localized_name) { START App *app = app_by_pid(self->pid); Obj *name = autorelease(string_of(app ? app->name : "", "localizedName")); END(name) }
static Obj *url_of(const char *path, const char *origin) {
  Obj *url = make(K_URL, origin);
  url->owner = string_of(path, origin);
  return autorelease(url);
}
METHOD(void *, executable_url) {
  START
  App *app = app_by_pid(self->pid);
  char path[200];
  snprintf(path, sizeof path, "/Applications/%s.app/Contents/MacOS/%s", app ? app->name : "", app ? app->name : "");
  Obj *url = url_of(path, "executableURL");
  END(url)
}
METHOD(void *, url_path) { START retain(self->owner); Obj *path = autorelease(self->owner); END(path) }
METHOD(void *, file_url, Obj *path) {
  START
  char *text = utf8_of(check(path, K_STRING, "fileURLWithPath:"));
  Obj *url = url_of(text, "fileURLWithPath:");
  free(text);
  END(url)
}
METHOD(void *, description) { START Obj *text = autorelease(string_of("The application cannot be opened.", "localizedDescription")); END(text) }
METHOD(void *, general_pasteboard) { START END(board) }
METHOD(int64_t, change_count) { START END(clipboard_changes) }
METHOD(int64_t, clear_contents) {
  START
  free(clipboard_text);
  clipboard_text = NULL;
  clipboard_is_picture = false;
  long count = ++clipboard_changes;
  END(count)
}
METHOD(bool, set_string, Obj *string, Obj *type) {
  START
  if (type != NSPasteboardTypeString) violation("setString:forType: another type");
  Obj *text = check(string, K_STRING, "setString:forType:");
  free(clipboard_text);
  clipboard_text = text ? utf8_of(text) : NULL;
  END(true)
}
METHOD(void *, string_for_type, Obj *type) {
  START
  if (type != NSPasteboardTypeString) violation("stringForType: another type");
  Obj *text = clipboard_text ? autorelease(string_of(clipboard_text, "stringForType:")) : NULL;
  END(text)
}

static const Method methods[] = {
  { "+NSWorkspace", "sharedWorkspace", (Imp)shared_workspace },
  { "NSWorkspace", "runningApplications", (Imp)running_applications },
  { "NSWorkspace", "openApplicationAtURL:configuration:completionHandler:", (Imp)open_application },
  { "+NSWorkspaceOpenConfiguration", "configuration", (Imp)configuration },
  { "NSWorkspaceOpenConfiguration", "setArguments:", (Imp)set_arguments },
  { "+NSRunningApplication", "runningApplicationWithProcessIdentifier:", (Imp)running_with_pid },
  { "+NSRunningApplication", "currentApplication", (Imp)current_application },
  { "NSRunningApplication", "activateFromApplication:options:", (Imp)activate },
  { "NSRunningApplication", "terminate", (Imp)terminate },
  { "NSRunningApplication", "forceTerminate", (Imp)force_terminate },
  { "NSRunningApplication", "activationPolicy", (Imp)activation_policy },
  { "NSRunningApplication", "processIdentifier", (Imp)process_identifier },
  { "NSRunningApplication", "localizedName", (Imp)localized_name },
  { "NSRunningApplication", "executableURL", (Imp)executable_url },
  { "+NSPasteboard", "generalPasteboard", (Imp)general_pasteboard },
  { "NSPasteboard", "changeCount", (Imp)change_count },
  { "NSPasteboard", "clearContents", (Imp)clear_contents },
  { "NSPasteboard", "setString:forType:", (Imp)set_string },
  { "NSPasteboard", "stringForType:", (Imp)string_for_type },
  { "NSError", "localizedDescription", (Imp)description },
  { "NSURL", "path", (Imp)url_path },
  { "+NSURL", "fileURLWithPath:", (Imp)file_url },
};

__attribute__((used)) Imp find_method(Obj *self, const char *selector) {
  if (!self) return nothing;
  lock_world();
  Imp found = NULL;
  Obj *receiver = check(self, K_NONE, selector);
  char class[80] = "";
  if (receiver && receiver->kind == K_CLASS) snprintf(class, sizeof class, "+%s", receiver->name);
  else if (receiver && class_of_kind[receiver->kind]) snprintf(class, sizeof class, "%s", class_of_kind[receiver->kind]);
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
    if (!strcmp(methods[i].class, class) && !strcmp(methods[i].selector, selector)) found = methods[i].imp;
  if (!found) violation("unrecognized selector %s sent to %s", selector, class);
  unlock_world();
  return found ? found : nothing;
}

/* Finds the method, and jumps to it with all arguments as they came. */
#if defined(__x86_64__)
__asm__(".text\n.globl objc_msgSend\n.type objc_msgSend, @function\nobjc_msgSend:\n"
        "push %rbp\nmov %rsp, %rbp\nsub $192, %rsp\n"
        "mov %rdi, -8(%rbp)\nmov %rsi, -16(%rbp)\nmov %rdx, -24(%rbp)\nmov %rcx, -32(%rbp)\nmov %r8, -40(%rbp)\nmov %r9, -48(%rbp)\n"
        "movups %xmm0, -64(%rbp)\nmovups %xmm1, -80(%rbp)\nmovups %xmm2, -96(%rbp)\nmovups %xmm3, -112(%rbp)\n"
        "call find_method@PLT\nmov %rax, %r11\n"
        "mov -8(%rbp), %rdi\nmov -16(%rbp), %rsi\nmov -24(%rbp), %rdx\nmov -32(%rbp), %rcx\nmov -40(%rbp), %r8\nmov -48(%rbp), %r9\n"
        "movups -64(%rbp), %xmm0\nmovups -80(%rbp), %xmm1\nmovups -96(%rbp), %xmm2\nmovups -112(%rbp), %xmm3\n"
        "leave\njmp *%r11\n.size objc_msgSend, .-objc_msgSend\n");
#elif defined(__aarch64__)
__asm__(".text\n.globl objc_msgSend\n.type objc_msgSend, %function\nobjc_msgSend:\n"
        "stp x29, x30, [sp, #-160]!\nmov x29, sp\n"
        "stp x0, x1, [sp, #16]\nstp x2, x3, [sp, #32]\nstp x4, x5, [sp, #48]\nstp x6, x7, [sp, #64]\nstr x8, [sp, #80]\n"
        "stp q0, q1, [sp, #96]\nstp q2, q3, [sp, #128]\n"
        "bl find_method\nmov x16, x0\n"
        "ldp x0, x1, [sp, #16]\nldp x2, x3, [sp, #32]\nldp x4, x5, [sp, #48]\nldp x6, x7, [sp, #64]\nldr x8, [sp, #80]\n"
        "ldp q0, q1, [sp, #96]\nldp q2, q3, [sp, #128]\n"
        "ldp x29, x30, [sp], #160\nbr x16\n.size objc_msgSend, .-objc_msgSend\n");
#endif
