"""The hub: router, queues, tab sessions, calls."""

from kapture.hub.client import Client, ClientKind, Elicit
from kapture.hub.events import HubEvent
from kapture.hub.hub import Hub
from kapture.hub.sockets import Credentials
from kapture.hub.status import TabInfo

__all__ = ["Client", "ClientKind", "Credentials", "Elicit", "Hub", "HubEvent", "TabInfo"]
