"""The native messaging host: our extension gets the key, nobody else does, and failures are plain."""

from __future__ import annotations

import io
import json
import os
import signal
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.pairing import Pairing, key_file, native_host
from kapture.pairing.browser_locations import BrowserLocation
from kapture.pairing.host_manifest import (
    EXTENSION_ORIGIN,
    install,
    installed,
    uninstall,
    write_host_manifest,
)
from kapture.pairing.native_host import HOST_NAME

POSIX = pytest.mark.skipif(os.name != "posix", reason="the script is a shell script")
PAIR = {"type": "pair"}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    # Quotes, spaces and dollars are allowed in a user's name, and must not be read by the shell.
    return tmp_path / 'it\'s $(touch pwned) a "home"'


def framed(*messages: object) -> bytes:
    bodies = [json.dumps(message).encode() for message in messages]
    return b"".join(struct.pack("=I", len(body)) + body for body in bodies)


def unframed(data: bytes) -> list[Any]:
    found, stream = [], io.BytesIO(data)
    while head := stream.read(4):
        found.append(json.loads(stream.read(struct.unpack("=I", head)[0])))
    return found


def ask(script: Path, data: bytes, *arguments: str, env: dict[str, str] | None = None) -> list[Any]:
    done = subprocess.run(
        [script, *arguments], input=data, capture_output=True, check=True, env={**os.environ, **(env or {})}
    )
    assert done.stderr == b""
    return unframed(done.stdout)


def located(*folders: Path) -> BrowserLocation:
    return BrowserLocation(browser="chrome", title="Chrome", folders=folders)


@pytest.fixture
def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def script_of(manifest: Path) -> Path:
    return Path(json.loads(manifest.read_text())["path"])


@POSIX
def test_our_extension_gets_port_and_key_and_not_the_client_token(home: Path, tmp_path: Path) -> None:
    Pairing(home).write_key_file(4711)
    content = key_file.read(home)
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    (answer,) = ask(script, framed(PAIR), EXTENSION_ORIGIN)
    assert answer == {"port": 4711, "key": content.key, "version": content.version, "launch": None}


@POSIX
def test_a_launched_browsers_host_hands_on_its_grant(home: Path, tmp_path: Path) -> None:
    Pairing(home).write_key_file(1)
    grant = {"sites": ["*", "it's"], "level": "full"}
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home, launch_grant=grant))
    assert ask(script, framed(PAIR), EXTENSION_ORIGIN)[0]["launch"] == {"grant": grant}


@POSIX
def test_a_grant_in_the_browsers_environment_is_not_consent(home: Path, tmp_path: Path) -> None:
    Pairing(home).write_key_file(1)
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    env = {"KAPTURE_LAUNCH_GRANT": '{"sites":["*"],"level":"full"}', "KAPTURE_HOME": "/nowhere"}
    assert ask(script, framed(PAIR), EXTENSION_ORIGIN, env=env)[0]["launch"] is None


@POSIX
@pytest.mark.parametrize(
    "arguments",
    [(), ("chrome-extension://aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/",), ("x", EXTENSION_ORIGIN), (EXTENSION_ORIGIN + "x",)],
)
def test_any_other_caller_gets_nothing(home: Path, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    Pairing(home).write_key_file(1)
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    (answer,) = ask(script, framed(PAIR), *arguments)
    assert answer["error"]["code"] == "WRONG_CALLER"
    assert key_file.read(home).key not in json.dumps(answer)


@POSIX
def test_without_a_hub_the_host_says_so_and_what_to_do(home: Path, tmp_path: Path) -> None:
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    (answer,) = ask(script, framed(PAIR), EXTENSION_ORIGIN)
    assert answer["error"]["code"] == "NO_HUB"
    assert "kapture serve" in answer["error"]["hint"]
    assert answer["launch"] is None


@POSIX
def test_a_launched_browsers_host_hands_on_its_grant_before_there_is_a_hub(home: Path, tmp_path: Path) -> None:
    grant = {"sites": ["*"], "level": "full"}
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home, launch_grant=grant))
    (answer,) = ask(script, framed(PAIR), EXTENSION_ORIGIN)
    assert answer["error"]["code"] == "NO_HUB"
    assert answer["launch"] == {"grant": grant}


@POSIX
def test_a_hub_that_has_ended_is_no_hub(home: Path, tmp_path: Path) -> None:
    imports = "import sys; from pathlib import Path; from kapture.pairing import Pairing"
    code = f"{imports}; Pairing(Path(sys.argv[1])).write_key_file(7)"
    subprocess.run([sys.executable, "-c", code, str(home)], check=True)
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    assert ask(script, framed(PAIR), EXTENSION_ORIGIN)[0]["error"]["code"] == "NO_HUB"


@POSIX
def test_the_host_hands_out_no_key_that_others_could_have_made(home: Path, tmp_path: Path) -> None:
    path = Pairing(home).write_key_file(1)
    path.chmod(0o644)
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    assert ask(script, framed(PAIR), EXTENSION_ORIGIN)[0]["error"]["code"] == "KEY_FILE"


@POSIX
def test_one_process_answers_several_questions_in_order(home: Path, tmp_path: Path) -> None:
    Pairing(home).write_key_file(1)
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    answers = ask(script, framed({"type": "who"}, PAIR, [1], PAIR), EXTENSION_ORIGIN)
    assert ["error" in answer for answer in answers] == [True, False, True, False]


