from __future__ import annotations

import pytest

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Metadata, Scenario, Step
from kapture.scenarios.secrets.secret_origins import RunSecret, check_origin, named_origins


def named(*urls: str) -> list[str]:
    chain = [Step(command="navigate", arguments={"url": url}) for url in urls]
    return named_origins(Scenario(version=1, name="main", chain=chain))


def test_addresses_that_a_scenario_opens_waits_for_and_was_recorded_at_name_its_sites() -> None:
    scenario = Scenario(
        version=1,
        name="main",
        metadata=Metadata(url="https://Shop.Example:443/login?next=1"),
        chain=[
            Step(command="navigate", arguments={"url": "http://localhost:8000/{{path}}"}),
            Step(command="wait_for", arguments={"url": "https://sso.example/*"}),
            Step(command="click", arguments={"url": "https://evil.example/"}),
            Step(command="navigate", arguments={"url": "https://shop.example"}),
        ],
    )
    assert named_origins(scenario) == ["https://shop.example", "http://localhost:8000", "https://sso.example"]
    assert named("file:///srv/page.html") == ["file:"]


@pytest.mark.parametrize(
    "url",
    [
        "https://{{host}}/",
        "https://shop.example{{rest}}",
        "https://shop.example{{{{.evil.example/",
        "{{base}}/login",
        "https:/{{path}}",
        "https://*.example/",
        "*//shop.example/*",
        "/login",
        "shop.example/login",
        "javascript:alert(1)",
        "data:text/html,x",
    ],
)
def test_an_address_whose_site_is_not_all_there_names_none(url: str) -> None:
    assert named(url) == []


@pytest.mark.parametrize("stored_for", [("https://shop.example",), ("",), ("null",), ()])
def test_a_stored_secret_is_never_typed_into_a_document_whose_origin_is_opaque(stored_for: tuple[str, ...]) -> None:
    with pytest.raises(KaptureError) as caught:
        check_origin("login", {"password": RunSecret(value="hunter2", origins=stored_for)}, "")
    assert caught.value.code is ErrorCode.POLICY_DENIED
    assert "hunter2" not in str(caught.value)
    assert "origin is opaque, as in a sandboxed frame" in caught.value.message
    assert "override_secrets" in caught.value.hint, "the only way: no origin can be stored for it"
