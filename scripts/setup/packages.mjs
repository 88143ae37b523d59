// @ts-check

/**
 * @typedef {object} SystemPackage
 * @property {string} name the Debian name; alternatives are separated by "|", the first known one is installed
 * @property {string} why
 * @property {string} [program] what must be on PATH where there is no apt
 */

/** @typedef {"desktop" | "demo" | "test" | "android" | "bench"} Group */

/** @type {Record<Group, readonly SystemPackage[]>} */
export const systemPackages = {
  desktop: [
    { name: "xvfb", why: "the X server of the private desktop", program: "Xvfb" },
    { name: "openbox", why: "its window manager", program: "openbox" },
    { name: "dbus-daemon", why: "its private session bus", program: "dbus-daemon" },
    { name: "at-spi2-core", why: "accessibility trees of apps" },
    { name: "fonts-dejavu-core", why: "Latin, Greek and Cyrillic letters in pictures" },
    { name: "fonts-wqy-microhei", why: "Chinese, Japanese and Korean letters in pictures" },
    { name: "fonts-noto-color-emoji", why: "emoji in pictures" },
    { name: "libturbojpeg0|libturbojpeg", why: "JPEG pictures in half the time" },
    { name: "libisal2", why: "PNG pictures in half the time" },
  ],
  demo: [
    { name: "galculator", why: "the calculator of the demo", program: "galculator" },
    { name: "gnome-calculator", why: "the calculator of the README", program: "gnome-calculator" },
    { name: "mousepad", why: "the text editor of the README", program: "mousepad" },
    { name: "python3-gi", why: "the form of the demo and the GTK test apps", program: "python3" },
    { name: "gir1.2-gtk-3.0", why: "the form of the demo and the GTK 3 test apps" },
    { name: "chromium|chromium-browser", why: "the web page of the demo", program: "chromium" },
    { name: "chromium-sandbox|chromium-browser", why: "its sandbox where user namespaces are off" },
  ],
  test: [
    { name: "xdotool", why: "keys and movements that are not handsight's", program: "xdotool" },
    { name: "gucharmap", why: "an app with menus, tabs and a long list", program: "gucharmap" },
    { name: "yad", why: "a form whose fields have no names", program: "yad" },
    { name: "thunar", why: "a file manager of the tasks", program: "thunar" },
    { name: "featherpad", why: "a Qt text editor of the tasks", program: "featherpad" },
    { name: "speedcrunch", why: "a Qt calculator of the tasks", program: "speedcrunch" },
    { name: "python3-gi-cairo", why: "the canvas of the GTK test apps" },
    { name: "gir1.2-gtk-4.0", why: "the GTK 4 test apps" },
    { name: "python3-pyqt5", why: "the Qt 5 test apps" },
    { name: "python3-pyqt6", why: "the Qt 6 test apps" },
    { name: "python3-pyqt6.qtwebengine", why: "an app around a web page, in the place of Electron's" },
    { name: "firefox-esr|firefox", why: "another browser with an accessibility tree", program: "firefox" },
    { name: "tesseract-ocr", why: "another reader of text, for the figures beside ours", program: "tesseract" },
    { name: "fonts-liberation", why: "letters of the screens that are read in tests" },
    { name: "fonts-open-sans", why: "letters of the screens that are read in tests" },
    { name: "fonts-roboto-unhinted", why: "letters of the screens that are read in tests" },
    { name: "fonts-cantarell", why: "letters of the screens that are read in tests" },
    { name: "sway", why: "a Wayland compositor, for X11 programs among others", program: "sway" },
    { name: "xwayland", why: "the X server inside it", program: "Xwayland" },
    { name: "xterm", why: "an app that answers no ping", program: "xterm" },
    { name: "tk", why: "an app without an accessibility tree", program: "wish" },
    {
      name: "x11-apps",
      why: "apps of plain X11 (xcalc), and pixels as another program sees them (xwd)",
      program: "xcalc",
    },
    { name: "x11-utils", why: "windows as another program sees them (xwininfo)", program: "xwininfo" },
    { name: "xclip", why: "the clipboard as another program sees it", program: "xclip" },
    { name: "python3-pyatspi", why: "elements as another accessibility client sees them" },
    { name: "xfce4-terminal", why: "a terminal with an accessibility tree", program: "xfce4-terminal" },
    { name: "zsh", why: "its completion of commands", program: "zsh" },
    { name: "fish", why: "its completion of commands", program: "fish" },
    { name: "procps", why: "looking for left-over processes in tests", program: "ps" },
    { name: "debian-archive-keyring", why: "Wine for the Windows tests comes from Debian" },
    { name: "gcc", why: "the simulator of macOS", program: "gcc" },
    { name: "libc6-dev", why: "the simulator of macOS" },
    { name: "x11-xkb-utils", why: "other keyboard layouts in tests", program: "setxkbmap" },
    { name: "x11-xserver-utils", why: "several monitors in tests", program: "xrandr" },
  ],
  android: [
    { name: "bubblewrap", why: "the Android test device lives apart from this machine", program: "bwrap" },
    { name: "mksh", why: "Android's own shell on the test device", program: "mksh" },
    { name: "toybox", why: "Android's own small programs on the test device", program: "toybox" },
    { name: "socat", why: "the way into the test device's network", program: "socat" },
    { name: "perl-base", why: "the way into the test device's network", program: "perl" },
    { name: "tcc", why: "the commands of the test device", program: "tcc" },
    { name: "libc6-dev", why: "the commands of the test device" },
  ],
  bench: [
    { name: "scrot", why: "a screenshot peer", program: "scrot" },
    { name: "maim", why: "a screenshot peer", program: "maim" },
    { name: "imagemagick", why: "a screenshot peer (import)", program: "import" },
    { name: "python3-pil", why: "a screenshot peer (ImageGrab)", program: "python3" },
    { name: "python3-dogtail", why: "an elements peer" },
    { name: "tesseract-ocr", why: "a text reading peer", program: "tesseract" },
    { name: "libreoffice-calc", why: "a program of the truth about effects", program: "soffice" },
    { name: "libreoffice-writer", why: "a program of the truth about effects", program: "soffice" },
    { name: "libreoffice-gtk3", why: "their accessibility tree" },
    { name: "atril", why: "a program whose commands are run", program: "atril" },
    { name: "kcalc", why: "a KDE program of the truth about effects", program: "kcalc" },
    { name: "gnome-text-editor", why: "a GTK 4 program of the truth about effects", program: "gnome-text-editor" },
    { name: "poedit", why: "a wxWidgets program of the truth about effects", program: "poedit" },
    { name: "default-jdk", why: "a Swing program of the truth about effects", program: "java" },
    { name: "libatk-wrapper-java", why: "its accessibility tree" },
    { name: "python3-opencv", why: "a picture search peer" },
  ],
};
