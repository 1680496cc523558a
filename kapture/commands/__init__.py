"""The commands. Importing this package fills the registry; the order here is the order in lists of tools."""

from kapture.commands import tabs as tabs  # isort: skip
from kapture.commands import navigation as navigation  # isort: skip
from kapture.commands import snapshot as snapshot  # isort: skip
from kapture.commands import pointer as pointer  # isort: skip
from kapture.commands import fields as fields  # isort: skip
from kapture.commands import keys as keys  # isort: skip
from kapture.commands import scrolling as scrolling  # isort: skip
from kapture.commands import find as find  # isort: skip
from kapture.commands import reading as reading  # isort: skip
from kapture.commands import extraction as extraction  # isort: skip
from kapture.commands import elements as elements  # isort: skip
from kapture.commands import waiting as waiting  # isort: skip
from kapture.commands import wait_for_function as wait_for_function  # isort: skip
from kapture.commands import capture as capture  # isort: skip
from kapture.commands import console as console  # isort: skip
from kapture.commands import evaluate as evaluate  # isort: skip
from kapture.commands import dialogs as dialogs  # isort: skip
from kapture.commands import batch as batch  # isort: skip
from kapture.commands import files as files  # isort: skip
from kapture.commands import network as network  # isort: skip
from kapture.commands import state as state  # isort: skip
from kapture.commands import emulation as emulation  # isort: skip
from kapture.commands import raw as raw  # isort: skip
from kapture.commands import status as status  # isort: skip
