"""Chrome DevTools Protocol sessions, whatever carries them."""

from kapture.cdp.connection import (
    CdpCommand,
    CdpConnection,
    CdpError,
    CdpSession,
    CdpTransport,
    Reply,
    submit_each,
)

__all__ = ["CdpCommand", "CdpConnection", "CdpError", "CdpSession", "CdpTransport", "Reply", "submit_each"]
