"""File rules: which files may be uploaded, and where and under which names downloads are saved."""

from __future__ import annotations

import os
import re
import stat
import unicodedata
from pathlib import Path

import attrs

from kapture.errors import ErrorCode, KaptureError
from kapture.policy.policy_file import Downloads, Uploads
from kapture.private_files import private_folder

MAX_NAME_BYTES = 150
# Windows ignores spaces before the first dot too. The last two are files that its Explorer obeys.
_RESERVED = re.compile(
    r"(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$|clock\$) *(?:\..*)?|desktop\.ini|thumbs\.db",
    re.IGNORECASE,
)
_MAX_CHARS = 1_000
_SEPARATORS = "/\\\u2044\u2215\u29f8\uff0f\uff3c\u29f5"
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_UNSAFE = re.compile(r'[<>:"|?*\x00-\x1f\x7f]')

# File types that some desktop runs, installs or mounts when they are opened.
DANGEROUS = frozenset(  # a list literal of a hundred strings would be harder to read
    (  # noqa: SIM905
        "ade adp apk app appimage application appref-ms appx appxbundle bash bat bin cab chm class cmd com command "
        "cpl crx csh deb desktop dll dmg docm dotm dylib ear elf exe fish fileloc gadget hlp hta img inf ins iso jar "
        "jnlp js jse ksh lnk mde mobileconfig mpkg msc msh msi msix msixbundle msp mst ocx osx out paf pif pkg pl potm "
        "ppam ppsm pptm prg ps1 ps1xml ps2 psc1 psd1 psm1 py pyc pyo pyw pyz rb reg rpm run scf scpt scptd scr sct "
        "search-ms service settingcontent-ms sh shb shs sldm so sys terminal theme themepack tool url vb vbe vbs vhd "
        "vhdx vxd war webloc website workflow ws wsc wsf wsh xbap xlam xll xlsm xltm xpi zsh"
    ).split()
)


