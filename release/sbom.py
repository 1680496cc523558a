"""The bill of materials (CycloneDX, by its own library): what the wheel requires, and the JavaScript in it."""

from __future__ import annotations

import json
import re
import tomllib
import uuid
from datetime import datetime

from cyclonedx.contrib.license.factories import LicenseFactory
from cyclonedx.model import ExternalReference, ExternalReferenceType, Property, XsUri
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentScope, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL
from packaging.requirements import Requirement

from kapture import __about__ as about
from release.manifests import ROOT

_BUNDLED = re.compile(r"^(@?[\w./-]+) (\d\S*) \(([^)]*)\)(?:, .*)?$", re.MULTILINE)


def as_json(made: datetime) -> str:
    """Return the bill, which depends on the repository's content and this time only."""
    licenses = LicenseFactory()
    whole = Component(
        name=about.DISTRIBUTION,
        version=about.__version__,
        type=ComponentType.APPLICATION,
        description=about.SUMMARY,
        licenses=[licenses.make_from_string(about.LICENSE)],
        purl=PackageURL("pypi", name=about.DISTRIBUTION, version=about.__version__),
        bom_ref=about.DISTRIBUTION,
        external_references=[ExternalReference(type=ExternalReferenceType.VCS, url=XsUri(about.REPOSITORY))],
    )
    bom = Bom(
        serial_number=uuid.uuid5(uuid.NAMESPACE_URL, f"{about.REPOSITORY}/{about.__version__}/{made.isoformat()}"),
        metadata=BomMetaData(component=whole, timestamp=made),
    )
    parts = [*_required(), *_bundled(licenses)]
    for part in parts:
        bom.components.add(part)
    bom.register_dependency(whole, parts)
    return JsonV1Dot6(bom).output_as_string(indent=2) + "\n"


def _required() -> list[Component]:
    """The Python packages that pip installs beside the wheel. Which version is the installer's choice."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return [
        Component(
            name=required.name,
            type=ComponentType.LIBRARY,
            scope=ComponentScope.REQUIRED,
            purl=PackageURL("pypi", name=required.name),
            bom_ref=f"pypi/{required.name}",
            properties=[Property(name="kapture:requirement", value=str(required.specifier))],
        )
        for required in map(Requirement, project["dependencies"])
    ]


def _bundled(licenses: LicenseFactory) -> list[Component]:
    """The npm packages in the committed bundles, as the licences beside them name them; and Lit."""
    found = set()
    for file in sorted((ROOT / "test_app" / "vendor").glob("*.LICENSE")):
        found |= set(_BUNDLED.findall(file.read_text("utf-8")))
    found.add(("lit", _locked("lit"), "BSD-3-Clause"))
    return [
        Component(
            name=name,
            version=number,
            type=ComponentType.LIBRARY,
            licenses=[licenses.make_from_string(named)],
            purl=PackageURL("npm", *_scoped(name), version=number),
            bom_ref=f"npm/{name}@{number}",
        )
        for name, number, named in sorted(found)
    ]


def _scoped(name: str) -> tuple[str | None, str]:
    scope, _, rest = name.rpartition("/")
    return scope or None, rest


def _locked(name: str) -> str:

    lock = json.loads((ROOT / "package-lock.json").read_text("utf-8"))
    return str(lock["packages"][f"node_modules/{name}"]["version"])
