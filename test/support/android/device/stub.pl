#!/usr/bin/perl
# Every framework command of the device is a link to this file. It sends its name and arguments to the simulated screen and
# does with the answer what the real command would: it writes output, opens files itself, and ends with the exit code.
use strict;
my ($name) = $0 =~ m{([^/]+)$};
socket(my $screen, 1, 1, 0) or die "$name: $!\n";
connect($screen, pack("S a108", 1, "/dev/socket/screen")) or die "$name: no framework: $!\n";
my $request = pack("(N/a)*", $name, @ARGV);
syswrite($screen, pack("N", length $request) . $request);
binmode STDOUT;
my $buffer = "";
while (1) {
  while (length $buffer < 5) { more() }
  my ($kind, $length) = unpack("CN", $buffer);
  while (length $buffer < 5 + $length) { more() }
  my $content = substr($buffer, 5, $length);
  $buffer = substr($buffer, 5 + $length);
  if ($kind == 1) { put(*STDOUT, $content) }
  elsif ($kind == 2) { put(*STDERR, $content) }
  elsif ($kind == 3) { exit unpack("C", $content) }
  elsif ($kind == 4) {
    my ($path, $bytes) = $content =~ /^([^\0]*)\0(.*)$/s;
    if (open(my $file, ">", $path)) { put($file, $bytes); close $file }
    elsif ($name eq "screencap") { put(*STDERR, "Error opening file: $path ($!)\n"); exit 1 }
  }
}

sub more { sysread($screen, $buffer, 1 << 20, length $buffer) or exit 255 }

sub put {
  my ($to, $bytes) = @_;
  for (my $sent = 0; $sent < length $bytes;) {
    my $count = syswrite($to, $bytes, length($bytes) - $sent, $sent);
    exit 141 if !defined $count;
    $sent += $count;
  }
}
