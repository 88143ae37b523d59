/** The toolkits under test, with the title of the app that has all controls: `<toolkit>_controls`. */
export const toolkits = [
  ["gtk3", "GTK3 Controls"],
  ["gtk4", "GTK4 Controls"],
  ["qt5", "Qt5 Controls"],
  ["qt6", "Qt6 Controls"],
] as const;
