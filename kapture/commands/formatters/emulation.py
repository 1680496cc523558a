"""What is emulated."""

from __future__ import annotations

from typing import Annotated

import attrs
from msgspec import Meta

from kapture.commands.core.answer import Answer


@attrs.frozen(kw_only=True)
class Geolocation:
    """Degrees, and metres of accuracy."""

    latitude: Annotated[float, Meta(ge=-90, le=90)]
    longitude: Annotated[float, Meta(ge=-180, le=180)]
    accuracy: Annotated[float, Meta(ge=0)] = 10.0


@attrs.frozen(kw_only=True)
class Emulated(Answer):
    """Everything that is emulated now."""

    viewport: tuple[int, int] | None = None
    device_scale: float | None = None
    mobile: bool = False
    touch: bool = False
    color_scheme: str | None = None
    reduced_motion: bool = False
    media: str | None = None
    locale: str | None = None
    timezone: str | None = None
    geolocation: Geolocation | None = None
    user_agent: str | None = None
    cpu_slowdown: float = 1.0

    def text(self) -> str:
        """Only what differs from the browser's own."""
        nothing = Emulated()
        parts = []
        for field in attrs.fields(Emulated):
            value = getattr(self, field.name)
            if value == getattr(nothing, field.name):
                continue
            if field.name == "viewport":
                value = "{}x{}".format(*value)
            elif field.name == "geolocation":
                value = f"{value.latitude:g}, {value.longitude:g}"
            parts.append(f"{field.name} {value}" if value is not True else field.name)
        return f"emulating {', '.join(parts)}" if parts else "Nothing is emulated."
