"""The contents of a scenario file. docs/SCENARIOS.md describes the format; `files/decode.py` reads and checks it.

Structs and not attrs classes, because msgspec refuses unknown fields of structs only, and a misspelt field must not be
lost without a word. Texts in `arguments`, `targets`, `check` and dependencies may hold placeholders: `{{a.b}}`.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from msgspec import UNSET, Meta, Struct, UnsetType

SCHEMA_VERSION: Literal[5] = 5
"""The version that this Kapture writes. Version 4 has no `at`, version 3 also no `onto`, version 2 also no
`{{name|url}}`, version 1 also no `tab` and `opens`."""

NAME_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9_-]{0,99}\Z"
VARIABLE_PATTERN = r"^[A-Za-z_][A-Za-z0-9_]{0,63}\Z"

Name: TypeAlias = Annotated[str, Meta(pattern=NAME_PATTERN, description="Letters, digits, _ and -; also the file's.")]
Variable: TypeAlias = Annotated[str, Meta(pattern=VARIABLE_PATTERN)]
TabNumber: TypeAlias = Annotated[int, Meta(ge=1, le=100)]
Milliseconds: TypeAlias = Annotated[float, Meta(gt=0, le=600_000, description="Milliseconds.")]


class Part(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """The parent of every object in a scenario file."""


class StepTarget(Part, kw_only=True, frozen=True):
    """One way to find an element; exactly one of `role` (with `name`), `label`, `testId`, `text`, `css` and `xpath`."""

    role: str | None = None
    name: Annotated[str, Meta(description="Accessible name, with role.")] | None = None
    label: str | None = None
    testId: str | None = None  # noqa: N815  as in a command's target
    text: str | None = None
    css: str | None = None
    xpath: str | None = None
    exact: Annotated[bool, Meta(description="Match name, text or label exactly.")] = False
    nth: Annotated[int, Meta(ge=0, description="Which of several matches, from 0.")] | None = None
    frame: Annotated[str, Meta(description="Part of the frame's URL, or its name.")] | None = None

    def ways(self) -> list[str]:
        """The ways of naming that are used; a valid target has one."""
        return [way for way in ("role", "label", "testId", "text", "css", "xpath") if getattr(self, way) is not None]

    def as_argument(self) -> dict[str, Any]:
        """As a command's `target`."""
        return {
            field: value
            for field in self.__struct_fields__
            if (value := getattr(self, field)) is not None and value is not False
        }


class Appearance(Part, kw_only=True, frozen=True):
    """The appearance of an element when it was recorded, by which it is found when no target fits."""

    role: str = ""
    name: str = ""
    tag: str = ""
    text: Annotated[str, Meta(description="Its visible text, where that is not its name.")] = ""
    attributes: Annotated[
        dict[str, str],
        Meta(description="Those that say what it is: id, name, type, placeholder, autocomplete, href, data-testid."),
    ] = {}
    neighbours: Annotated[
        list[str],
        Meta(description="Visible texts in the smallest container around it that has others, nearest first."),
    ] = []
    within: Annotated[
        list[str], Meta(description="Landmarks, forms, groups and dialogs around it, innermost first: form Sign in.")
    ] = []
    box: (
        Annotated[
            list[float],
            Meta(min_length=4, max_length=4, description="x, y, width, height; CSS pixels in the viewport."),
        ]
        | None
    ) = None


class Destination(Part, kw_only=True, frozen=True):
    """A drop target, found and compared like a step's own element."""

    targets: Annotated[list[StepTarget], Meta(min_length=1, description="Ways to find it, best first.")]
    element: Appearance | None = None
    at: (
        Annotated[
            list[float],
            Meta(
                min_length=2,
                max_length=2,
                description="Where the pointer is released: x, y from its upper left corner, CSS pixels. Without it, "
                "in its middle.",
            ),
        ]
        | None
    ) = None


CheckKind: TypeAlias = Literal["text", "no_text", "state", "url", "value", "count", "no_console_error"]


class Check(Part, kw_only=True, frozen=True):
    """A condition of a step. `text` and `no_text` look in the step's element, without targets on the whole page."""

    kind: CheckKind
    expected: Annotated[
        Any,
        Meta(
            description="text: part of the text; state: visible, hidden, gone, enabled, disabled, checked, unchecked "
            "or focused; url: a glob; value: the field's; count: how many match."
        ),
    ] = None


