"""Commands that a renderer must answer."""

from __future__ import annotations

from kapture.cdp import CdpError, EarlierResult
from tests.support.one_document import OneDocument


async def test_what_is_sent_at_once_is_one_message_and_a_refusal_ends_nothing() -> None:
    browser = OneDocument()
    browser.refuses = {"DOM.describeNode"}
    resolve = ("DOM.resolveNode", {"backendNodeId": 1})
    answers = await browser.main.renderer.send_all(
        browser.connection.root, [resolve, ("DOM.describeNode", {"objectId": "O"}), resolve]
    )
    resolved = {"object": {"objectId": "O"}}
    assert [None if isinstance(answer, CdpError) else answer for answer in answers] == [resolved, None, resolved]
    assert [len(batch) for batch in browser.batches] == [3]
    assert browser.alone == []


async def test_a_command_that_uses_a_refused_one_is_refused_with_all_after_it() -> None:
    browser = OneDocument()
    browser.refuses = {"DOM.describeNode"}
    describe = ("DOM.describeNode", {"objectId": "O"})
    resolve = ("DOM.resolveNode", {"backendNodeId": EarlierResult(0, "/node/backendNodeId")})
    answers = await browser.main.renderer.send_all(
        browser.connection.root, [describe, resolve, ("DOM.resolveNode", {"backendNodeId": 1})]
    )
    assert all(isinstance(answer, CdpError) for answer in answers)
