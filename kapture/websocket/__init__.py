"""The hub's end of WebSockets (RFC 6455), upon wsproto."""

from kapture.websocket.connection import WebSocket as WebSocket
from kapture.websocket.request import WebSocketRequest as WebSocketRequest
from kapture.websocket.request import read_request as read_request
