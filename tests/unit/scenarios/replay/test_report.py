from __future__ import annotations

from xml.etree import ElementTree

from kapture.commands.scenarios import ScenarioRun, StepRun
from kapture.scenarios.replay.report import junit


def test_a_run_is_a_suite_with_a_case_for_each_step() -> None:
    run = ScenarioRun(
        scenario="checkout",
        status="failed",
        duration_ms=1_500,
        plan=[],
        steps=[
            StepRun(scenario="sign_in", number=1, step="click <b>", status="done", duration_ms=20),
            StepRun(
                scenario="checkout",
                number=1,
                step="check\x00 url",
                status="failed",
                duration_ms=80,
                error={"code": "SCENARIO_FAILED", "message": "The check does not hold."},
                expected="URL */done",
                found="the URL is https://shop.example/cart",
            ),
        ],
        captured={},
        warnings=["news was skipped"],
        healed=[],
    )
    root = ElementTree.fromstring(junit([run]).encode())
    suite = root.find("testsuite")
    assert suite is not None
    assert (suite.get("tests"), suite.get("failures"), suite.get("time")) == ("2", "1", "1.500")
    first, second = suite.findall("testcase")
    assert (first.get("classname"), first.get("name")) == ("sign_in", "1. click <b>")
    assert second.get("name") == "1. check\ufffd url"
    failure = second.find("failure")
    assert failure is not None
    assert failure.get("type") == "SCENARIO_FAILED"
    assert failure.text == "expected: URL */done\nfound: the URL is https://shop.example/cart"
    assert suite.findtext("system-out") == "news was skipped"