def safe_name(suggested: str) -> str:
    """A file name that stays in its folder, is not hidden, and is not run by any desktop, whatever was suggested."""
    text = suggested.encode("utf-8", "replace").decode("utf-8")
    if len(text) > _MAX_CHARS:  # beginning and ending are what is kept of it
        text = text[: _MAX_CHARS // 2] + text[-_MAX_CHARS // 2 :]
    for separator in _SEPARATORS:
        text = text.replace(separator, "/")
    text = unicodedata.normalize("NFC", text.rstrip("/").rpartition("/")[2])
    # Format characters reverse text (`annexe` + RLO + `fdp.exe`) or are invisible.
    text = "".join(char for char in text if unicodedata.category(char) not in _INVISIBLE)
    text = "".join(" " if unicodedata.category(char) == "Zs" else char for char in text)
    text = _UNSAFE.sub("_", text).strip(". ").lstrip("-~")
    text = text.strip(". ") or "download"
    if is_reserved(text):
        text = f"_{text}"
    stem, dot, ending = split_ending(text)
    if ending.strip().lower() in DANGEROUS or text.lower() in DANGEROUS or _is_class(text):
        stem, dot, ending = text, ".", "download"
    room = MAX_NAME_BYTES - len(f"{dot}{ending}".encode())
    stem = stem.encode()[:room].decode("utf-8", "ignore").rstrip(". ") or "download"
    return f"{stem}{dot}{ending}"


def is_reserved(name: str) -> bool:
    """Whether Windows gives a file of this name a meaning of its own."""
    return _RESERVED.fullmatch(name) is not None


def _is_class(name: str) -> bool:
    """Whether a name ends with the class that Windows opens the file with: `.{…}`."""
    *_, last = name.rstrip(" ").removesuffix("}").split("}")
    return name.rstrip(" ").endswith("}") and any(part.rstrip(" ").endswith(".") for part in last.split("{")[:-1])


def split_ending(name: str) -> tuple[str, str, str]:
    """Stem, dot, ending. What is longer than 20 bytes is not an ending."""
    stem, dot, ending = name.rpartition(".")
    if not stem or len(ending.encode()) > 20:
        return name, "", ""
    return stem, dot, ending


_MAX_COPIES = 10_000
_MAX_IN_FOLDER = 5_000


@attrs.frozen(kw_only=True)
class PolicyFileRules:
    """`FileRules` (kapture.commands.core.context) of the policy in force."""

    home: Path
    downloads: Downloads
    uploads: Uploads

    def check_upload(self, path: Path, *, folders_too: bool = False) -> Path:
        """The real path of a file in an allowed folder; otherwise `POLICY_DENIED`, or `UPLOAD_FAILED` if it is not a
        file. `folders_too`: or of a folder, if the same holds for everything in it, links included."""
        folders = self.upload_folders()
        try:
            real = Path(path).expanduser().resolve(strict=True)
            allowed = [folder.resolve() for folder in folders]
            mode = real.stat().st_mode
        except (OSError, ValueError, RuntimeError) as error:
            # Do not reveal whether a file outside the folders exists: the path as written decides which error it is.
            if any(_within(_as_written(path), folder) for folder in folders):
                raise KaptureError(
                    ErrorCode.UPLOAD_FAILED, f"There is no file {path}.", data={"path": str(path)}
                ) from error
            raise self._no_upload(path) from error
        ours = self.home.resolve()
        keeps_secrets = _within(real, ours) and not any(_within(real, ours / name) for name in ("uploads", "downloads"))
        if keeps_secrets or not any(_within(real, folder) for folder in allowed):
            raise self._no_upload(path)
        if folders_too and stat.S_ISDIR(mode):
            self._check_inside(real)
        elif not stat.S_ISREG(mode):
            raise KaptureError(ErrorCode.UPLOAD_FAILED, f"{path} is not a file.", data={"path": str(path)})
        return real

    def _check_inside(self, folder: Path) -> None:
        entries = 0
        for at, folders, files in os.walk(folder):
            entries += len(files)
            if entries > _MAX_IN_FOLDER:
                raise KaptureError(ErrorCode.UPLOAD_FAILED, f"{folder} holds more than {_MAX_IN_FOLDER} files.")
            for name in (*files, *(name for name in folders if Path(at, name).is_symlink())):
                self.check_upload(Path(at, name))

    async def take(self, path: str) -> Path:
        """The file, or folder, to upload for a client that names it so."""
        return self.check_upload(Path(path), folders_too=True)

    async def hand(self, path: Path) -> str:
        """The path of a finished download as the client knows it."""
        return str(path)

    def upload_folders(self) -> tuple[Path, ...]:
        """The folders that files may come from; `POLICY_DENIED` if uploads are disabled."""
        if not self.uploads.enabled:
            raise KaptureError(
                ErrorCode.POLICY_DENIED, "The policy forbids uploads.", data={"rule": "uploads.enabled: false"}
            )
        if self.uploads.folders is None:
            return (self.home / "uploads",)
        return tuple(Path(folder).expanduser() for folder in self.uploads.folders)

    def download_folder(self) -> Path:
        """The hub's own folder for downloads, created with mode 0700; `POLICY_DENIED` if downloads are disabled."""
        if not self.downloads.enabled:
            raise KaptureError(
                ErrorCode.POLICY_DENIED, "The policy forbids downloads.", data={"rule": "downloads.enabled: false"}
            )
        named = self.downloads.folder
        return private_folder(self.home / "downloads" if named is None else Path(named).expanduser())

    def max_download_bytes(self) -> int:
        """The size of the largest file that is kept."""
        return self.downloads.max_bytes

    def download_path(self, suggested_name: str) -> Path:
        """Create an empty file (mode 0600) in the download folder, with a safe form of the name that the page
        suggested."""
        folder = self.download_folder()
        name = safe_name(suggested_name)
        stem, dot, ending = split_ending(name)
        for copy in range(1, _MAX_COPIES):
            path = folder / (name if copy == 1 else f"{stem} ({copy}){dot}{ending}")
            try:
                os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0), 0o600))
            except FileExistsError:
                continue
            return path
        raise KaptureError(
            ErrorCode.DOWNLOAD_FAILED,
            f"{folder} holds {_MAX_COPIES} files named like {name!r}.",
            hint="Clear the download folder.",
        )

    def _no_upload(self, path: Path) -> KaptureError:
        folders = ", ".join(str(folder) for folder in self.upload_folders())
        return KaptureError(
            ErrorCode.POLICY_DENIED,
            f"{path} is in none of the folders that files may be uploaded from ({folders}).",
            hint="Ask the person to put the file there, or to add its folder to uploads.folders in the policy file.",
            data={"rule": "uploads.folders"},
        )


def _as_written(path: Path) -> Path:
    """The absolute path without `..`, links not followed; the root if the text is not a path."""
    try:
        return Path(os.path.normpath(Path.cwd() / Path(path).expanduser()))
    except (OSError, ValueError, RuntimeError):
        return Path("/")


def _within(path: Path, folder: Path) -> bool:
    return path != folder and path.is_relative_to(folder)
