"""Tests of secrets."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from cryptography.fernet import Fernet

from kapture.errors import ErrorCode, KaptureError
from kapture.scenarios.model import Metadata, Scenario, Step
from kapture.scenarios.secrets import secret_key
from kapture.scenarios.secrets.secret_key import FileKeys, KeyringKeys
from kapture.scenarios.secrets.secret_origins import RunSecret, check_origin, named_origins
from kapture.scenarios.secrets.secret_store import SecretStore, StoredSecret

SHOP = "https://shop.example"


def store(home: Path) -> SecretStore:
    return SecretStore(home, FileKeys(home))


def kept(**values: str) -> dict[str, StoredSecret]:
    return {name: StoredSecret(value, (SHOP,)) for name, value in values.items()}


def test_values_come_back_and_stand_in_no_file(tmp_path: Path) -> None:
    home = tmp_path / "home"
    store(home).put("sign_in", kept(password="hunter2-hunter2", email="ada@example.com"))
    store(home).put("sign_in", kept(email="eve@example.com"))
    assert store(home).of("sign_in") == kept(password="hunter2-hunter2", email="eve@example.com")
    assert store(home).of("other") == {}
    for file in home.rglob("*"):
        if file.is_file():
            assert file.stat().st_mode & 0o777 == 0o600
            assert b"hunter2" not in file.read_bytes()
            assert b"example.com" not in file.read_bytes()


def test_dropped_values_are_gone_and_others_stay(tmp_path: Path) -> None:
    secrets = store(tmp_path / "home")
    secrets.put("a", kept(x="1", y="2"))
    secrets.put("b", kept(x="3"))
    secrets.drop("a", "x")
    assert secrets.names("a") == ["y"]
    secrets.drop("a")
    assert secrets.of("a") == {}
    assert secrets.of("b") == kept(x="3")


def test_after_rotation_the_values_are_readable_and_the_old_key_is_useless(tmp_path: Path) -> None:
    home = tmp_path / "home"
    secrets = store(home)
    secrets.put("a", kept(x="secret"))
    old = FileKeys(home).read()
    secrets.rotate()
    new = FileKeys(home).read()
    assert len(new) == 1
    assert new != old
    assert store(home).of("a") == kept(x="secret")
    FileKeys(home).write(old)
    with pytest.raises(KaptureError, match="does not fit its key"):
        store(home).of("a")


class CrashingKeys:
    """Keys in memory; the process ends before the write of this number."""

    def __init__(self, writes: int) -> None:
        self.keys = [Fernet.generate_key()]
        self.left = writes

    def read(self) -> list[bytes]:
        return self.keys

    def write(self, keys: list[bytes]) -> None:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        self.keys = keys


@pytest.mark.parametrize("writes", [0, 1, 2])
def test_a_crash_while_the_key_is_rotated_loses_nothing(tmp_path: Path, writes: int) -> None:
    keys = CrashingKeys(writes)
    SecretStore(tmp_path, keys).put("a", kept(x="secret"))
    with suppress(KeyboardInterrupt):
        SecretStore(tmp_path, keys).rotate()
    assert SecretStore(tmp_path, keys).of("a") == kept(x="secret")


def test_a_store_without_its_key_is_an_error_that_shows_nothing(tmp_path: Path) -> None:
    home = tmp_path / "home"
    store(home).put("a", kept(x="secret"))
    FileKeys(home).path.unlink()
    with pytest.raises(KaptureError, match="its key is gone, or in a keyring") as caught:
        store(home).of("a")
    assert caught.value.code is ErrorCode.UNAUTHORIZED
    with pytest.raises(KaptureError):
        store(home).put("a", kept(y="more"))


def test_a_key_file_that_others_can_read_is_refused(tmp_path: Path) -> None:
    home = tmp_path / "home"
    store(home).put("a", kept(x="secret"))
    FileKeys(home).path.chmod(0o644)
    with pytest.raises(KaptureError, match="0600"):
        store(home).of("a")


def test_the_keyring_is_used_where_there_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring

    entries: dict[tuple[str, str], str] = {}
    monkeypatch.setattr(secret_key, "_has_keyring", lambda: True)
    monkeypatch.setattr(keyring, "get_password", lambda service, user: entries.get((service, user)))
    monkeypatch.setattr(keyring, "set_password", lambda service, user, value: entries.update({(service, user): value}))
    SecretStore(tmp_path).put("a", kept(x="secret"))
    assert SecretStore(tmp_path).of("a") == kept(x="secret")
    assert isinstance(secret_key.key_store(tmp_path), KeyringKeys)
    assert not (tmp_path / secret_key.FILE_NAME).exists()
    assert len(entries) == 1


def test_a_locked_keyring_is_an_error_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import keyring
    from keyring.errors import KeyringLocked

    def locked(service: str, user: str) -> str:
        raise KeyringLocked

    monkeypatch.setattr(secret_key, "_has_keyring", lambda: True)
    monkeypatch.setattr(keyring, "get_password", locked)
    with pytest.raises(KaptureError, match="keyring refuses"):
        SecretStore(tmp_path).put("a", kept(x="secret"))


def test_without_a_keyring_the_key_is_in_a_private_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(secret_key, "_has_keyring", lambda: False)
    SecretStore(tmp_path).put("a", kept(x="secret"))
    assert (tmp_path / secret_key.FILE_NAME).stat().st_mode & 0o777 == 0o600


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
