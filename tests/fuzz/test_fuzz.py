"""The short form: the same inputs each time. `./dev fuzz` is the long one."""

from __future__ import annotations

import random

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.__main__ import main
from tests.fuzz.targets import TARGETS, Target
from tests.support.examples import examples


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_nearly_valid_input_is_accepted_or_refused_without_other_effects(target: Target) -> None:
    @settings(max_examples=examples(150))
    @given(st.randoms(use_true_random=False))
    def take_or_refuse(chosen: random.Random) -> None:
        target.try_one(target.make(chosen))

    take_or_refuse()


@pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)
def test_the_examples_are_right(target: Target) -> None:
    taken = [target.try_one(text.encode() if target.binary else text) for text in target.examples]
    assert any(taken), "nothing that is made of these would get far"


def test_a_name_that_no_target_has_is_refused() -> None:
    assert CliRunner().invoke(main, ["--only", "no such target"]).exit_code == 2
