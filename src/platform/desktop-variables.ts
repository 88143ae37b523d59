/** Environment variables that an app needs to find the desktop and to look native on it. */
export const namesDesktop = (variable: string): boolean =>
  /^(DISPLAY|XAUTHORITY|WAYLAND_DISPLAY|DBUS_|AT_SPI_|XDG_|GTK_|QT_)/.test(variable);
