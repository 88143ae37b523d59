// Loaded into adbd: the port it opens is the one listen.pl has opened for it on the loopback of this machine (fd 4), so that
// adb talks to adbd itself with nothing in between, as with a phone.
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

extern long syscall(long number, ...);
extern int dup3(int from, int to, int flags);

enum { given = 4, inner_port = 5555, close_on_exec = 02000000 };

int bind(int own, const struct sockaddr *address, socklen_t length) {
  // The port is in the same place in addresses of both families.
  int is_port = address->sa_family == AF_INET || address->sa_family == AF_INET6;
  if (!is_port || ((const struct sockaddr_in *)address)->sin_port != htons(inner_port))
    return syscall(SYS_bind, own, address, length);
  return dup3(given, own, close_on_exec) < 0 ? -1 : 0;
}
