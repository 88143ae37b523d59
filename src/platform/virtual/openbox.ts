const clickFocuses = `<mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>`;

const titleButton = (context: string, action: string): string => `
    <context name="${context}">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/><action name="Unshade"/></mousebind>
      <mousebind button="Left" action="Click"><action name="${action}"/></mousebind>
    </context>`;

const edge = (context: string): string => `
    <context name="${context}">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Left" action="Drag"><action name="Resize"/></mousebind>
    </context>`;

/**
 * A window manager without surprises: no keyboard shortcuts that would take an app's keys, no menu on the root
 * window, no second workspace that the wheel could switch to, and new windows get the focus.
 */
export const openboxConfig = `<?xml version="1.0" encoding="UTF-8"?>
<openbox_config xmlns="http://openbox.org/3.4/rc">
  <focus>
    <focusNew>yes</focusNew><followMouse>no</followMouse><focusLast>yes</focusLast><raiseOnFocus>no</raiseOnFocus>
  </focus>
  <placement><policy>Smart</policy><center>yes</center><monitor>Primary</monitor><primaryMonitor>1</primaryMonitor></placement>
  <theme>
    <name>Clearlooks</name><titleLayout>NLIMC</titleLayout><keepBorder>yes</keepBorder><animateIconify>no</animateIconify>
  </theme>
  <desktops><number>1</number><firstdesk>1</firstdesk><popupTime>0</popupTime></desktops>
  <resize><drawContents>yes</drawContents><popupShow>Never</popupShow></resize>
  <keyboard><rebindOnMappingNotify>no</rebindOnMappingNotify></keyboard>
  <mouse>
    <dragThreshold>4</dragThreshold><doubleClickTime>400</doubleClickTime><screenEdgeWarpTime>0</screenEdgeWarpTime>
    <context name="Titlebar">
      <mousebind button="Left" action="Drag"><action name="Move"/></mousebind>
      <mousebind button="Left" action="DoubleClick"><action name="ToggleMaximize"/></mousebind>
    </context>
    <context name="Titlebar Top Right Bottom Left TLCorner TRCorner BRCorner BLCorner">${clickFocuses}</context>
    <context name="Client">
      <mousebind button="Left" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Middle" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
      <mousebind button="Right" action="Press"><action name="Focus"/><action name="Raise"/></mousebind>
    </context>${["Top", "Bottom", "Left", "Right", "TLCorner", "TRCorner", "BLCorner", "BRCorner"].map(edge).join("")}${[
      ["Iconify", "Iconify"],
      ["Maximize", "ToggleMaximize"],
      ["Close", "Close"],
    ]
      .map(([context = "", action = ""]) => titleButton(context, action))
      .join("")}
  </mouse>
  <menu/>
  <applications/>
</openbox_config>
`;
