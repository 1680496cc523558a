"""The commands: one module per family.

Python runs this file before any module of the package, `kapture.commands.core` included. So the registry is complete as
soon as it can be imported, and its order, which is that of the lists of tools, does not depend on the order of imports.
A family that is not imported here has no commands (tests/unit/commands/core/test_registry.py).
"""

# isort: off
from kapture.commands import tabs as tabs
from kapture.commands import navigation as navigation
from kapture.commands import snapshot as snapshot
from kapture.commands import pointer as pointer
from kapture.commands import fields as fields
from kapture.commands import forms as forms
from kapture.commands import keys as keys
from kapture.commands import scrolling as scrolling
from kapture.commands import find as find
from kapture.commands import reading as reading
from kapture.commands import links as links
from kapture.commands import tables as tables
from kapture.commands import elements as elements
from kapture.commands import waiting as waiting
from kapture.commands import person as person
from kapture.commands import capture as capture
from kapture.commands import console as console
from kapture.commands.scripts import evaluate as evaluate
from kapture.commands import dialogs as dialogs
from kapture.commands import page_tools as page_tools
from kapture.commands import batch as batch
from kapture.commands import files as files
from kapture.commands import network as network
from kapture.commands import har as har
from kapture.commands import cookies as cookies
from kapture.commands import storage as storage
from kapture.commands import permissions as permissions
from kapture.commands import emulation as emulation
from kapture.commands import cdp as cdp
from kapture.commands import recording as recording
from kapture.commands import scenarios as scenarios
from kapture.commands import status as status
