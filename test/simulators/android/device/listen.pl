# Opens a port on the loopback of this machine, tells its number on fd 3, and becomes the given program with the listening
# socket as fd 4: what runs in a network of its own can then be reached through this one port, and by nobody else.
use strict;
use Fcntl;
use Socket;
my $port = shift @ARGV;
socket(my $listener, PF_INET, SOCK_STREAM, 0) or die "socket: $!";
setsockopt($listener, SOL_SOCKET, SO_REUSEADDR, 1);
bind($listener, pack_sockaddr_in($port, INADDR_LOOPBACK)) or die "bind $port: $!";
listen($listener, 16) or die "listen: $!";
my ($bound) = unpack_sockaddr_in(getsockname($listener));
open(my $tell, ">&=", 3) or die "fd 3: $!";
syswrite($tell, "$bound\n");
close($tell);
require POSIX;
POSIX::dup2(fileno($listener), 4) if fileno($listener) != 4;
open(my $kept, "<&=", 4) or die "fd 4: $!";
fcntl($kept, F_SETFD, 0);
exec @ARGV or die "$ARGV[0]: $!";
