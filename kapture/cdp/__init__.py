"""Chrome DevTools Protocol sessions, whatever carries them."""

from kapture.cdp.browser_errors import CdpError, Refusal, is_gone, is_gone_or_unsupported
from kapture.cdp.connection import CdpCommand, CdpConnection, CdpSession, CdpTransport, submit_each
from kapture.cdp.pending_replies import PendingReplies, PendingReply

__all__ = [
    "CdpCommand",
    "CdpConnection",
    "CdpError",
    "CdpSession",
    "CdpTransport",
    "PendingReplies",
    "PendingReply",
    "Refusal",
    "is_gone",
    "is_gone_or_unsupported",
    "submit_each",
]
