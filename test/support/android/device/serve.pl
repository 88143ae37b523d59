# The device's first program: starts the given daemon and relays connections of fd 4, which come from the machine's own
# loopback, to the daemon's port in the network of the device. Ends with the daemon, and the port closes with it.
use strict;
use IO::Select;
use Socket qw(:DEFAULT IPPROTO_TCP TCP_NODELAY);
my $port = shift @ARGV;
$^F = 2;
open(my $listener, "+<&=", 4) or die "fd 4: $!";
my $daemon = fork;
if (!$daemon) {
  close($listener);
  exec @ARGV or die "$ARGV[0]: $!";
}
$SIG{CHLD} = sub {
  while ((my $ended = waitpid(-1, 1)) > 0) { exit 0 if $ended == $daemon }
};
while (1) {
  my $client;
  accept($client, $listener) or next;
  my $child = fork;
  if ($child) { close($client); next }
  $SIG{CHLD} = "DEFAULT";
  close($listener);
  my $device = dial();
  # Small packets would otherwise wait 40 ms for the other side's acknowledgement.
  setsockopt($_, IPPROTO_TCP, TCP_NODELAY, 1) for $client, $device;
  my $both = IO::Select->new($client, $device);
  while (my @ready = $both->can_read) {
    for my $from (@ready) {
      my $read = sysread($from, my $bytes, 1 << 18);
      exit 0 if !$read;
      my $to = $from == $client ? $device : $client;
      for (my $sent = 0; $sent < $read;) {
        my $count = syswrite($to, $bytes, $read - $sent, $sent);
        exit 0 if !defined $count;
        $sent += $count;
      }
    }
  }
}

# The daemon opens its port a moment after its start.
sub dial {
  for (1 .. 500) {
    socket(my $device, PF_INET, SOCK_STREAM, 0) or die "socket: $!";
    return $device if connect($device, pack_sockaddr_in($port, INADDR_LOOPBACK));
    select(undef, undef, undef, 0.01);
  }
  exit 1;
}
