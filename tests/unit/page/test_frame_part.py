"""How a recorded target says which frame its element is in, so that a later run finds it there and nowhere else."""

from __future__ import annotations

import pytest

from kapture.page.target import frame_part
from tests.unit.page.frame_world import World

CARD = "https://pay.example/field.html"


@pytest.fixture
def world() -> World:
    return World()


def part(world: World, frame_id: str) -> dict[str, str]:
    frame = world.tree.by_id(frame_id)
    assert frame is not None
    found = frame_part(frame, world.tree)
    assert not found or world.tree.find(found["frame"]) is frame
    return found


def open_frames(world: World, **urls: str) -> None:
    for frame_id, url in urls.items():
        world.attach(frame_id)
        world.navigate(frame_id, url)


def test_a_frame_goes_by_site_and_path(world: World) -> None:
    open_frames(world, A="https://pay.example/card?session=4f2a", B="https://ads.example/")
    assert part(world, "A") == {"frame": "pay.example/card"}
    assert part(world, "M") == {}


def test_of_frames_that_load_one_page_each_goes_by_a_parameter_that_names_something(world: World) -> None:
    session = "session=4f2ac81"
    open_frames(world, A=f"{CARD}?{session}&field=number#v=a", B=f"{CARD}?{session}&field=expiry#v=b")
    assert part(world, "A") == {"frame": "field=number"}
    assert part(world, "B") == {"frame": "field=expiry"}


def test_a_frame_that_nothing_tells_from_others_is_not_named(world: World) -> None:
    open_frames(world, A=f"{CARD}?session=4f2ac81", B=f"{CARD}?session=19bb02e", C="about:blank")
    assert [part(world, frame) for frame in "ABC"] == [{}, {}, {}]
