"""Byte streams to CDP endpoints, with TLS and without."""

from __future__ import annotations

import ssl

import trio


class TlsError(Exception):
    """There is no TLS with the other side: `reason` says why, `hint` what to do."""

    def __init__(self, reason: str, hint: str) -> None:
        super().__init__(reason)
        self.reason = reason
        self.hint = hint


def trusting(certificates: str) -> ssl.SSLContext:
    """What the system trusts, and these certificates (PEM). `ValueError` when they are none."""
    context = ssl.create_default_context()
    if certificates:
        try:
            # Files of certificates have comments, with names of authorities in any language; Python takes ASCII only.
            context.load_verify_locations(cadata=certificates.encode("ascii", "replace").decode())
        except (ssl.SSLError, ValueError) as error:
            raise ValueError("no certificates in PEM format") from error
    return context


async def open_stream(host: str, port: int, tls: ssl.SSLContext | None) -> trio.abc.Stream:
    """A connection over which data can be sent; `TlsError` when its TLS handshake fails, else `OSError`."""
    stream = await trio.open_tcp_stream(host, port)
    if tls is None:
        return stream
    secured = trio.SSLStream(stream, tls, server_hostname=host, https_compatible=True)
    try:
        await secured.do_handshake()
    except trio.BrokenResourceError as error:
        await trio.aclose_forcefully(secured)
        raise _tls_error(error.__cause__) from error
    except BaseException:
        await trio.aclose_forcefully(secured)
        raise
    return secured


def _tls_error(cause: BaseException | None) -> TlsError:
    if isinstance(cause, ssl.SSLCertVerificationError):
        return TlsError(
            f"its certificate is not trusted ({cause.verify_message})",
            "Check the address. A certificate that this machine does not know is trusted by "
            "`kapture attach --ca-file FILE.pem`, which names it or the authority that has signed it.",
        )
    return TlsError(
        f"the TLS handshake failed ({getattr(cause, 'reason', None) or 'it closed the connection'})",
        "If it has no TLS, its address begins with ws:// or http://.",
    )
