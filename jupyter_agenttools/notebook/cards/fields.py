"""Inputs whose values arrive in the order in which a person makes them, also while their cell runs.

Three things in the way of a value were seen on ipykernel 7.4:

* A front end holds back the next value of a widget until the kernel said that it dealt with the one before. With a
  value for each key, a click right after typing overtakes the text: so a value is sent when the field is left.
* ipywidgets sends each value back (an echo), and ipykernel then handles the widget's next message on the thread that
  the echo was sent from. Clicks and text would go different ways: so these fields send no echo.
* While a cell runs the kernel does not say at all that it dealt with a value: see ``widget_status``.
"""

from __future__ import annotations

import ipywidgets
from traitlets import Bool, CInt, Unicode


class TextField(ipywidgets.Text):
    """A line of text."""

    value = Unicode(help="the text").tag(sync=True, echo_update=False)


class PasswordField(ipywidgets.Password):
    """A line of text that is not shown."""

    value = Unicode(help="the text").tag(sync=True, echo_update=False)


class TextAreaField(ipywidgets.Textarea):
    """Several lines of text."""

    value = Unicode(help="the text").tag(sync=True, echo_update=False)


class ChoiceField(ipywidgets.Dropdown):
    """A choice of one."""

    index = CInt(None, help="the chosen option", allow_none=True).tag(sync=True, echo_update=False)


class RadioField(ipywidgets.RadioButtons):
    """A choice of one, all of them in sight."""

    index = CInt(None, help="the chosen option", allow_none=True).tag(sync=True, echo_update=False)


class CheckField(ipywidgets.Checkbox):
    """Something that is taken or left."""

    value = Bool(False, help="whether it is taken").tag(sync=True, echo_update=False)
