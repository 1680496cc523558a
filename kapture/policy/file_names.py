"""Names of files that pages suggest, made harmless."""

from __future__ import annotations

import re
import unicodedata

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
    if _RESERVED.fullmatch(text):
        text = f"_{text}"
    stem, dot, ending = split_ending(text)
    if ending.strip().lower() in DANGEROUS or text.lower() in DANGEROUS or _is_class(text):
        stem, dot, ending = text, ".", "download"
    room = MAX_NAME_BYTES - len(f"{dot}{ending}".encode())
    stem = stem.encode()[:room].decode("utf-8", "ignore").rstrip(". ") or "download"
    return f"{stem}{dot}{ending}"


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