class Step(Part, kw_only=True, frozen=True):
    """One step: a command with its arguments, or a check."""

    command: Annotated[str, Meta(description="Name of a Kapture command: click.")] = ""
    check: Check | None = None
    title: Annotated[str, Meta(description="For people.")] = ""
    arguments: Annotated[dict[str, Any], Meta(description="The command's, without tabId and target.")] = {}
    targets: Annotated[list[StepTarget], Meta(description="Ways to find the step's element, best first.")] = []
    element: Appearance | None = None
    at: (
        Annotated[
            list[float],
            Meta(
                min_length=2,
                max_length=2,
                description="click, drag: where in the element it is pressed: x, y from its upper left corner, CSS "
                "pixels in its recorded size. Without it, in its middle.",
            ),
        ]
        | None
    ) = None
    onto: Annotated[Destination, Meta(description="drag: what the element is dropped on.")] | None = None
    timeout: Milliseconds | None = None
    secret: Annotated[bool, Meta(description="It types a secret: no screenshot is taken, no argument shown.")] = False
    screenshot: Annotated[bool, Meta(description="Take a screenshot after it.")] = False
    capture: Annotated[
        dict[Variable, str],
        Meta(description="Variable → dotted path in the command's JSON answer; an empty path is all of it."),
    ] = {}
    tab: Annotated[
        TabNumber, Meta(description="Which tab it works on: 1 is that of the run, others are opened by earlier steps.")
    ] = 1
    opens: Annotated[TabNumber, Meta(description="It opens a tab, which later steps know by this number.")] | None = (
        None
    )

    @property
    def words(self) -> str:
        """Return the step's title, or its command, for messages."""
        return self.title or self.command or (f"check {self.check.kind}" if self.check is not None else "")


class Parameter(Part, kw_only=True, frozen=True):
    """One parameter: its type and what a value must satisfy. It must be given unless it has a default."""

    type: Literal["string", "number", "integer", "boolean", "object", "array"] = "string"
    description: str = ""
    required: bool = True
    default: Any = UNSET
    example: Any = UNSET
    enum: list[Any] | None = None
    pattern: Annotated[str, Meta(description="Regular expression that the whole text must match.")] | None = None
    minimum: float | None = None
    maximum: float | None = None
    min_length: Annotated[int, Meta(ge=0)] | None = None
    max_length: Annotated[int, Meta(ge=0)] | None = None
    properties: dict[str, Parameter] | None = None
    items: Parameter | None = None

    @property
    def must_be_given(self) -> bool:
        """Whether a run without it is refused."""
        return self.required and isinstance(self.default, UnsetType)


class Condition(Part, kw_only=True, frozen=True):
    """A question to the page, or about what was captured, on which a dependency depends."""

    check: Literal[
        "is_authenticated", "element_present", "element_count", "element_number", "url_matches", "expression"
    ]
    skip_if: Annotated[bool, Meta(description="The dependency is skipped when the check gives this.")] = True
    target: (
        Annotated[StepTarget, Meta(description="element_…: which; is_authenticated: what only signed-in people see.")]
        | None
    ) = None
    minimum: Annotated[
        int, Meta(description="element_count: how many are shown at least; element_number: the number that it shows.")
    ] = 1
    url: Annotated[str, Meta(description="url_matches: a glob.")] | None = None
    expression: Annotated[str, Meta(description="Over parameters and captured output: cart.items > 0.")] | None = None


class Dependency(Part, kw_only=True, frozen=True):
    """A scenario that runs before this one."""

    scenario: Name
    reason: str = ""
    optional: Annotated[bool, Meta(description="Its failure is a warning.")] = False
    condition: Condition | None = None
    parameters: dict[str, Any] = {}
    capture_output: (
        Annotated[Variable, Meta(description="Variable that gets what the dependency captured, an object.")] | None
    ) = None


class Metadata(Part, kw_only=True, frozen=True):
    """Facts about a scenario that change nothing in how it runs."""

    title: str = ""
    url: Annotated[str, Meta(description="Where it was recorded.")] = ""
    recorded_at: Annotated[str, Meta(description="ISO 8601.")] = ""
    author: str = ""
    pattern: Annotated[str, Meta(description="Of files of earlier versions.")] = ""


class Scenario(Part, kw_only=True, frozen=True):
    """A whole file."""

    version: Literal[1, 2, 3, 4, 5]
    name: Name
    description: str = ""
    tags: list[str] = []
    metadata: Metadata = Metadata()
    dependencies: list[Dependency] = []
    parameters: dict[Variable, Parameter] = {}
    secrets: Annotated[list[Variable], Meta(description="Names; the values are in the secrets store.")] = []
    chain: Annotated[list[Step], Meta(min_length=1, description="The steps, in order.")]
