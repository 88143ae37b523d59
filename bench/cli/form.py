"""A field, a button and a line that repeats what was added; every name that was added is printed."""

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

window = Gtk.Window(title="Bench form")
window.set_default_size(400, 200)
window.connect("destroy", Gtk.main_quit)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=12, margin=24)
name = Gtk.Entry()
name.get_accessible().set_name("Name")
said = Gtk.Label(label="Nobody yet")
add = Gtk.Button(label="Add")


def added(_button):
    said.set_text(f"Added {name.get_text()}")
    print(name.get_text(), flush=True)


add.connect("clicked", added)
for widget in (name, add, said):
    box.add(widget)
window.add(box)
window.show_all()
Gtk.main()
