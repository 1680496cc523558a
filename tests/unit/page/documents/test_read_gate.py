"""Whose a document is, and that nothing which reads exists without a gate."""

from __future__ import annotations

import inspect

import pytest

from kapture.backends.extension.extension import ExtensionBackend
from kapture.errors import ErrorCode
from kapture.page import FrameTree, Page
from kapture.page.documents.read_gate import creator_url, names_no_site, origin_of, read_denied


@pytest.mark.parametrize("reader", [Page, Page.open, FrameTree, ExtensionBackend.serve])
def test_reading_functions_require_a_gate(reader: object) -> None:
    assert inspect.signature(reader).parameters["gate"].default is inspect.Parameter.empty  # type: ignore[arg-type]


@pytest.mark.parametrize("url", ["", "about:blank", "about:srcdoc", "data:text/html,x", "blob:https://a.example/1"])
def test_documents_made_by_another_name_no_site(url: str) -> None:
    assert names_no_site(url)
    assert not names_no_site("https://a.example/")
    assert not names_no_site("file:///etc/hosts")


def test_a_document_that_names_no_site_is_covered_by_whoever_made_it() -> None:
    assert creator_url("blob:https://a.example/1", "", "https://b.example/") == "https://a.example/1"
    assert creator_url("about:blank", "https://a.example", "https://b.example/") == "https://a.example/"
    assert creator_url("about:blank", "://", "https://b.example/x") == "https://b.example/x"
    assert creator_url("about:blank", "://", "about:srcdoc") == ""


def test_a_denied_read_names_the_site_and_nothing_more_of_the_address() -> None:
    error = read_denied("https://b.example:8443/account?token=1", "Frame f2")
    assert error.code is ErrorCode.POLICY_DENIED
    assert error.message == "Frame f2 is at b.example:8443, which this tab's grant does not cover."
    assert error.data == {"site": "b.example:8443"}
    assert "file" in read_denied("file:///home/person/secret.txt", "The page").message


def test_an_origin_tells_neither_path_nor_credentials() -> None:
    assert origin_of("https://user:secret@bank.example:8443/account?token=1#x") == "https://bank.example:8443"
    assert origin_of("data:text/html,secret") == "data:"


def test_the_browsers_own_error_page_is_said_to_be_one() -> None:
    error = read_denied("chrome-error://chromewebdata/", "The page")
    assert error.message == "The page could not be opened: the browser shows an error page in its place."
    assert "Navigate" in error.hint


@pytest.mark.parametrize("url", ["", "about:blank", "blob:null/1", "data:text/html,x"])
def test_a_document_without_an_address_of_its_own_is_named_as_that(url: str) -> None:
    assert read_denied(url, "Frame f2").message == "Frame f2 has no address that a grant covers."
