"""The commands: one module per family.

Python runs this file before any module of the package, `kapture.commands.core` included. So the registry is complete as
soon as it can be imported, and its order, which is that of the lists of tools, does not depend on the order of imports.
A family that is not imported here has no commands (tests/unit/commands/core/test_registry.py).
"""

from kapture.commands import tabs as tabs  # isort: skip
from kapture.commands import navigation as navigation  # isort: skip
from kapture.commands import snapshot as snapshot  # isort: skip
from kapture.commands import pointer as pointer  # isort: skip
from kapture.commands import fields as fields  # isort: skip
from kapture.commands import forms as forms  # isort: skip
from kapture.commands import keys as keys  # isort: skip
from kapture.commands import scrolling as scrolling  # isort: skip
from kapture.commands import find as find  # isort: skip
from kapture.commands import reading as reading  # isort: skip
from kapture.commands import links as links  # isort: skip
from kapture.commands import tables as tables  # isort: skip
from kapture.commands import elements as elements  # isort: skip
from kapture.commands.waiting import wait_for as wait_for  # isort: skip
from kapture.commands.waiting import wait_for_function as wait_for_function  # isort: skip
from kapture.commands.waiting import wait_for_response as wait_for_response  # isort: skip
from kapture.commands.capture import screenshot as screenshot  # isort: skip
from kapture.commands.capture import pdf as pdf  # isort: skip
from kapture.commands import console as console  # isort: skip
from kapture.commands.scripts import evaluate as evaluate  # isort: skip
from kapture.commands import dialogs as dialogs  # isort: skip
from kapture.commands import page_tools as page_tools  # isort: skip
from kapture.commands import batch as batch  # isort: skip
from kapture.commands.files import upload as upload  # isort: skip
from kapture.commands.files import download as download  # isort: skip
from kapture.commands.network import log as log  # isort: skip
from kapture.commands.network import conditions as conditions  # isort: skip
from kapture.commands.network import routes as routes  # isort: skip
from kapture.commands.network import har as har  # isort: skip
from kapture.commands import cookies as cookies  # isort: skip
from kapture.commands import storage as storage  # isort: skip
from kapture.commands import permissions as permissions  # isort: skip
from kapture.commands import emulation as emulation  # isort: skip
from kapture.commands import cdp as cdp  # isort: skip
from kapture.commands import cdp_events as cdp_events  # isort: skip
from kapture.commands import recording as recording  # isort: skip
from kapture.commands import scenarios as scenarios  # isort: skip
from kapture.commands import status as status  # isort: skip
