"""Chrome DevTools Protocol sessions, whatever carries them."""

from kapture.cdp.browser_errors import CdpError, Refusal, is_gone, is_gone_or_unsupported
from kapture.cdp.connection import CdpConnection, CdpSession, CdpTransport, ChooseEvents
from kapture.cdp.program import (
    CdpCommand,
    Condition,
    EarlierResult,
    PendingReplies,
    PendingReply,
    ResultReference,
    Scalar,
    Skipped,
    has,
    run_program,
)

__all__ = [
    "CdpCommand",
    "CdpConnection",
    "CdpError",
    "CdpSession",
    "CdpTransport",
    "ChooseEvents",
    "Condition",
    "EarlierResult",
    "PendingReplies",
    "PendingReply",
    "Refusal",
    "ResultReference",
    "Scalar",
    "Skipped",
    "has",
    "is_gone",
    "is_gone_or_unsupported",
    "run_program",
]
