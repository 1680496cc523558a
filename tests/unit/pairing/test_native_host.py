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
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kapture.errors import KaptureError
from kapture.pairing import Pairing, key_file, native_host
from kapture.pairing.browser_locations import BrowserLocation, browser_locations
from kapture.pairing.host_manifest import (
    EXTENSION_ORIGIN,
    data_folder_of,
    host_script,
    install,
    installed,
    uninstall,
    write_host_manifest,
)
from kapture.pairing.native_host import HOST_NAME, HostError

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


@POSIX
def test_builds_of_the_extension_that_the_settings_name_get_the_key_too(home: Path, tmp_path: Path) -> None:
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "settings.toml").write_text(f'extension_id = "{"ab" * 16}"')
    manifest = write_host_manifest(tmp_path / "hosts", home=home)
    other = f"chrome-extension://{'ab' * 16}/"
    assert json.loads(manifest.read_text())["allowed_origins"] == [EXTENSION_ORIGIN, other]
    for origin, admitted in ((EXTENSION_ORIGIN, True), (other, True), (f"chrome-extension://{'ba' * 16}/", False)):
        (answer,) = ask(script_of(manifest), framed(PAIR), origin)
        assert (answer.get("error", {}).get("code") != "WRONG_CALLER") is admitted


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


# No key is taken from a file that others could have put there: not by the native messaging host, nor by clients.


pytestmark = pytest.mark.skipif(os.name != "posix", reason="Windows keeps the folder by its access list")


def code(path: Path) -> str:
    with pytest.raises(HostError) as caught:
        native_host.read_key_file(str(path))
    return str(caught.value.answer["error"]["code"])


def is_open(path: Path) -> bool:
    """Whether this process has a descriptor of it."""
    found = path.stat()
    for entry in Path("/dev/fd").iterdir():
        with suppress(OSError):  # that of the listing itself is closed
            if os.path.samestat(os.fstat(int(entry.name)), found):
                return True
    return False


@pytest.mark.parametrize("opened", ["folder", "above it", "file"])
@pytest.mark.parametrize("bits", [0o777, 0o707, *([0o770] if os.geteuid() == 0 else [])])
def test_a_key_from_where_others_could_put_one_is_not_given_out(tmp_path: Path, opened: str, bits: int) -> None:
    home = tmp_path / "above" / "home"
    path = Pairing(home).write_key_file(1)
    assert native_host.read_key_file(str(path))["port"] == 1
    {"folder": home, "above it": home.parent, "file": path}[opened].chmod(bits)
    assert code(path) == "KEY_FILE"


def test_a_folder_that_others_can_only_read_is_not_private_either(tmp_path: Path) -> None:
    path = Pairing(tmp_path / "home").write_key_file(1)
    path.parent.chmod(0o750)
    assert code(path) == "KEY_FILE"


@pytest.mark.parametrize("kind", ["link", "pipe", "folder"])
def test_only_a_regular_file_is_read(tmp_path: Path, kind: str) -> None:
    path = Pairing(tmp_path / "home").write_key_file(1)
    real = path.rename(path.with_name("real.json"))
    if kind == "link":
        path.symlink_to(real)
    elif kind == "pipe":
        os.mkfifo(path, 0o600)
    else:
        path.mkdir(0o600)
    assert code(path) == "KEY_FILE"
    with pytest.raises(KaptureError):
        key_file.read(path.parent)
    assert not is_open(path)


# The script that a browser starts as native messaging host: what it sets, how it is quoted.


def test_the_script_for_windows_sets_what_the_host_needs_and_quotes_it() -> None:
    name, text = host_script(
        [r"C:\Program Files\python.exe", "-I", "x.py"], {"KAPTURE_HOME": r"C:\50% off"}, platform="win32"
    )
    assert name == "dev.kapture.hub.bat"
    assert text.split("\r\n") == [
        "@echo off",
        r'set "KAPTURE_HOME=C:\50%% off"',
        r'"C:\Program Files\python.exe" -I x.py %*',
        "",
    ]


def test_the_script_for_flatpak_leaves_the_sandbox_with_the_environment_it_needs() -> None:
    _, text = host_script(["/usr/bin/python3", "x.py"], {"KAPTURE_HOME": "/h/my data"}, platform="linux", flatpak=True)
    assert text.splitlines()[1] == (
        "exec flatpak-spawn --host '--env=KAPTURE_HOME=/h/my data' /usr/bin/python3 x.py \"$@\""
    )


@pytest.mark.parametrize(("platform", "flatpak"), [("linux", False), ("linux", True), ("win32", False)])
@pytest.mark.parametrize("folder", ["plain", "o'brien", 'a "b" $c', "50% off"])
def test_the_data_folder_can_be_read_back_from_the_script(
    tmp_path: Path, platform: str, flatpak: bool, folder: str
) -> None:
    home = tmp_path / folder
    name, text = host_script(["python", "x.py"], {"KAPTURE_HOME": str(home)}, platform=platform, flatpak=flatpak)
    (tmp_path / name).write_bytes(text.encode())
    assert data_folder_of(tmp_path / name) == home
    (tmp_path / name).write_text("#!/bin/sh\n'")
    assert data_folder_of(tmp_path / name) is None


# Where browsers look for native messaging hosts: data for every platform, tried on none but this one.


