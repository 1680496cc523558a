"""Results of runs as JUnit XML: one suite per scenario, one case per step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from kapture.commands.scenarios import ScenarioRun, StepRun

# Characters that XML 1.0 cannot contain (https://www.w3.org/TR/xml/#charsets).
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(runs: Sequence[ScenarioRun], errors: Sequence[tuple[str, str]] = ()) -> str:
    """The XML of some runs. `errors`: the scenarios that could not run, each with the reason."""
    root = ElementTree.Element("testsuites")
    for run in runs:
        optional = run.status == "passed"  # what failed then was that of an optional dependency: the run went on
        failed = sum(step.status == "failed" for step in run.steps)
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=_text(run.scenario),
            tests=str(len(run.steps)),
            failures="0" if optional else str(failed),
            skipped=str(failed) if optional else "0",
            time=f"{run.duration_ms / 1_000:.3f}",
        )
        for step in run.steps:
            _case(suite, step, optional=optional)
        if run.warnings:
            ElementTree.SubElement(suite, "system-out").text = _text("\n".join(run.warnings))
    for scenario, reason in errors:
        suite = ElementTree.SubElement(root, "testsuite", name=_text(scenario), tests="1", errors="1")
        case = ElementTree.SubElement(suite, "testcase", classname=_text(scenario), name="run")
        ElementTree.SubElement(case, "error", message=_text(reason))
    ElementTree.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ElementTree.tostring(root, encoding="unicode") + "\n"


def _case(suite: ElementTree.Element, step: StepRun, *, optional: bool) -> None:
    case = ElementTree.SubElement(
        suite,
        "testcase",
        classname=_text(step.scenario),
        name=_text(f"{step.number}. {step.step}"),
        time=f"{step.duration_ms / 1_000:.3f}",
    )
    if step.error is not None and optional:
        ElementTree.SubElement(case, "skipped", message=_text(step.error["message"]))
    elif step.error is not None:
        failure = ElementTree.SubElement(
            case, "failure", type=_text(step.error["code"]), message=_text(step.error["message"])
        )
        if step.expected is not None:
            failure.text = _text(f"expected: {step.expected}\nfound: {step.found}")


def _text(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
