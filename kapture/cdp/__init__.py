"""Chrome DevTools Protocol sessions, whatever carries them."""

from kapture.cdp.connection import CdpConnection, CdpError, CdpSession, CdpTransport, Reply

__all__ = ["CdpConnection", "CdpError", "CdpSession", "CdpTransport", "Reply"]