LINUX = {"HOME": "/h"}
WINDOWS = {"LOCALAPPDATA": r"C:\Users\me\AppData\Local"}


def located_browser_locations(platform: str, browser: str, sandbox: str | None = None) -> BrowserLocation:
    environment = WINDOWS if platform == "win32" else LINUX
    (found,) = [
        location
        for location in browser_locations(platform, environment)
        if (location.browser, location.sandbox) == (browser, sandbox)
    ]
    return found


@pytest.mark.parametrize(
    ("platform", "browser", "sandbox", "where"),
    [
        ("linux", "chrome", None, "/h/.config/google-chrome"),
        ("linux", "chromium", None, "/h/.config/chromium"),
        ("linux", "edge", None, "/h/.config/microsoft-edge"),
        ("linux", "brave", None, "/h/.config/BraveSoftware/Brave-Browser"),
        ("linux", "vivaldi", None, "/h/.config/vivaldi"),
        ("linux", "opera", None, "/h/.config/opera"),
        ("linux", "chrome", "flatpak", "/h/.var/app/com.google.Chrome/config/google-chrome"),
        ("linux", "brave", "flatpak", "/h/.var/app/com.brave.Browser/config/BraveSoftware/Brave-Browser"),
        ("linux", "edge", "flatpak", "/h/.var/app/com.microsoft.Edge/config/microsoft-edge"),
        ("linux", "chromium", "snap", "/h/snap/chromium/common/chromium"),
        ("linux", "brave", "snap", "/h/snap/brave/current/.config/BraveSoftware/Brave-Browser"),
        ("darwin", "chrome", None, "/h/Library/Application Support/Google/Chrome"),
        ("darwin", "chromium", None, "/h/Library/Application Support/Chromium"),
        ("darwin", "edge", None, "/h/Library/Application Support/Microsoft Edge"),
        ("darwin", "brave", None, "/h/Library/Application Support/BraveSoftware/Brave-Browser"),
        ("darwin", "vivaldi", None, "/h/Library/Application Support/Vivaldi"),
        ("darwin", "opera", None, "/h/Library/Application Support/com.operasoftware.Opera"),
    ],
)
def test_manifests_lie_in_the_folder_of_the_browser(
    platform: str, browser: str, sandbox: str | None, where: str
) -> None:
    location = located_browser_locations(platform, browser, sandbox)
    assert location.profile_root == Path(where)
    assert location.folders[0] == Path(where) / "NativeMessagingHosts"


@pytest.mark.parametrize("platform", ["linux", "darwin"])
def test_opera_is_registered_where_it_reads_chromes_hosts_too(platform: str) -> None:
    assert (
        located_browser_locations(platform, "opera").folders[1:]
        == located_browser_locations(platform, "chrome").folders
    )


@pytest.mark.parametrize(
    ("browser", "key"),
    [
        ("chrome", r"Software\Google\Chrome"),
        ("chromium", r"Software\Chromium"),
        ("edge", r"Software\Microsoft\Edge"),
        ("brave", r"Software\Google\Chrome"),
        ("vivaldi", r"Software\Google\Chrome"),
        ("opera", r"Software\Google\Chrome"),
    ],
)
def test_on_windows_the_registry_names_the_manifest(browser: str, key: str) -> None:
    assert located_browser_locations("win32", browser).registry_key == rf"{key}\NativeMessagingHosts\dev.kapture.hub"


@pytest.mark.parametrize(
    ("browser", "below"),
    [
        ("chrome", r"Google\Chrome\User Data"),
        ("chromium", r"Chromium\User Data"),
        ("edge", r"Microsoft\Edge\User Data"),
        ("brave", r"BraveSoftware\Brave-Browser\User Data"),
        ("vivaldi", r"Vivaldi\User Data"),
        ("opera", r"..\Roaming\Opera Software\Opera Stable"),
    ],
)
def test_on_windows_a_used_browser_is_known_by_its_profiles(browser: str, below: str) -> None:
    root = PureWindowsPath(str(located_browser_locations("win32", browser).profile_root).replace("/", "\\"))
    assert root == PureWindowsPath(WINDOWS["LOCALAPPDATA"]) / below


@pytest.mark.parametrize("browser", ["chrome", "chromium", "edge", "brave", "vivaldi", "opera"])
def test_on_macos_an_installed_browser_is_known_by_its_application(browser: str) -> None:
    (program,) = located_browser_locations("darwin", browser).programs
    assert program.startswith("/Applications/")
    assert program.endswith(f".app/Contents/MacOS/{PurePosixPath(program).parts[2].removesuffix('.app')}")


def test_a_browser_is_in_use_when_it_is_installed_and_was_never_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "google-chrome"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {location.browser for location in browser_locations("linux", {"HOME": str(tmp_path)}) if location.in_use}
    assert found == {"chrome"}


def test_a_sandboxed_browser_comes_with_the_step_that_only_the_person_can_do() -> None:
    assert "flatpak override --user" in located_browser_locations("linux", "chrome", "flatpak").advice
    assert "com.google.Chrome" in located_browser_locations("linux", "chrome", "flatpak").advice
    assert "options" in located_browser_locations("linux", "chromium", "snap").advice
    assert located_browser_locations("linux", "chrome").advice == ""


def test_killed_child_that_nobody_waited_for_is_not_running() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as child:
        assert native_host.is_running(child.pid)
        child.kill()
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert not native_host.is_running(child.pid)