@POSIX
@pytest.mark.parametrize("data", [b"", b"\x05", b"\x05\x00\x00\x00ab", struct.pack("=I", 2**31) + b"x"])
def test_a_broken_pipe_of_messages_ends_the_host_quietly(home: Path, tmp_path: Path, data: bytes) -> None:
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    assert all("error" in answer for answer in ask(script, data, EXTENSION_ORIGIN))


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    )
)
def test_no_request_crashes_the_host(request_: object) -> None:
    try:
        answer = native_host.answer(request_, [EXTENSION_ORIGIN], {"KAPTURE_HOME": "/nowhere/at/all"})
    except native_host.HostError as error:
        answer = error.answer
    assert set(answer["error"]) == {"code", "message", "hint"}


@given(st.binary(max_size=200))
def test_no_key_file_crashes_the_host(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    path = tmp_path_factory.mktemp("data") / "hub.json"
    path.write_bytes(data)
    path.chmod(0o600)
    with pytest.raises(native_host.HostError):
        native_host.read_key_file(str(path))


@POSIX
def test_the_host_loads_nothing_but_a_few_standard_modules(home: Path, tmp_path: Path) -> None:
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    assert " -I -S " in script.read_text()
    source = Path(native_host.__file__).read_text()
    assert "import kapture" not in source
    assert "from kapture" not in source


@POSIX
def test_nothing_in_a_path_or_grant_is_read_by_the_shell(home: Path, tmp_path: Path) -> None:
    grant = {"sites": ["$(touch pwned)", "`touch pwned`", "'; touch pwned; '"], "level": "read"}
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home, launch_grant=grant))
    subprocess.run([script, EXTENSION_ORIGIN], input=framed(PAIR), capture_output=True, cwd=tmp_path, check=True)
    assert not list(tmp_path.rglob("pwned"))


def test_the_manifest_admits_our_extension_only(home: Path, tmp_path: Path) -> None:
    manifest = write_host_manifest(tmp_path / "hosts", home=home)
    assert manifest.name == f"{HOST_NAME}.json"
    content = json.loads(manifest.read_text())
    assert content["allowed_origins"] == ["chrome-extension://jjllhgagajepglkofmhapipikepcofkp/"]
    assert content["name"] == "dev.kapture.hub"
    assert content["type"] == "stdio"
    assert Path(content["path"]).is_absolute()


def test_install_and_uninstall_undo_each_other(home: Path, tmp_path: Path) -> None:
    chrome = located(tmp_path / "chrome" / "NativeMessagingHosts")
    assert installed(chrome) is None
    assert not uninstall(chrome)
    install(chrome, home)
    install(chrome, home)  # again, over the first
    script = installed(chrome)
    assert script is not None
    assert script.is_file()
    assert uninstall(chrome)
    assert installed(chrome) is None


def test_a_browser_that_looks_in_two_folders_gets_a_manifest_in_each(home: Path, tmp_path: Path) -> None:
    folders = (tmp_path / "opera", tmp_path / "google-chrome")
    install(located(*folders), home)
    assert {script_of(folder / f"{HOST_NAME}.json") for folder in folders} == {
        home.absolute() / "native-host" / f"{HOST_NAME}.sh"
    }


def test_a_sandboxed_browser_gets_its_script_where_it_can_read_it(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "sandboxed"
    install(attrs.evolve(located(folder), sandbox="flatpak"), home)
    script = script_of(folder / f"{HOST_NAME}.json")
    assert script.parent == folder
    assert "flatpak-spawn --host" in script.read_text()
    assert uninstall(located(folder))
    assert list(folder.iterdir()) == []


@POSIX
def test_start_starts_a_hub_that_outlives_the_host_and_gives_its_key(tmp_path: Path, free_port: int) -> None:
    home = tmp_path / "home"
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    env = {"KAPTURE_PORT": str(free_port), "KAPTURE_IDLE_EXIT": "60s"}
    (answer,) = ask(script, framed({"type": "start"}), EXTENSION_ORIGIN, env=env)
    try:
        assert answer["port"] == free_port
        assert answer["key"] == key_file.read(home).key
        (again,) = ask(script, framed({"type": "start"}), EXTENSION_ORIGIN, env=env)
        assert again == answer  # the hub that runs, not another
    finally:
        os.kill(key_file.read(home).pid, signal.SIGTERM)


@POSIX
def test_a_hub_that_cannot_start_is_reported_with_its_reason(tmp_path: Path) -> None:
    home = tmp_path / "home"
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    with socket.create_server(("127.0.0.1", 0)) as taken:
        env = {"KAPTURE_PORT": str(taken.getsockname()[1])}
        (answer,) = ask(script, framed({"type": "start"}), EXTENSION_ORIGIN, env=env)
    assert answer["error"]["code"] == "START_FAILED"
    message = "The hub could not be started (exit code 2). Another program is listening on port"
    assert answer["error"]["message"].startswith(message)
    assert (answer["error"]["message"] + answer["error"]["hint"]).count("kapture doctor") == 1


@POSIX
def test_the_port_of_the_hub_to_start_is_the_one_that_was_set_at_installation(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KAPTURE_PORT", "4712")
    script = script_of(write_host_manifest(tmp_path / "hosts", home=home))
    assert "export KAPTURE_PORT=4712\n" in script.read_text()
