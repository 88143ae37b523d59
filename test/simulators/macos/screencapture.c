/* Simulator of /usr/sbin/screencapture: takes its pictures from the simulator's window server. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static uint32_t crc(uint32_t sum, const uint8_t *from, size_t count) {
  static uint32_t table[256];
  if (!table[1]) for (uint32_t i = 0; i < 256; i++) { uint32_t c = i; for (int k = 0; k < 8; k++) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1; table[i] = c; }
  for (size_t i = 0; i < count; i++) sum = table[(sum ^ from[i]) & 255] ^ sum >> 8;
  return sum;
}
static void big(uint8_t *to, uint32_t value) { for (int i = 0; i < 4; i++) to[i] = value >> (24 - 8 * i); }
static void chunk(FILE *file, const char *name, const uint8_t *body, uint32_t length) {
  uint8_t word[4];
  big(word, length);
  fwrite(word, 1, 4, file);
  fwrite(name, 1, 4, file);
  fwrite(body, 1, length, file);
  big(word, ~crc(crc(~0u, (const uint8_t *)name, 4), body, length));
  fwrite(word, 1, 4, file);
}
/* A PNG whose pixels are stored, not compressed. */
static void write_png(FILE *file, const uint8_t *bgra, int width, int height) {
  size_t row = (size_t)width * 3 + 1, raw = row * height, blocks = (raw + 65534) / 65535, at = 0;
  uint8_t *lines = malloc(raw), *body = malloc(raw + blocks * 5 + 6), head[13] = { 0 };
  for (int y = 0; y < height; y++) {
    lines[y * row] = 0;
    for (int x = 0; x < width; x++) for (int c = 0; c < 3; c++) lines[y * row + 1 + x * 3 + c] = bgra[((size_t)y * width + x) * 4 + 2 - c];
  }
  uint32_t a = 1, b = 0;
  body[at++] = 0x78; body[at++] = 1;
  for (size_t from = 0; from < raw; from += 65535) {
    uint16_t count = raw - from < 65535 ? raw - from : 65535;
    body[at++] = from + count == raw;
    body[at++] = count; body[at++] = count >> 8; body[at++] = ~count; body[at++] = (uint16_t)~count >> 8;
    memcpy(body + at, lines + from, count);
    at += count;
  }
  for (size_t i = 0; i < raw; i++) { a = (a + lines[i]) % 65521; b = (b + a) % 65521; }
  big(body + at, b << 16 | a);
  big(head, width); big(head + 4, height);
  head[8] = 8; head[9] = 2;
  fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
  chunk(file, "IHDR", head, 13);
  chunk(file, "IDAT", body, at + 4);
  chunk(file, "IEND", NULL, 0);
}

int main(int count, char **words) {
  char order[200] = "", path[108] = "";
  double x, y, width, height;
  int window = 0, cursor = 0;
  for (int i = 1; i < count; i++) {
    if (!strcmp(words[i], "-C")) cursor = 1;
    if (sscanf(words[i], "-l%d", &window) == 1) snprintf(order, sizeof order, "capture window %d", window);
    if (sscanf(words[i], "-R%lf,%lf,%lf,%lf", &x, &y, &width, &height) == 4) snprintf(order, sizeof order, "capture region %g %g %g %g", x, y, width, height);
  }
  if (!window) snprintf(order + strlen(order), sizeof order - strlen(order), " %d", cursor);
  sscanf(getenv("HANDSIGHT_MACOS_SIMULATOR") ? getenv("HANDSIGHT_MACOS_SIMULATOR") : "", "%107[^;]", path);
  struct sockaddr_un address = { .sun_family = AF_UNIX };
  snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
  int to = socket(AF_UNIX, SOCK_STREAM, 0);
  if (connect(to, (struct sockaddr *)&address, sizeof address)) return 1;
  if (write(to, order, strlen(order)) < 0 || shutdown(to, SHUT_WR)) return 1;
  FILE *from = fdopen(to, "r");
  int wide, high;
  if (fscanf(from, "%d %d", &wide, &high) != 2 || fgetc(from) != '\n') return 1;
  size_t bytes = (size_t)wide * high * 4;
  uint8_t *pixels = malloc(bytes);
  if (fread(pixels, 1, bytes, from) != bytes) return 1;
  FILE *file = fopen(words[count - 1], "w");
  if (!file) return 1;
  write_png(file, pixels, wide, high);
  return fclose(file) != 0;
}
