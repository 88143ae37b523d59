// Every framework command of the device is a link to this program. It sends its name and arguments to the simulated screen
// and does with the answer what the real command would: it writes output, opens files itself, and ends with the exit code.
// Compiled, because it is started for every command: a script takes longer to start than the rest of a tap.
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { to_stdout = 1, to_stderr = 2, exit_code = 3, to_file = 4 };

static void put(int to, const char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = write(to, bytes, length);
    if (count < 0) _exit(141);
    bytes += count;
    length -= count;
  }
}

static void take(int from, char *bytes, size_t length) {
  while (length > 0) {
    ssize_t count = read(from, bytes, length);
    if (count <= 0) _exit(255);
    bytes += count;
    length -= count;
  }
}

static void send_words(int to, int count, char **words) {
  size_t length = 0;
  for (int index = 0; index < count; index++) length += 4 + strlen(words[index]);
  char *request = malloc(4 + length), *at = request;
  uint32_t size = htonl(length);
  memcpy(at, &size, 4);
  at += 4;
  for (int index = 0; index < count; index++) {
    size_t own = strlen(words[index]);
    size = htonl(own);
    memcpy(at, &size, 4);
    memcpy(at + 4, words[index], own);
    at += 4 + own;
  }
  put(to, request, 4 + length);
}

static void write_file(const char *command, const char *path, const char *bytes, size_t length) {
  int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (file >= 0) {
    put(file, bytes, length);
    close(file);
  } else if (strcmp(command, "screencap") == 0) {
    dprintf(2, "Error opening file: %s (%s)\n", path, strerror(errno));
    _exit(1);
  }
}

int main(int count, char **words) {
  char *slash = strrchr(words[0], '/');
  if (slash) words[0] = slash + 1;
  struct sockaddr_un screen = {AF_UNIX, "/dev/socket/screen"};
  int answers = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(answers, (struct sockaddr *)&screen, sizeof screen) < 0) {
    dprintf(2, "%s: no framework: %s\n", words[0], strerror(errno));
    return 1;
  }
  send_words(answers, count, words);
  for (;;) {
    unsigned char head[5];
    take(answers, (char *)head, sizeof head);
    uint32_t size;
    memcpy(&size, head + 1, 4);
    size = ntohl(size);
    char *content = malloc(size + 1);
    take(answers, content, size);
    if (head[0] == to_stdout) put(1, content, size);
    else if (head[0] == to_stderr) put(2, content, size);
    else if (head[0] == exit_code) _exit((unsigned char)content[0]);
    else if (head[0] == to_file) {
      size_t path = strlen(content) + 1;
      write_file(words[0], content, content + path, size - path);
    }
    free(content);
  }
}
